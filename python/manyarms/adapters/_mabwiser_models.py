"""The two models behind adapters.mabwiser.MAB, with the same methods.

``SharedModel`` has features of arms, ``SeparateModels`` has a model for each arm.
Contexts are rows of numbers, or None.
"""

from __future__ import annotations

import copy
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from manyarms._core import Bandit
from manyarms.adapters._arm_labels import ArmLabels, are_ids, as_list
from manyarms.adapters._numbers import (
    MOST_IN_CONTEXTS,
    as_numbers,
    check_contexts,
    checked_rewards,
)
from manyarms.adapters._one_model_each import OneModelEach
from manyarms.adapters._untaught import untaught
from manyarms.errors import NoArmsError, UnsupportedError

Contexts = NDArray[np.float64]


class Settings(NamedTuple):
    """What a learning policy says."""

    policy: Literal["ts", "ucb"]
    exploration: float
    regularisation: float
    scale: bool


class Model(Protocol):
    """Arms, and what is known of them."""

    @property
    def arms(self) -> list[Any]: ...

    @property
    def context_dim(self) -> int:
        """The number of values of a context; 0 if there are none."""
        ...

    @property
    def one_at_a_time(self) -> bool:
        """Whether only one thread at a time may call methods."""
        ...

    def add(self, arm: Any, features: Any) -> None: ...

    def remove(self, arm: Any) -> None: ...

    def begin_again(self, context_dim: int, seed: int) -> Model: ...

    def observe(self, arms: Any, rewards: Any, contexts: Contexts | None) -> None: ...

    def best(self, contexts: Contexts | None) -> list[Any]: ...

    def expectations(self, contexts: Contexts | None) -> list[dict[Any, float]]: ...


class SharedModel:
    """One model over the features of all arms, and contexts if they are given."""

    def __init__(
        self, settings: Settings, arms: Any, features: Any, context_constants: bool, seed: int
    ) -> None:
        if settings.scale:
            raise UnsupportedError(
                "scale is True, must be False for arms with features: scale features and "
                "contexts beforehand"
            )
        rows = np.atleast_2d(as_numbers(features, "features", np.float32))
        self._labels = None if are_ids(arms) else ArmLabels(arms)
        self._context_constants = context_constants
        self.bandit = Bandit(
            rows.shape[1],
            settings.policy,
            exploration=settings.exploration,
            regularisation=settings.regularisation,
            seed=seed,
            max_pending=2**31,  # expectations choose all arms at once
        )
        ids = arms if self._labels is None else self._labels.all_numbers
        self.bandit.add_arms(ids, rows)

    @property
    def arms(self) -> list[Any]:
        return as_list(self.bandit.ids) if self._labels is None else self._labels.arms

    @property
    def context_dim(self) -> int:
        return self.bandit.context_dim

    @property
    def one_at_a_time(self) -> bool:
        return self._labels is not None

    def _label(self, number: Any) -> Any:
        return number if self._labels is None else self._labels.label(number)

    def add(self, arm: Any, features: Any) -> None:
        if features is None:
            raise TypeError("features must be a row of numbers, as the other arms have, not None")
        row = as_numbers(features, "features", np.float32).reshape(1, -1)
        if self._labels is None:
            self.bandit.add_arms([arm], row)
            return
        number = self._labels.add(arm)
        try:
            self.bandit.add_arms([number], row)
        except Exception:
            self._labels.remove(arm)
            raise

    def remove(self, arm: Any) -> None:
        self.bandit.remove_arms([arm if self._labels is None else self._labels.number(arm)])
        if self._labels is not None:
            self._labels.remove(arm)

    def begin_again(self, context_dim: int, seed: int) -> SharedModel:
        again = copy.copy(self)
        again.bandit = untaught(
            self.bandit,
            context_dim=context_dim,
            context_constants=self._context_constants or context_dim == 0,
            seed=seed,
        )
        return again

    def observe(self, arms: Any, rewards: Any, contexts: Contexts | None) -> None:
        ids = arms if self._labels is None else self._labels.numbers(arms)
        self.bandit.observe_many(ids, rewards, contexts=contexts)

    def _check(self, contexts: Contexts | None) -> None:
        """Refuses bad contexts before the first of them makes a draw."""
        if contexts is not None:
            check_contexts(contexts, MOST_IN_CONTEXTS)

    def best(self, contexts: Contexts | None) -> list[Any]:
        bandit = self.bandit
        self._check(contexts)
        chosen = []
        for context in [None] if contexts is None else contexts:
            decision = bandit.choose(context=context)
            bandit.dismiss(decision)  # its reward comes by partial_fit
            chosen.append(self._label(decision.arm))
        return chosen

    def expectations(self, contexts: Contexts | None) -> list[dict[Any, float]]:
        bandit = self.bandit
        self._check(contexts)
        ids: Any = bandit.ids if self._labels is None else self._labels.all_numbers
        arms = as_list(ids) if self._labels is None else self._labels.arms
        rows = []
        for context in [None] if contexts is None else contexts:
            if bandit.policy == "ucb":
                values = bandit.scores(ids, context=context)
                values += bandit.uncertainty(ids, context=context)
                rows.append(dict(zip(arms, values.tolist(), strict=True)))
                continue
            decisions = bandit.choose_many(len(arms), context=context)
            for decision in decisions:
                bandit.dismiss(decision)
            drawn = {self._label(decision.arm): decision.score for decision in decisions}
            rows.append({arm: drawn[arm] for arm in arms})
        return rows


class SeparateModels:
    """A model of the context for each arm."""

    one_at_a_time = True

    def __init__(self, settings: Settings, arms: Any) -> None:
        self._settings = settings
        self._labels = ArmLabels(arms)
        self._models: OneModelEach | None = None  # until the contexts' size is known

    @property
    def arms(self) -> list[Any]:
        return self._labels.arms

    @property
    def context_dim(self) -> int:
        return 0 if self._models is None else self._models.dim

    def add(self, arm: Any, features: Any) -> None:
        if features is not None:
            raise UnsupportedError("features given for one arm, but the other arms have none")
        self._labels.add(arm)

    def remove(self, arm: Any) -> None:
        number = self._labels.remove(arm)
        if self._models is not None:
            self._models.forget(number)

    def begin_again(self, context_dim: int, seed: int) -> SeparateModels:
        again = copy.copy(self)
        again._models = OneModelEach(
            context_dim,
            self._settings.policy,
            exploration=self._settings.exploration,
            regularisation=self._settings.regularisation,
            scale=self._settings.scale,
            seed=seed,
        )
        return again

    def observe(self, arms: Any, rewards: Any, contexts: Contexts | None) -> None:
        assert self._models is not None and contexts is not None
        self._models.observe(self._labels.numbers(arms), checked_rewards(rewards), contexts)

    def best(self, contexts: Contexts | None) -> list[Any]:
        arms = self.arms
        return [arms[place] for place in self._values(contexts).argmax(axis=1)]

    def expectations(self, contexts: Contexts | None) -> list[dict[Any, float]]:
        arms = self.arms
        return [dict(zip(arms, row, strict=True)) for row in self._values(contexts).tolist()]

    def _values(self, contexts: Contexts | None) -> NDArray[np.float64]:
        assert self._models is not None and contexts is not None
        if not self.arms:
            raise NoArmsError("there are no arms")
        return self._models.expectations(self._labels.all_numbers, contexts)

    def copy_arm(self, source: Any, target: Any) -> None:
        assert self._models is not None
        self._models.copy_model(self._labels.number(source), self._labels.number(target))
