"""A bandit as anybody would write it down with NumPy, to hold the fast one against.

Shares no code with the library: its random numbers, its posterior and its search
are all done again, slowly.
"""

from __future__ import annotations

import math

import numpy as np

MASK = 0xFFFFFFFF
SAMPLE = 5  # the role of Thompson sampling's draws


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 (Salmon et al. 2011)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        one, two = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            (two >> 32) ^ c[1] ^ k[0],
            two & MASK,
            (one >> 32) ^ c[3] ^ k[1],
            one & MASK,
        ]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def gaussians(seed: int, role: int, index: int, count: int) -> np.ndarray:
    """Box-Muller over Philox's words."""
    values = []
    for block in range((count + 1) // 2):
        w = philox(
            [index & MASK, index >> 32, role, block], [seed & MASK, seed >> 32]
        )
        first, second = w[0] | w[1] << 32, w[2] | w[3] << 32
        radius = math.sqrt(-2 * math.log(((first >> 11) + 1) * 2.0**-53))
        angle = 2 * math.pi * ((second >> 11) + 1) * 2.0**-53
        values += [radius * math.cos(angle), radius * math.sin(angle)]
    return np.array(values[:count])


class SlowBandit:
    """ts and ucb over a dict of arms; with contexts, a regression on all products of a
    value of the context and a feature."""

    def __init__(self, dim: int, policy: str, exploration: float, seed: int,
                 context_dim: int = 0, context_constants: bool = True) -> None:
        self.policy, self.exploration, self.seed = policy, exploration, seed
        self.constants = np.ones(1 if context_dim > 0 and context_constants else 0)
        self.arms: dict[int, np.ndarray] = {}
        self.decisions: dict[int, np.ndarray] = {}  # pending: their products
        self.made = 0
        self.draws = 0
        constants = len(self.constants)
        self.size = (context_dim + constants) * (dim + constants) if context_dim else dim
        self.v = np.eye(self.size)
        self.b = np.zeros(self.size)

    def products(self, x: np.ndarray, context: np.ndarray | None) -> np.ndarray:
        if context is None:
            return x.astype(float)
        c = np.concatenate([context, self.constants]).astype(float)
        return np.outer(c, np.concatenate([x, self.constants])).ravel()

    def observe(self, x: np.ndarray, reward: float,
                context: np.ndarray | None = None) -> None:
        self.observe_products(self.products(x, context), reward)

    def observe_products(self, z: np.ndarray, reward: float) -> None:
        self.v += np.outer(z, z)
        self.b += reward * z

    def mean(self) -> np.ndarray:
        return np.linalg.solve(self.v, self.b)

    def predict(self, x: np.ndarray, context: np.ndarray | None = None) -> float:
        return float(self.products(x, context) @ self.mean())

    def uncertainty(self, x: np.ndarray, context: np.ndarray | None = None) -> float:
        z = self.products(x, context)
        return self.exploration * math.sqrt(z @ np.linalg.solve(self.v, z))

    def scores(self, context: np.ndarray | None = None) -> dict[int, float]:
        """Of one draw, for all arms."""
        rows = {arm: self.products(x, context) for arm, x in self.arms.items()}
        if self.policy == "ucb":
            mean, inverse = self.mean(), np.linalg.inv(self.v)
            return {
                arm: float(z @ mean + self.exploration * math.sqrt(z @ inverse @ z))
                for arm, z in rows.items()
            }
        xi = gaussians(self.seed, SAMPLE, self.draws, self.size)
        self.draws += 1
        lower = np.linalg.cholesky(self.v)
        theta = self.mean() + self.exploration * np.linalg.solve(lower.T, xi)
        return {arm: float(z @ theta) for arm, z in rows.items()}

    def decide(self, arm: int, context: np.ndarray | None = None) -> int:
        self.made += 1
        self.decisions[self.made] = self.products(self.arms[arm], context)
        return self.made

    def learn(self, decision: int, reward: float) -> None:
        self.observe_products(self.decisions.pop(decision), reward)


def ranking(scores: dict[int, float], eligible: set[int] | None = None) -> list[int]:
    """Best first; equal ones by the smaller id."""
    arms = [arm for arm in scores if eligible is None or arm in eligible]
    return sorted(arms, key=lambda arm: (-scores[arm], arm))
