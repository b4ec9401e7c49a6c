"""The adapter as river's tests make policies: from parameters of its class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import manyarms
from manyarms.adapters import river


class Policy(river.Policy):
    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        """As many arms as the largest of river's environments has."""
        for policy in ("ts", "ucb"):
            bandit = manyarms.Bandit(100, policy, exploration=1.0)  # type: ignore[arg-type]
            bandit.add_arms(range(100), np.eye(100))
            yield {"bandit": bandit}


def take_out_others(items: list[Any]) -> list[Any]:
    """Leaves the tests of our policy, also those that river skips as flaky."""
    others = []
    for item in list(items):
        if _is_ours(item):
            item.own_markers = [mark for mark in item.own_markers if mark.name != "skip"]
        else:
            items.remove(item)
            others.append(item)
    return others


def _is_ours(item: Any) -> bool:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return isinstance(params.get("policy"), Policy)
