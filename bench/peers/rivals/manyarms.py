"""manyarms itself, through its Python package."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..problem import EXPLORATION
from ..rival import Facts

FACTS = Facts(
    name="manyarms, ts x certified",
    package="manyarms",
    model="Thompson sampling, shared ridge",
    note="With the defaults. The first choices are first passes on one thread, and all figures "
    "contain them. Meanwhile a second thread sorts arms by upper bounds.",
    exact=True,
    shared_model=True,
    arms_come_and_go="yes, in bulk",
    deletes_for_real="yes",
    delayed_rewards="later, by decision or by arm",
    save_load="yes, pending decisions too",
    k_best="yes",
    eligibility="ids or a mask",
    threads="any method at any time; changes take turns",
    user_context="yes: context_dim",
    learners="yes: Population",
    probabilities="yes: propensity",
    click_models='yes: [rewards="clicks"](rewards.md)',
    forgetting="yes: [forgetting](rewards.md#forgetting-parameters-that-turn-and-drift)",
    from_pypi="no: built from a clone, on Debian",
    built="adding the arms",
    bytes_per_arm=300,
)


class Manyarms:
    policy = "ts"
    search = "certified"

    def __init__(self, dim: int, seed: int) -> None:
        import manyarms

        self.bandit = manyarms.Bandit(
            dim=dim,
            policy=self.policy,
            search=self.search,
            exploration=EXPLORATION,
            seed=seed,
        )

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.bandit.add_arms(ids, arms)

    def choose(self) -> int:
        self.decision = self.bandit.choose()
        return self.decision.arm

    def learn(self, arm: int, reward: float) -> None:
        self.bandit.learn(self.decision, reward)

    def remove(self, ids: np.ndarray) -> None:
        self.bandit.remove_arms(ids)

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.bandit.add_arms(ids, arms)


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
    model="upper confidence bound, shared ridge",
    note="With the defaults and the same exploration.",
)


class ManyarmsUcb(Manyarms):
    policy = "ucb"
