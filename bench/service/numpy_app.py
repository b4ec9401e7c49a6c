"""FastAPI with linear Thompson sampling by hand in NumPy: for each learner ridge
regression by rank-one updates, and a scan of all arms in single precision.

Choices that wait at the same time share one pass over the arms: products of blocks of
arms with the draws of all of them, on all processors, which is several times faster
than one after the other. Nothing is written to a disk.
"""

from __future__ import annotations

import os

# Blocks are small: a thread for each processor takes its own ones.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import asyncio  # noqa: E402
import concurrent.futures  # noqa: E402
from typing import Any  # noqa: E402

import common_app  # noqa: E402
import numpy as np  # noqa: E402

BLOCK = 4096  # arms, whose scores stay in the cache
THREADS = os.cpu_count() or 1
EXPLORATION = 1.0


class Learner:
    def __init__(self, dim: int) -> None:
        self.inverse = np.eye(dim)
        self.sum = np.zeros(dim)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        root = np.linalg.cholesky(self.inverse)
        return self.inverse @ self.sum + EXPLORATION * (root @ rng.standard_normal(len(self.sum)))

    def learn(self, x: np.ndarray, reward: float) -> None:
        v = self.inverse @ x
        self.inverse -= np.outer(v, v) / (1 + x @ v)
        self.sum += reward * x


class Bandit(common_app.Bandit):
    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.rng = np.random.default_rng(1)
        self.learners: dict[str, Learner] = {}
        self.open: dict[int, tuple[str, int]] = {}
        self.last = 0
        self.waiting: list[tuple[str, asyncio.Future[tuple[int, float]]]] = []
        self.busy = False
        self.threads = concurrent.futures.ThreadPoolExecutor(THREADS)

    def add_arms(self, names: np.ndarray, features: np.ndarray) -> None:
        self.names = [name.decode() for name in names.tolist()]
        self.features = np.ascontiguousarray(features, dtype=np.float32)

    async def choose(self, learner: str) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[tuple[int, float]] = loop.create_future()
        self.waiting.append((learner, future))
        if not self.busy:
            self.busy = True
            # Requests that have arrived are read before this runs.
            loop.call_later(0.0005, lambda: loop.create_task(self._choose_all()))
        arm, score = await future
        self.last += 1
        self.open[self.last] = (learner, arm)
        return {"learner": learner, "decision": self.last, "arm": self.names[arm],
                "score": score, "eligible": len(self.names), "uniform": False}

    async def _choose_all(self) -> None:
        while self.waiting:
            waiting, self.waiting = self.waiting, []
            draws = np.stack([self._learner(learner).draw(self.rng) for learner, _ in waiting])
            arms, scores = await self._best(draws.astype(np.float32))
            for (_, future), arm, score in zip(waiting, arms.tolist(), scores.tolist()):
                if not future.cancelled():
                    future.set_result((arm, score))
            await asyncio.sleep(0)  # answers are sent, and requests read
        self.busy = False

    async def _best(self, draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        loop = asyncio.get_running_loop()
        parts = np.linspace(0, len(self.features), THREADS + 1).astype(int)
        found = await asyncio.gather(*(
            loop.run_in_executor(self.threads, self._best_of, draws, begin, end)
            for begin, end in zip(parts[:-1], parts[1:])))
        arms, scores = (np.stack(column) for column in zip(*found))
        best = scores.argmax(axis=0)
        columns = np.arange(len(draws))
        return arms[best, columns], scores[best, columns]

    def _best_of(self, draws: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        best = np.full(len(draws), -np.inf, dtype=np.float32)
        arms = np.zeros(len(draws), dtype=np.int64)
        rows = np.arange(len(draws))
        for begin in range(first, last, BLOCK):
            scores = draws @ self.features[begin:min(begin + BLOCK, last)].T
            places = scores.argmax(axis=1)
            values = scores[rows, places]
            better = values > best
            best[better] = values[better]
            arms[better] = begin + places[better]
        return arms, best

    def _learner(self, name: str) -> Learner:
        learner = self.learners.get(name)
        if learner is None:
            learner = self.learners[name] = Learner(self.dim)
        return learner

    async def reward(self, decision: int, reward: float) -> None:
        learner, arm = self.open.pop(decision)
        self.learners[learner].learn(self.features[arm].astype(np.float64), reward)


if __name__ == "__main__":
    common_app.run(common_app.make_app(Bandit))
