"""An adapter for code written for MABWiser (github.com/fidelity/mabwiser).

    from manyarms.adapters.mabwiser import MAB, LearningPolicy
    mab = MAB(arms, LearningPolicy.LinUCB(alpha=1.25), features)
    mab.fit(decisions, rewards, contexts)
    arm = mab.predict([context])
    mab.partial_fit([arm], [reward], [context])

With features of arms there is one model for all arms, so that a reward of one arm
also teaches about the others. If contexts are given, too, the model is bilinear in
both. Without features there is a ridge regression of the context for each arm, as in
MABWiser, and expectations are MABWiser's, except for arms without any reward if
l2_lambda is not 1: there MABWiser starts with the inverse of the value in its formula.
"""

from __future__ import annotations

import contextlib
import copy
import random
import sys
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple

import numpy as np

from manyarms._core import Bandit
from manyarms._types import Ids
from manyarms.adapters._arm_labels import as_list
from manyarms.adapters._locked import Locked
from manyarms.adapters._mabwiser_models import (
    Contexts,
    Model,
    SeparateModels,
    Settings,
    SharedModel,
)
from manyarms.adapters._numbers import as_numbers
from manyarms.adapters._warm_start import closest_arms
from manyarms.errors import InvalidArgumentError, UnsupportedError

__all__ = ["MAB", "LearningPolicy"]


class LearningPolicy:
    """MABWiser's linear policies, with its names and defaults.

    scale standardises contexts by those that an arm's rewards came with, separately
    for each arm. It is for arms without features.
    """

    class LinGreedy(NamedTuple):
        """Chooses the best mean reward, or with probability epsilon a random arm."""

        epsilon: float = 0.1
        l2_lambda: float = 1.0
        scale: bool = False

    class LinTS(NamedTuple):
        """Thompson sampling; alpha is manyarms' exploration."""

        alpha: float = 1.0
        l2_lambda: float = 1.0
        scale: bool = False

    class LinUCB(NamedTuple):
        """Chooses the best upper bound; alpha is manyarms' exploration."""

        alpha: float = 1.0
        l2_lambda: float = 1.0
        scale: bool = False


