"""MABWiser: one ridge regression per arm."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..problem import EXPLORATION, REGULARISATION, constant_context
from ..rival import Facts

FACTS = Facts(
    name="MABWiser LinTS",
    package="mabwiser",
    model="Thompson sampling, one ridge per arm",
    note="It has no features of arms: every arm gets its own model of a constant "
    "context of one number. Its first fit has a zero context, which teaches nothing.",
    exact=True,
    shared_model=False,
    arms_come_and_go="add and remove",
    deletes_for_real="yes",
    delayed_rewards="later, by arm and context",
    save_load="pickle",
    k_best="expectations of all arms",
    eligibility="no",
    user_context="yes",
    learners="a bandit for each, with arms of its own",
    probabilities="no",
    click_models="no; 0 and 1 by ThompsonSampling among similar contexts",
    forgetting="no",
    from_pypi="wheels",
    built="a model for each arm",
    bytes_per_arm=4_000,
)


class MabwiserTs:
    """MABWiser's alpha is the exploration."""

    policy = "LinTS"

    def __init__(self, dim: int, seed: int) -> None:
        from mabwiser.mab import MAB, LearningPolicy

        self.make = MAB
        self.learning_policy = getattr(LearningPolicy, self.policy)(
            alpha=EXPLORATION, l2_lambda=REGULARISATION
        )
        self.context = constant_context()
        self.seed = seed

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.bandit = self.make(ids.tolist(), self.learning_policy, seed=self.seed)
        self.bandit.fit([int(ids[0])], [0.0], np.zeros_like(self.context))

    def choose(self) -> int:
        return self.bandit.predict(self.context)

    def learn(self, arm: int, reward: float) -> None:
        self.bandit.partial_fit([arm], [reward], self.context)

    def remove(self, ids: np.ndarray) -> None:
        for arm in ids.tolist():
            self.bandit.remove_arm(arm)

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        for arm in ids.tolist():
            self.bandit.add_arm(arm)


UCB_FACTS = dataclasses.replace(
    FACTS, name="MABWiser LinUCB", model="upper confidence bound, one ridge per arm"
)


class MabwiserUcb(MabwiserTs):
    policy = "LinUCB"
