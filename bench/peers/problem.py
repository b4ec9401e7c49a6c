"""The task for all rivals: arms with features, and one parameter to learn."""

from __future__ import annotations

import dataclasses

import numpy as np

EXPLORATION = 2.0
REGULARISATION = 1.0


@dataclasses.dataclass
class Problem:
    """Arms, their mean rewards, and the noise of every step."""

    ids: np.ndarray
    arms: np.ndarray
    taste: np.ndarray
    means: np.ndarray
    noise: np.ndarray
    best: float

    def arguments(self, step: int) -> tuple:
        """What a rival is told at this step: nothing."""
        return ()

    def gaps(self, chosen: list[int]) -> np.ndarray:
        """How much less than the best arm each choice is worth."""
        return self.best - self.means[chosen].astype(np.float64)

    def reward(self, arm: int, step: int) -> float:
        """The noise depends on the step alone, not on the rival or the arm."""
        return float(self.means[arm]) + float(self.noise[step])


def make_arms(count: int, dim: int, stream: int, seed: int) -> np.ndarray:
    """Draws arms in single precision, so that no copy adds to the peak memory."""
    generator = np.random.default_rng([seed, stream])
    return generator.standard_normal((count, dim), dtype=np.float32)


def make_problem(count: int, dim: int, steps: int, seed: int) -> Problem:
    arms = make_arms(count, dim, 0, seed)
    taste = np.random.default_rng([seed, 1]).standard_normal(dim)
    taste = taste.astype(np.float32)
    means = arms @ taste
    noise = np.random.default_rng([seed, 2]).standard_normal(steps)
    return Problem(np.arange(count), arms, taste, means, noise, float(means.max()))


def constant_context() -> np.ndarray:
    """The context for models without features of arms. One number suffices and is
    cheapest for them. It has length 1, so that an arm never tried is as uncertain as
    an arm of length 1 in the other models."""
    return np.ones((1, 1))
