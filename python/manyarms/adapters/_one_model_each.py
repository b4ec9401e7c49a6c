"""A ridge regression of the context for each arm, as MABWiser has it.

Arms and contexts change places: an arm is a learner of a Population, and contexts
are the arms among which the population would choose. A learner takes O(p^2) for a
context of p values, however many other arms there are. (As a Bandit with one-hot
features, all K arms together would take O(K^2 p^2).)
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from manyarms._core import Population
from manyarms.adapters._numbers import MOST_IN_FEATURES, check_contexts
from manyarms.adapters._scaler import Scaler

Contexts = NDArray[np.float64]

_MOST_BEFORE_SCALING = 1e100  # so that sums of squares are finite


class OneModelEach:
    """Models of arms, which are named by numbers, over contexts of dim values.

    scale: whether each arm has contexts standardised by those of its own rewards.

    One thread at a time may call its methods.
    """

    def __init__(
        self,
        dim: int,
        policy: Literal["ts", "ucb"],
        *,
        exploration: float,
        regularisation: float,
        scale: bool,
        seed: int,
    ) -> None:
        self.dim = dim
        self._scalers: dict[int, Scaler] | None = {} if scale else None
        self._population = Population(
            dim,
            policy,
            "scan",
            exploration,
            regularisation=regularisation,
            seed=seed,
            max_pending=1,  # rewards come by observe
        )

    def observe(
        self, arms: Sequence[int], rewards: NDArray[np.float64], contexts: Contexts
    ) -> None:
        """Learns rewards, which must be checked, or none if it raises an exception."""
        self.check(contexts)
        places: dict[int, list[int]] = {}
        for place, arm in enumerate(arms):
            places.setdefault(arm, []).append(place)
        scalers: dict[int, Scaler] = {}
        rows = {}
        for arm, own in places.items():
            scaler = self._scaler(arm)
            if scaler is not None:
                scalers[arm] = scaler = copy.copy(scaler)
                scaler.learn(contexts[own])
            rows[arm] = _scaled(scaler, contexts[own])
        # All is checked, so that no reward can be refused from here on.
        for arm, own in places.items():
            for row, place in zip(rows[arm], own, strict=True):
                self._population.observe_features(arm, row, rewards[place])
        if self._scalers is not None:
            self._scalers.update(scalers)

    def check(self, contexts: Contexts) -> None:
        """Refuses contexts with values beyond the bound."""
        check_contexts(
            contexts, MOST_IN_FEATURES if self._scalers is None else _MOST_BEFORE_SCALING
        )

    def _scaler(self, arm: int) -> Scaler | None:
        return None if self._scalers is None else self._scalers.get(arm, Scaler(self.dim))

    def knows(self, arm: int) -> bool:
        return self._population.knows(arm)

    def mean(self, arm: int) -> NDArray[np.float64]:
        """What an arm's rewards have taught: the expected reward of c is mean @ c."""
        return self._population.mean(arm)

    def forget(self, arm: int) -> None:
        if self.knows(arm):
            self._population.forget(arm)
        if self._scalers is not None:
            self._scalers.pop(arm, None)

    def copy_model(self, source: int, target: int) -> None:
        """Lets one arm know what another knows."""
        learner = self._population.export_learner(source)
        self.forget(target)
        self._population.import_learner(target, learner)
        if self._scalers is not None:
            self._scalers[target] = copy.deepcopy(self._scalers[source])

    def expectations(self, arms: Sequence[int], contexts: Contexts) -> NDArray[np.float64]:
        """Upper bounds (ucb) or draws (ts): a row for each context."""
        self.check(contexts)
        result = np.empty((len(contexts), len(arms)))
        if self._scalers is None:
            self._score(arms, _scaled(None, contexts), result)
            return result
        rows = [_scaled(self._scaler(arm), contexts) for arm in arms]  # all, before any draw
        for column, arm in enumerate(arms):
            self._score([arm], rows[column], result[:, column : column + 1])
        return result

    def _score(
        self, arms: Sequence[int], rows: NDArray[np.float32], result: NDArray[np.float64]
    ) -> None:
        population = self._population
        places = range(len(rows))
        population.add_arms(places, rows)
        try:
            if population.policy == "ts":
                for place in places:  # each with draws of its own
                    for column, arm in enumerate(arms):
                        drawn = population.choose(arm, eligible=[place])
                        result[place, column] = drawn.score
                return
            for column, arm in enumerate(arms):
                result[:, column] = population.scores(arm, places)
                result[:, column] += population.uncertainty(arm, places)
        finally:
            population.remove_arms(places)


def _scaled(scaler: Scaler | None, contexts: Contexts) -> NDArray[np.float32]:
    """Contexts as the population takes them."""
    if scaler is not None:
        contexts = scaler.scaled(contexts)
        check_contexts(contexts, MOST_IN_FEATURES, " after scaling")
    return contexts.astype(np.float32)
