"""Who chooses in Python: by hand in NumPy, and by other libraries.

A player is made from the features of all arms. It chooses one and learns rewards.
"""

from __future__ import annotations

import typing

import numpy as np
from numpy.typing import NDArray

Features = NDArray[np.float32]


class Player(typing.Protocol):
    def choose(self) -> int: ...
    def learn(self, arm: int, reward: float) -> None: ...


class DiscountedLinUCB:
    """Russac, Vernade and Cappé, Weighted Linear Bandits for Non-Stationary
    Environments, NeurIPS 2019, Algorithm 1, with a constant in place of its radius.

    The noise of the estimate has the weights of the rewards squared, so the width
    of an arm is that of V^-1 W V^-1, where W adds up squared weights."""

    def __init__(self, features: Features, forgetting: float, exploration: float,
                 regularisation: float = 1.0) -> None:
        self.features = features.astype(np.float64)
        self.forgetting = forgetting
        self.exploration = exploration
        self.prior = regularisation * np.eye(features.shape[1])
        self.v = self.prior.copy()
        self.w = self.prior.copy()
        self.b = np.zeros(features.shape[1])

    def scores(self) -> NDArray[np.float64]:
        inverse = np.linalg.inv(self.v)
        shape = inverse @ self.w @ inverse
        squares = np.einsum("ij,ij->i", self.features @ shape, self.features)
        return self.features @ (inverse @ self.b) + self.exploration * np.sqrt(squares)

    def choose(self) -> int:
        return int(np.argmax(self.scores()))

    def learn(self, arm: int, reward: float) -> None:
        x, share = self.features[arm], self.forgetting
        outer = np.outer(x, x)
        self.v = share * self.v + outer + (1 - share) * self.prior
        self.w = share**2 * self.w + outer + (1 - share**2) * self.prior
        self.b = share * self.b + reward * x


class BayesianBandits:
    """Thompson sampling of bayesianbandits, which shares one regression among all
    arms: BayesianGLM for clicks, NormalRegressor otherwise. Its stabilised
    forgetting keeps the prior up, as that of manyarms does."""

    def __init__(self, features: Features, seed: int, *, clicks: bool,
                 forgetting: float = 1.0) -> None:
        import bayesianbandits as library

        rows = features.astype(np.float64)

        class Featurizer(library.ArmFeaturizer):  # type: ignore[misc]
            def transform(self, X: object, *, action_tokens: list[int]) -> object:
                return rows if len(action_tokens) == len(rows) else rows[action_tokens]

        rule = library.StabilizedForgetting(forgetting) if forgetting < 1 else None
        learner = (library.BayesianGLM(alpha=1.0, forgetting=rule) if clicks
                   else library.NormalRegressor(alpha=1.0, beta=1.0, forgetting=rule))
        self.agent = library.LipschitzContextualAgent(
            arms=[library.Arm(0, learner=None)], policy=library.ThompsonSampling(),
            arm_featurizer=Featurizer(), learner=learner, random_seed=seed)
        # The constructor compares each arm with all before it.
        self.agent.arms.extend(library.Arm(arm, learner=learner)
                               for arm in range(1, len(rows)))
        self.context = np.zeros((1, 1))

    def choose(self) -> int:
        (arm,) = self.agent.pull(self.context)
        return int(arm)

    def learn(self, arm: int, reward: float) -> None:
        self.agent.update(self.context, np.array([reward]))


class ContextualBandits:
    """LogisticTS or LogisticUCB of contextualbandits, which have a model for each arm
    and none of the arms' features; the context is a constant. They cannot be fitted
    to one more reward, so that each reward means fitting all anew."""

    def __init__(self, features: Features, seed: int, policy: str) -> None:
        from contextualbandits import online

        self.policy = getattr(online, policy)(
            nchoices=len(features), random_state=seed, njobs=1)
        self.arms: list[int] = []
        self.rewards: list[float] = []
        self.arms_in_all = len(features)
        self.random = np.random.default_rng(seed)

    def choose(self) -> int:
        if not self.arms:
            return int(self.random.integers(self.arms_in_all))
        return int(self.policy.predict(np.ones((1, 1)))[0])

    def learn(self, arm: int, reward: float) -> None:
        self.arms.append(arm)
        self.rewards.append(reward)
        self.policy.fit(np.ones((len(self.arms), 1)), np.array(self.arms),
                        np.array(self.rewards))
