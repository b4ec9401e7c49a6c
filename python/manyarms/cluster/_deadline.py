"""Until when a caller waits."""

from __future__ import annotations

import time
from collections import Counter


class Deadline:
    """Is over some seconds after it was made or, if it is one for each step of a long
    work, after the last step was done."""

    def __init__(self, seconds: float, *, for_each_step: bool = False) -> None:
        self.seconds = seconds
        self._for_each_step = for_each_step
        self._end = time.monotonic() + seconds
        self.repeats: Counter[int] = Counter()  # work of each shard that was lost

    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def step_done(self) -> None:
        """Says that a step of the work is done."""
        if self._for_each_step:
            self._end = time.monotonic() + self.seconds
