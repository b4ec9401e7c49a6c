"""Worlds to try policies in."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manyarms._core import Bandit, Synthetic, simulate

__all__ = ["Environment", "Synthetic", "play", "simulate"]


class Environment(Protocol):
    """A world of arms 0, 1, 2, ... that are added and removed; Synthetic is one."""

    @property
    def dim(self) -> int: ...
    @property
    def arms_at_start(self) -> int: ...
    def features(self, ids: Any, /) -> NDArray[np.float32]: ...
    def advance(self) -> tuple[list[int], list[int]]: ...
    def reward(self, arm: int, /) -> float: ...
    def regret(self, arm: int, /) -> float: ...


def play(bandit: Bandit, world: Environment, steps: int) -> list[dict[str, Any]]:
    """Lets a bandit without arms play in a world, and returns a dict for each step.

    The keys are step, arm, reward and regret; regret is the sum so far. For millions
    of steps, ``simulate`` is faster, because it runs in C++.
    """
    if len(bandit) > 0:
        raise ValueError(f"the bandit has {len(bandit)} arms already, but must have none")
    start = range(world.arms_at_start)
    bandit.add_arms(start, world.features(start))
    rows: list[dict[str, Any]] = []
    regret = 0.0
    for step in range(1, steps + 1):
        added, removed = world.advance()
        if removed:
            bandit.remove_arms(removed)
        if added:
            bandit.add_arms(added, world.features(added))
        decision = bandit.choose()
        arm = int(decision.arm)
        reward = world.reward(arm)
        bandit.learn(decision, reward)
        regret += world.regret(arm)
        rows.append({"step": step, "arm": arm, "reward": reward, "regret": regret})
    return rows
