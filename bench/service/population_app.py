"""FastAPI with the Python package of manyarms in the same process. Nothing is written
to a disk."""

from __future__ import annotations

from typing import Any

import common_app
import manyarms
import numpy as np


class Bandit(common_app.Bandit):
    def __init__(self, dim: int) -> None:
        self.population = manyarms.Population(dim=dim)
        self.names: list[str] = []
        # Decisions that wait for their rewards, by the number that clients know.
        self.open: dict[int, tuple[str, Any]] = {}
        self.last = 0

    def add_arms(self, names: np.ndarray, features: np.ndarray) -> None:
        self.names = [name.decode() for name in names.tolist()]
        self.population.add_arms(np.arange(len(features)), features)

    async def choose(self, learner: str) -> dict[str, Any]:
        decision = self.population.choose(learner)
        self.last += 1
        self.open[self.last] = (learner, decision.id)
        return {"learner": learner, "decision": self.last, "arm": self.names[decision.arm],
                "score": decision.score, "eligible": decision.eligible, "uniform": False}

    async def reward(self, decision: int, reward: float) -> None:
        learner, number = self.open.pop(decision)
        self.population.learn(learner, number, reward)


if __name__ == "__main__":
    common_app.run(common_app.make_app(Bandit))
