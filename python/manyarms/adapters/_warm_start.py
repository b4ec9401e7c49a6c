"""Which arms MABWiser's warm_start takes for similar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np


def closest_arms(
    cold: Iterable[Any], trained: list[Any], features: Mapping[Any, Any], quantile: float
) -> dict[Any, Any]:
    """Returns the closest trained arm of each cold arm that has a close one.

    Arms are close if the cosine distance of their features is at most the quantile of
    the distances from arms to their closest arms.
    """
    arms = list(features)
    rows = np.array([features[arm] for arm in arms], dtype=float)
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
