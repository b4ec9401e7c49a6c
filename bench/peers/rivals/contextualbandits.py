"""contextualbandits: one ridge regression per arm, with rewards 0 and 1."""

from __future__ import annotations

import numpy as np

from ..problem import REGULARISATION, constant_context
from ..rival import Facts

FACTS = Facts(
    name="contextualbandits LinUCB",
    package="contextualbandits",
    model="upper confidence bound, one ridge per arm",
    note="It has no features of arms: every arm gets its own model of a constant "
    "context of one number. Rewards must be 0 or 1, so it is told whether the reward "
    "was positive. It uses beta_prior in place of ucb_from_empty, and a small alpha, as its "
    "documentation recommends for many arms. One zero context at set-up makes the models.",
    exact=True,
    shared_model=False,
    arms_come_and_go="add and drop",
    deletes_for_real="yes",
    delayed_rewards="later, by arm and context",
    save_load="pickle",
    k_best="yes",
    user_context="yes",
    learners="a policy for each, with arms of its own",
    probabilities="no: scores; evaluates logs by given probabilities",
    click_models="yes: LogisticUCB, LogisticTS",
    forgetting="no",
    from_pypi="source only: needs a compiler",
    built="a model for each arm",
    bytes_per_arm=12_000,
)


class ContextualBandits:
    """Arms have names, because positions would change when others are dropped."""

    def __init__(self, dim: int, seed: int) -> None:
        from contextualbandits.online import LinUCB

        self.make = LinUCB
        self.context = constant_context()
        self.seed = seed

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.policy = self.make(
            nchoices=ids.copy(),
            alpha=0.1,
            lambda_=REGULARISATION,
            fit_intercept=False,
            ucb_from_empty=False,
            beta_prior="auto",
            random_state=self.seed,
        )
        self.policy.fit(np.zeros_like(self.context), ids[:1], np.zeros(1))

    def choose(self) -> int:
        return int(self.policy.predict(self.context)[0])

    def learn(self, arm: int, reward: float) -> None:
        positive = np.array([float(reward > 0)])
        self.policy.partial_fit(self.context, np.array([arm]), positive)

    def remove(self, ids: np.ndarray) -> None:
        for arm in ids:  # drop_arm takes NumPy integers as names, Python's as positions
            self.policy.drop_arm(arm)

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        for arm in ids:
            self.policy.add_arm(arm)
