"""A lock for adapters that several threads may use."""

from __future__ import annotations

import threading
from typing import Any


class Locked:
    """Has a lock, which copies and pickles do without: they get one of their own."""

    def __init__(self, *arguments: Any) -> None:
        """Passes arguments on to the class after it."""
        super().__init__(*arguments)
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            state = self.__dict__.copy()
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()
