"""Worlds to try policies in."""

from __future__ import annotations

import json
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from manyarms import _core
from manyarms._core import Bandit, Synthetic
from manyarms._reproduce import flatten

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


def simulate(
    policy: str = "ts",
    search: Any = "certified",
    exploration: Any = 2.0,
    *,
    steps: int = 20_000,
    arms: int = 3000,
    dim: int = 16,
    add: int = 2,
    remove: int = 0,
    every: int = 20,
    noise: float = 1.0,
    seed: int = 1,
    runs: int = 1,
    accuracy: float | None = None,
    regularisation: float = 1.0,
    negative_rewards: bool = False,
) -> list[dict[str, Any]]:
    """Runs a policy in synthetic worlds with seeds seed, seed + 1, ..., in C++.

    Returns a flat dict for each run, with settings, regret, seconds and latencies,
    which docs/rows.md describes, and the lists ``curve.step`` and ``curve.regret``.
    """
    rows = []
    for run in range(runs):
        line, at, regrets = _core.simulate(
            policy, search, exploration, {"accuracy": accuracy}, arms, dim, add, remove,
            every, noise, seed + run, steps, regularisation, negative_rewards,
        )
        row = flatten(json.loads(line))
        rows.append(row | {"curve.step": at, "curve.regret": regrets})
    return rows