class MAB(Locked):
    """MABWiser's MAB.

    arms: ints, strings or other hashable objects such as dates.
    learning_policy: LinGreedy, LinTS or LinUCB, from here or from MABWiser.
    features: a row for each arm. None: arms have no features but a model each, and
        contexts are needed. (MABWiser has its neighborhood_policy in this place.)
    seed: the same seed makes the same predictions.
    n_jobs, backend: accepted for MABWiser's sake, without effect.
    context_constants: whether arms and contexts have effects of their own; with
        features only (manyarms.Bandit explains it).

    Contexts are given to all calls or to none: fit decides. Of arms with equal
    scores, the first wins; with features, the smallest int or the string that was
    added first. Any thread may call any method at any time.
    """

    def __init__(
        self,
        arms: Ids | list[Any],
        learning_policy: Any,
        features: Any = None,
        seed: int = 123456,
        n_jobs: int = 1,
        backend: str | None = None,
        *,
        context_constants: bool = True,
    ) -> None:
        super().__init__()
        _check(arms, features, seed, n_jobs, backend)
        settings = _settings(learning_policy)
        self.learning_policy = learning_policy
        self.seed = seed
        self.n_jobs = n_jobs
        self.backend = backend
        self._epsilon = float(getattr(learning_policy, "epsilon", 0.0))
        self._random = random.Random(seed)
        self._model: Model
        if features is None:
            self._model = SeparateModels(settings, arms)
        else:
            self._model = SharedModel(settings, arms, features, context_constants, seed)
        self._has_features = features is not None
        self._fitted = False
        self._taught: set[Any] = set()
        self._warmed: dict[Any, Any] = {}  # from an arm to that from which it was warmed
        _enter_simulator()

    @property
    def bandit(self) -> Bandit | None:
        """The manyarms.Bandit inside, which fit replaces; None without features."""
        return self._model.bandit if isinstance(self._model, SharedModel) else None

    @property
    def arms(self) -> list[Any]:
        """All arms, in an order that changes only when arms are added or removed."""
        with self._lock:
            return self._model.arms

    @property
    def cold_arms(self) -> list[Any]:
        """Arms that have no rewards and were not warm-started."""
        with self._lock:
            return [
                arm
                for arm in self._model.arms
                if arm not in self._taught and arm not in self._warmed
            ]

    @property
    def is_contextual(self) -> bool:
        """Whether calls need contexts: always without features, else if fit had them."""
        return not self._has_features or self._model.context_dim > 0

    def add_arm(self, arm: Any, features: Any = None) -> None:
        """Adds an arm, with features if the others have them."""
        with self._lock:
            self._model.add(arm, features)

    def remove_arm(self, arm: Any) -> None:
        """Removes an arm. With features, what its rewards taught is kept."""
        with self._lock:
            self._model.remove(arm)
            self._taught.discard(arm)
            self._warmed.pop(arm, None)

    def fit(self, decisions: Any, rewards: Any, contexts: Any = None) -> None:
        """Forgets all earlier rewards and learns these rewards of the arms played."""
        with self._lock:
            rows = self._contexts_of_rewards(decisions, rewards, contexts)
            dim = 0 if rows is None else rows.shape[1]
            # With a new seed, LinTS makes new draws after each fit. It is taken from a
            # copy, so that a fit that fails changes no later draw.
            model = self._model.begin_again(dim, copy.copy(self._random).getrandbits(64))
            model.observe(decisions, rewards, rows)
            self._random.getrandbits(64)
            self._model = model
            self._fitted = True
            self._taught = set(as_list(decisions))
            self._warmed = {}

    def partial_fit(self, decisions: Any, rewards: Any, contexts: Any = None) -> None:
        """Learns these rewards in addition to earlier ones."""
        with self._lock:  # not into a model that fit is about to replace
            if contexts is not None and not self._fitted:
                self.fit(decisions, rewards, contexts)
                return
            rows = self._contexts_of_rewards(decisions, rewards, contexts)
            _check_width(self._model, rows)
            self._model.observe(decisions, rewards, rows)
            self._fitted = True
            self._taught.update(as_list(decisions))

    def predict(self, contexts: Any = None) -> Any:
        """Returns the arm to play; with several contexts, a list of arms."""
        with self._access():
            model = self._model  # fit may replace it meanwhile
            rows = self._contexts_to_predict(model, contexts)
            if self._epsilon == 0:
                chosen = model.best(rows)
            else:
                chosen = self._mostly_best(model, rows)
        return chosen[0] if len(chosen) == 1 else chosen

    def predict_expectations(self, contexts: Any = None) -> Any:
        """Returns each arm's mean (LinGreedy), upper bound (LinUCB) or draw (LinTS).

        With several contexts, a list of dicts.
        """
        with self._lock:  # so that no arm comes or goes
            rows = self._contexts_to_predict(self._model, contexts)
            expected = self._model.expectations(rows)
        return expected[0] if len(expected) == 1 else expected

    def warm_start(self, arm_to_features: dict[Any, Any], distance_quantile: float) -> None:
        """Lets cold arms know what the closest arm with rewards knows.

        arm_to_features: a row of numbers for each arm, by which arms are close.
        distance_quantile: which part of the arms is close enough, from 0 to 1.

        For arms without features only.
        """
        if not isinstance(arm_to_features, dict):
            raise TypeError("arm_to_features must be a dict from arms to rows of numbers")
        if not isinstance(distance_quantile, float):
            raise TypeError("distance_quantile must be a float")
        if not 0 <= distance_quantile <= 1:
            raise InvalidArgumentError(
                f"distance_quantile is {distance_quantile}, must be from 0 to 1"
            )
        with self._lock:
            arms = self._model.arms
            if set(arms) != set(arm_to_features):
                raise InvalidArgumentError("arm_to_features must have exactly the arms there are")
            if not isinstance(self._model, SeparateModels):
                raise UnsupportedError(
                    "warm_start is for arms without features: with features, an arm "
                    "without rewards knows from the start what similar arms have taught"
                )
            if not self._fitted:
                raise InvalidArgumentError("nothing was fitted yet: call fit before warm_start")
            trained = [arm for arm in arms if arm in self._taught]
            pairs = closest_arms(self.cold_arms, trained, arm_to_features, distance_quantile)
            for cold, warm in pairs.items():
                self._model.copy_arm(warm, cold)
            self._warmed.update(pairs)

    # What MABWiser's Simulator asks of a bandit beside the above.
    @property
    def _imp(self) -> MAB:
        return self

    @property
    def arm_to_expectation(self) -> dict[Any, float]:
        """The expectations without contexts."""
        return dict(self.predict_expectations())

    def _access(self) -> AbstractContextManager[Any]:
        return self._lock if self._model.one_at_a_time else contextlib.nullcontext()

    def _mostly_best(self, model: Model, rows: Contexts | None) -> list[Any]:
        chosen = []
        for row in [None] if rows is None else rows:
            if self._random.random() < self._epsilon:
                chosen.append(self._random.choice(model.arms))
            else:
                chosen += model.best(None if row is None else row[None, :])
        return chosen

    def _contexts_of_rewards(self, decisions: Any, rewards: Any, contexts: Any) -> Contexts | None:
        if isinstance(decisions, (str, bytes)) or not hasattr(decisions, "__len__"):
            raise TypeError(
                f"decisions must be a list, array or column, not {type(decisions).__name__}"
            )
        if len(decisions) != len(rewards):
            raise InvalidArgumentError(
                f"{len(decisions)} decisions have {len(rewards)} rewards, must be as many"
            )
        if contexts is None:
            if not self._has_features:
                raise TypeError("arms without features need contexts, but contexts is None")
            return None
        rows = _rows(contexts, as_one=len(decisions) == 1)
        if len(rows) != len(decisions):
            raise InvalidArgumentError(
                f"{len(decisions)} decisions have {len(rows)} contexts, must be as many"
            )
        return rows

    def _contexts_to_predict(self, model: Model, contexts: Any) -> Contexts | None:
        if not self._has_features and model.context_dim == 0:
            raise InvalidArgumentError("nothing was fitted yet: call fit before predictions")
        if contexts is None:
            if not self._has_features or model.context_dim > 0:
                raise InvalidArgumentError("contexts is None, must have a row for each prediction")
            return None
        rows = _rows(contexts, as_one=model.context_dim != 1)
        _check_width(model, rows)
        return rows


