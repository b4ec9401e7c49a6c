"""The task with contexts: which arm is best depends on a vector that comes with the
choice."""

from __future__ import annotations

import dataclasses

import numpy as np

from .problem import make_arms

CONTEXT_DIM = 8
AT_ONCE = 8  # contexts whose best arms are found together


@dataclasses.dataclass(frozen=True)
class Task:
    """What a rival is told before it is made."""

    dim: int
    seed: int
    steps: int
    context_dim: int = CONTEXT_DIM

    @property
    def coefficients(self) -> int:
        return (self.context_dim + 1) * (self.dim + 1)


def with_constant(values: np.ndarray) -> np.ndarray:
    """Appends a constant 1 to a vector, or to each row."""
    ones = np.ones((*values.shape[:-1], 1), dtype=values.dtype)
    return np.concatenate([values, ones], axis=-1)


class ContextProblem:
    """The mean reward of arm x in context c is c'Mx, where c and x are followed by
    the constant 1."""

    def __init__(self, count: int, task: Task) -> None:
        seed, dim = task.seed, task.dim
        self.ids = np.arange(count)
        self.arms = make_arms(count, dim, 0, seed)
        shape = (task.context_dim + 1, dim + 1)
        # Scaled so that in a context arms differ as much as in the task without.
        matrix = np.random.default_rng([seed, 5]).standard_normal(shape)
        matrix /= np.sqrt(shape[0])
        self.contexts = np.random.default_rng([seed, 6]).standard_normal(
            (task.steps, task.context_dim), dtype=np.float32)
        directions = with_constant(self.contexts.astype(np.float64)) @ matrix
        self.directions, self.constants = directions[:, :dim], directions[:, dim]
        self.noise = np.random.default_rng([seed, 2]).standard_normal(task.steps)
        self.best = np.empty(0)  # of each step; found when they are asked for

    def arguments(self, step: int) -> tuple[np.ndarray]:
        """What a rival is told at this step."""
        return (self.contexts[step],)

    def mean(self, arm: int, step: int) -> float:
        x = self.arms[arm].astype(np.float64)
        return float(x @ self.directions[step] + self.constants[step])

    def reward(self, arm: int, step: int) -> float:
        """The noise depends on the step alone, not on the rival or the arm."""
        return self.mean(arm, step) + float(self.noise[step])

    def gaps(self, chosen: list[int]) -> np.ndarray:
        """How much less than the best arm of its context each choice is worth."""
        while len(self.best) < len(chosen):
            first = len(self.best)
            some = self.directions[first:first + AT_ONCE].astype(np.float32)
            arms = (some @ self.arms.T).argmax(axis=1)
            means = [self.mean(arm, first + i) for i, arm in enumerate(arms)]
            self.best = np.append(self.best, means)
        means = [self.mean(arm, step) for step, arm in enumerate(chosen)]
        return np.maximum(self.best[:len(chosen)] - means, 0)


def make_context_problem(count: int, dim: int, steps: int, seed: int) -> ContextProblem:
    return ContextProblem(count, Task(dim, seed, steps))
