"""A survey of all shards that is under way."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import ray
from ray.exceptions import RayError


class Survey:
    """Waits for answers without anybody waiting.

    ``over`` becomes true when all shards have answered or failed; to look at it costs
    a choice nothing.
    """

    def __init__(self, refs: Sequence[Any]) -> None:
        self.over = False
        self._refs = list(refs)
        self._left = len(self._refs)
        self._lock = threading.Lock()
        for ref in self._refs:
            ref.future().add_done_callback(self._one_is_done)

    def answers(self) -> list[bytes] | None:
        """What the shards have answered, in order; None if one of them has failed."""
        try:
            return list(ray.get(self._refs))
        except RayError:
            return None

    def _one_is_done(self, _: Any) -> None:
        with self._lock:
            self._left -= 1
            self.over = self._left == 0