def _check_width(model: Model, rows: Contexts | None) -> None:
    given = 0 if rows is None else rows.shape[1]
    if given != model.context_dim:
        raise InvalidArgumentError(
            f"contexts have {given} values, must have {model.context_dim} as in fit"
        )


def _rows(contexts: Any, as_one: bool) -> Contexts:
    """Contexts as rows. Of a column, as pandas has it, as_one makes a single row."""
    rows = as_numbers(contexts, "contexts")
    if rows.ndim == 1 and hasattr(contexts, "to_numpy"):
        rows = rows.reshape(1, -1) if as_one else rows.reshape(-1, 1)
    if rows.ndim != 2:
        raise TypeError(f"contexts must have two dimensions, these have {rows.ndim}")
    return np.ascontiguousarray(rows)


def _check(arms: Any, features: Any, seed: Any, n_jobs: Any, backend: Any) -> None:
    if isinstance(arms, (str, bytes, dict)) or not hasattr(arms, "__len__"):
        raise TypeError(f"arms must be a list, array or column, not {type(arms).__name__}")
    if hasattr(features, "_fields"):  # a named tuple, as all of MABWiser's policies are
        raise UnsupportedError(
            f"features is {type(features).__name__}, must be a row of numbers for each "
            "arm, or None: there are no neighborhood policies"
        )
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int):
        raise TypeError(f"n_jobs must be an int, not {type(n_jobs).__name__}")
    if n_jobs == 0:
        raise InvalidArgumentError("n_jobs is 0, must be another int")
    if backend is not None and not isinstance(backend, str):
        raise TypeError(f"backend must be a string, not {type(backend).__name__}")
    if not isinstance(seed, int):
        raise TypeError(f"seed must be an int, not {type(seed).__name__}")


def _number(learning_policy: Any, name: str, default: float) -> float:
    value = getattr(learning_policy, name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    return float(value)


def _settings(learning_policy: Any) -> Settings:
    name = type(learning_policy).__name__
    if name not in ("LinGreedy", "LinTS", "LinUCB"):
        raise TypeError(
            "learning_policy must be LearningPolicy.LinGreedy(...), LinTS(...) or "
            f"LinUCB(...), not {name}"
        )
    scale = getattr(learning_policy, "scale", False)
    if not isinstance(scale, bool):
        raise TypeError(f"scale must be a bool, not {type(scale).__name__}")
    alpha = _number(learning_policy, "alpha", 0.0)
    if name == "LinTS" and not alpha > 0:
        raise InvalidArgumentError(f"alpha of LinTS is {alpha}, must be greater than 0")
    epsilon = _number(learning_policy, "epsilon", 0.0)
    if not 0 <= epsilon <= 1:
        raise InvalidArgumentError(f"epsilon is {epsilon}, must be from 0 to 1")
    l2_lambda = _number(learning_policy, "l2_lambda", 1.0)
    if not l2_lambda > 0:
        raise InvalidArgumentError(
            f"l2_lambda is {l2_lambda}, must be greater than 0: without it, an arm with "
            "few rewards has no unique model"
        )
    # Greedy is ucb without exploration.
    policy: Literal["ts", "ucb"] = "ts" if name == "LinTS" else "ucb"
    return Settings(policy, alpha, l2_lambda, scale)


def _enter_simulator() -> None:
    """Lets MABWiser's Simulator accept a MAB, if MABWiser is imported already."""
    base = sys.modules.get("mabwiser.base_mab")
    if base is not None:
        base.BaseMAB.register(MAB)
