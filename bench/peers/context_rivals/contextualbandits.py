"""contextualbandits: one ridge regression per arm, with rewards 0 and 1."""

from __future__ import annotations

import numpy as np

from ..context_problem import Task
from ..problem import REGULARISATION
from ..rival import Facts

FACTS = Facts(
    name="contextualbandits LinUCB",
    package="contextualbandits",
    model="upper confidence bound, a ridge over the context per arm",
    note="Every arm gets its own model of the context with an intercept. Rewards must be 0 or "
    "1, so it is told whether the reward was positive. It uses beta_prior in place of "
    "ucb_from_empty, and a small alpha, as its documentation recommends for many arms. One "
    "zero context at set-up makes the models.",
    exact=True,
    shared_model=False,
    built="a model for each arm",
    bytes_per_arm=13_000,
)


class ContextualBandits:
    def __init__(self, task: Task) -> None:
        from contextualbandits.online import LinUCB

        self.make = LinUCB
        self.task = task

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.policy = self.make(
            nchoices=ids.copy(),
            alpha=0.1,
            lambda_=REGULARISATION,
            fit_intercept=True,
            ucb_from_empty=False,
            beta_prior="auto",
            random_state=self.task.seed,
        )
        self.policy.fit(np.zeros((1, self.task.context_dim)), ids[:1], np.zeros(1))

    def choose(self, context: np.ndarray) -> int:
        self.context = context.astype(np.float64)[np.newaxis]
        return int(self.policy.predict(self.context)[0])

    def learn(self, arm: int, reward: float) -> None:
        positive = np.array([float(reward > 0)])
        self.policy.partial_fit(self.context, np.array([arm]), positive)
