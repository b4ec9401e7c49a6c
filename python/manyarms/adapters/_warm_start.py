"""Which arms MABWiser's warm_start takes for similar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from manyarms.adapters._numbers import MOST_IN_FEATURES, as_numbers
from manyarms.errors import InvalidArgumentError


def closest_arms(
    cold: Iterable[Any], trained: list[Any], features: Mapping[Any, Any], quantile: float
) -> dict[Any, Any]:
    """Returns the closest trained arm of each cold arm that has a close one.

    Arms are close if the cosine distance of their features is at most the quantile of
    the distances from arms to their closest arms.
    """
    arms = list(features)
    rows = as_numbers([features[arm] for arm in arms], "arm_to_features")
    if rows.ndim != 2:
        raise InvalidArgumentError(
            f"arm_to_features must have a row of numbers for each arm, but has {rows.ndim} "
            "dimensions"
        )
    beyond = ~(np.abs(rows) <= MOST_IN_FEATURES)
    if beyond.any():
        row, column = np.argwhere(beyond)[0]
        raise InvalidArgumentError(
            f"feature {column} of arm {arms[row]!r} is {rows[row, column]}, must be finite and "
            f"at most {MOST_IN_FEATURES:g} in magnitude"
        )
    lengths = np.linalg.norm(rows, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        distances = 1 - (rows @ rows.T) / np.outer(lengths, lengths)
    distances[np.isnan(distances)] = np.inf  # zeros have no direction
    np.fill_diagonal(distances, np.inf)
    nearest = distances.min(axis=1)
    if not trained or not np.isfinite(nearest).any():
        return {}
    threshold = np.quantile(nearest[np.isfinite(nearest)], quantile)
    place = {arm: index for index, arm in enumerate(arms)}
    columns = [place[arm] for arm in trained]
    pairs = {}
    for arm in cold:
        among = distances[place[arm], columns]
        best = int(among.argmin())
        if among[best] <= threshold:
            pairs[arm] = trained[best]
    return pairs
