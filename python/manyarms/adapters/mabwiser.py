"""An adapter for code written for MABWiser (github.com/fidelity/mabwiser).

    from manyarms.adapters.mabwiser import MAB, LearningPolicy
    mab = MAB(arms, LearningPolicy.LinUCB(alpha=1.25), features)
    mab.fit(decisions, rewards)
    arm = mab.predict()
    mab.partial_fit([arm], [reward])

MABWiser has a ridge regression over contexts for each arm. This class has a single
one over the features of all arms, so that a reward of one arm also teaches about the
others. With one-hot features here and the context [1] there, both are the same
model, and LinUCB and LinGreedy make the same decisions, except for arms without any
reward if l2_lambda is not 1: there MABWiser starts with the inverse of the value in
its formula.
"""

from __future__ import annotations

import copy
import random
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from manyarms._core import Bandit
from manyarms._types import Ids
from manyarms.adapters._locked import Locked

__all__ = ["MAB", "LearningPolicy"]


class LearningPolicy:
    """MABWiser's linear policies, with its names and defaults."""

    class LinGreedy(NamedTuple):
        """Chooses the best mean reward, or with probability epsilon a random arm."""

        epsilon: float = 0.1
        l2_lambda: float = 1.0

    class LinTS(NamedTuple):
        """Thompson sampling; alpha is manyarms' exploration."""

        alpha: float = 1.0
        l2_lambda: float = 1.0

    class LinUCB(NamedTuple):
        """Chooses the best upper bound; alpha is manyarms' exploration."""

        alpha: float = 1.0
        l2_lambda: float = 1.0


class MAB(Locked):
    """MABWiser's MAB over arms with features.

    arms: ints or strings.
    learning_policy: LinGreedy, LinTS or LinUCB, from here or from MABWiser.
    features: a row for each arm.
    seed: the same seed makes the same predictions.

    ``bandit`` is the manyarms.Bandit inside; fit replaces it. Of arms with equal
    scores, the smallest int wins, or the string that was added first. Any thread
    may call any method at any time.
    """

    def __init__(
        self, arms: Ids, learning_policy: Any, features: ArrayLike, seed: int = 123456
    ) -> None:
        super().__init__()
        if features is None:  # MABWiser has its neighborhood_policy in this place
            raise TypeError("features must be a row of numbers for each arm, not None")
        rows = np.atleast_2d(np.asarray(features, dtype=np.float32))
        self.learning_policy = learning_policy
        self._epsilon = float(getattr(learning_policy, "epsilon", 0.0))
        self._random = random.Random(seed)
        # Has the same arms and never learns; fit starts from a copy of it.
        self._untaught = _bandit(learning_policy, rows.shape[1], seed)
        self._untaught.add_arms(arms, rows)
        self.bandit = copy.deepcopy(self._untaught)

    @property
    def arms(self) -> list[Any]:
        """All arms, in an order that changes only when arms are added or removed."""
        return _arms(self.bandit)

    def add_arm(self, arm: int | str, features: ArrayLike) -> None:
        """Adds an arm, which needs features, unlike in MABWiser."""
        row = np.asarray(features, dtype=np.float32).reshape(1, -1)
        ids: Any = [arm]
        with self._lock:
            self.bandit.add_arms(ids, row)
            self._untaught.add_arms(ids, row)

    def remove_arm(self, arm: int | str) -> None:
        """Removes an arm, but keeps what was learned from its rewards."""
        ids: Any = [arm]
        with self._lock:
            self.bandit.remove_arms(ids)
            self._untaught.remove_arms(ids)

    def fit(self, decisions: Ids, rewards: Any, contexts: Any = None) -> None:
        """Forgets all earlier rewards and learns these rewards of the arms played."""
        _refuse(contexts)
        with self._lock:
            if len(self._untaught) > 0:  # so that LinTS makes new draws after each fit
                self._untaught.dismiss(self._untaught.choose())
            bandit = copy.deepcopy(self._untaught)
            bandit.observe_many(decisions, rewards)
            self.bandit = bandit

    def partial_fit(self, decisions: Ids, rewards: Any, contexts: Any = None) -> None:
        """Learns these rewards in addition to earlier ones."""
        _refuse(contexts)
        with self._lock:  # not into a bandit that fit is about to replace
            self.bandit.observe_many(decisions, rewards)

    def predict(self, contexts: Any = None) -> Any:
        """Returns the arm to play."""
        _refuse(contexts)
        bandit = self.bandit  # fit may replace it meanwhile
        if self._epsilon > 0 and self._random.random() < self._epsilon:
            return self._random.choice(_arms(bandit))
        decision = bandit.choose()
        bandit.dismiss(decision)  # its reward comes by partial_fit
        return decision.arm

    def predict_expectations(self, contexts: Any = None) -> dict[Any, float]:
        """Returns each arm's mean (LinGreedy), upper bound (LinUCB) or draw (LinTS)."""
        _refuse(contexts)
        with self._lock:  # so that no arm comes or goes
            bandit = self.bandit
            decisions = bandit.choose_many(len(bandit))
            for decision in decisions:
                bandit.dismiss(decision)
            scores = {decision.arm: decision.score for decision in decisions}
            return {arm: scores[arm] for arm in _arms(bandit)}


def _arms(bandit: Bandit) -> list[Any]:
    ids = bandit.ids
    return ids if isinstance(ids, list) else ids.tolist()


def _refuse(contexts: Any) -> None:
    if contexts is not None:
        raise ValueError(
            "contexts cannot be used: here features belong to arms, not to rounds. "
            "Give each arm its features when it is added, and call without contexts"
        )


def _bandit(learning_policy: Any, dim: int, seed: int) -> Bandit:
    name = type(learning_policy).__name__
    if name not in ("LinGreedy", "LinTS", "LinUCB"):
        raise TypeError(
            "learning_policy must be LearningPolicy.LinGreedy(...), LinTS(...) or "
            f"LinUCB(...), not {name}"
        )
    if getattr(learning_policy, "scale", False):
        raise ValueError("scale=True cannot be used: scale the arms' features beforehand")
    policy: Literal["ts", "ucb"] = "ts" if name == "LinTS" else "ucb"  # greedy is ucb without exploration
    alpha = float(getattr(learning_policy, "alpha", 0.0))
    if name == "LinTS" and not alpha > 0:
        raise ValueError(f"alpha of LinTS is {alpha}, must be greater than 0")
    epsilon = float(getattr(learning_policy, "epsilon", 0.0))
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon is {epsilon}, must be from 0 to 1")
    penalty = float(learning_policy.l2_lambda)
    return Bandit(
        dim,
        policy,
        exploration=alpha,
        regularisation=penalty,
        seed=seed,
        max_pending=2**31,  # predict_expectations chooses all arms at once
    )
