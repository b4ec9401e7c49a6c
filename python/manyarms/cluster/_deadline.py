"""Until when a caller waits."""

from __future__ import annotations

import time


class Deadline:
    """Is over some seconds after it was made, or after somebody last answered."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def renew(self) -> None:
        """Begins again, for work of many steps."""
        self._end = time.monotonic() + self.seconds
