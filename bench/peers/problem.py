"""The task that is set to everybody: one taste to learn, arms with features."""

from __future__ import annotations

import dataclasses

import numpy as np

EXPLORATION = 2.0
REGULARISATION = 1.0


@dataclasses.dataclass
class Problem:
    """Arms, what they are worth, and the noise of every step."""

    ids: np.ndarray
    arms: np.ndarray
    taste: np.ndarray
    means: np.ndarray
    noise: np.ndarray
    best: float

    def reward(self, arm: int, step: int) -> float:
        """The noise of a step is the same whoever chooses, and whatever."""
        return float(self.means[arm]) + float(self.noise[step])


def make_arms(count: int, dim: int, stream: int, seed: int) -> np.ndarray:
    """Made in single precision from the start: no copy swells the peak memory."""
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
    """For models without features of arms. One number is enough, and cheapest for
    them; of unit length, so that an arm never tried has the same uncertainty as an
    arm of unit length here."""
    return np.ones((1, 1))
