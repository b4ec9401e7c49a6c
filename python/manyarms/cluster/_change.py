"""A change of arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from manyarms.cluster._buckets import Ids

Features = NDArray[np.float32]


@dataclass(frozen=True)
class Change:
    """Arms that are added, removed, or get new features."""

    kind: Literal["add", "remove", "update"]
    ids: Ids
    features: Features  # a row for each id; rows without values for "remove"

    def part(self, chosen: NDArray[np.bool_]) -> Change:
        """The change of some of its arms."""
        return Change(self.kind, self.ids[chosen], self.features[chosen])
