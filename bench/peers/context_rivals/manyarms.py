"""manyarms itself, through its Python package."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..context_problem import Task
from ..problem import EXPLORATION
from ..rival import Facts

FACTS = Facts(
    name="manyarms, ts x certified",
    package="manyarms",
    model="Thompson sampling, c'Mx",
    note="With the defaults and `context_dim=8`. No context occurs twice here, so that every "
    "choice is a first pass on one thread.",
    exact=True,
    shared_model=True,
    built="adding the arms",
    bytes_per_arm=300,
)


class Manyarms:
    policy = "ts"
    search = "certified"

    def __init__(self, task: Task) -> None:
        import manyarms

        self.bandit = manyarms.Bandit(
            dim=task.dim,
            context_dim=task.context_dim,
            policy=self.policy,
            search=self.search,
            exploration=EXPLORATION,
            seed=task.seed,
        )

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.bandit.add_arms(ids, arms)

    def choose(self, context: np.ndarray) -> int:
        self.decision = self.bandit.choose(context=context)
        return self.decision.arm

    def learn(self, arm: int, reward: float) -> None:
        self.bandit.learn(self.decision, reward)


SCAN_FACTS = dataclasses.replace(
    FACTS,
    name="manyarms, ts x scan",
    note="The same decisions, but every choice scores every arm.",
)


class ManyarmsScan(Manyarms):
    search = "scan"


UCB_FACTS = dataclasses.replace(
    FACTS,
    name="manyarms, ucb x certified",
    model="upper confidence bound, c'Mx",
    note="With the defaults and the same exploration.",
)


class ManyarmsUcb(Manyarms):
    policy = "ucb"
