"""MABWiser: one ridge regression per arm."""

from __future__ import annotations

import numpy as np

from ..context_problem import Task
from ..problem import EXPLORATION, REGULARISATION
from ..rival import Facts

FACTS = Facts(
    name="MABWiser LinTS",
    package="mabwiser",
    model="Thompson sampling, a ridge over the context per arm",
    note="Every arm gets its own model of the context, to which a constant 1 is appended. Its "
    "first fit has a zero context, which teaches nothing.",
    exact=True,
    shared_model=False,
    built="a model for each arm",
    bytes_per_arm=7_000,
)


class MabwiserTs:
    """MABWiser's alpha is the exploration."""

    def __init__(self, task: Task) -> None:
        from mabwiser.mab import MAB, LearningPolicy

        self.make = MAB
        self.learning_policy = LearningPolicy.LinTS(
            alpha=EXPLORATION, l2_lambda=REGULARISATION
        )
        self.task = task

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.bandit = self.make(ids.tolist(), self.learning_policy, seed=self.task.seed)
        self.bandit.fit([int(ids[0])], [0.0], np.zeros((1, self.task.context_dim + 1)))

    def choose(self, context: np.ndarray) -> int:
        self.context = np.append(context.astype(np.float64), 1.0)[np.newaxis]
        return self.bandit.predict(self.context)

    def learn(self, arm: int, reward: float) -> None:
        self.bandit.partial_fit([arm], [reward], self.context)
