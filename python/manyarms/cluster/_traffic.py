"""Counts messages between a bandit and its shards."""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

import numpy as np


class Traffic:
    """Messages of each kind, which are calls and their answers, and their bytes."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[str, int]] = defaultdict(
            lambda: {"messages": 0, "sent_bytes": 0, "received_bytes": 0})

        self._lock = threading.Lock()

    def sent(self, kind: str, given: tuple[Any, ...]) -> None:
        size = sum(map(_size, given))
        with self._lock:
            self._kinds[kind]["messages"] += 1
            self._kinds[kind]["sent_bytes"] += size

    def received(self, kind: str, answer: Any) -> None:
        size = _size(answer)
        with self._lock:
            self._kinds[kind]["received_bytes"] += size

    def counts(self) -> dict[str, dict[str, int]]:
        """By kind."""
        return {kind: dict(count) for kind, count in sorted(self._kinds.items())}


def _size(value: Any) -> int:
    """The bytes of the arms, questions and answers in a value; its frame is not counted."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, bytes):
        return len(value)
    parts = getattr(value, "__dict__", None)
    return sum(map(_size, parts.values())) if parts else 0
