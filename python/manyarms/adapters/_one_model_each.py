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
from manyarms.adapters._scaler import Scaler

Contexts = NDArray[np.float64]


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

    def observe(self, arms: Sequence[int], rewards: Sequence[float], contexts: Contexts) -> None:
        """Learns all of the rewards, or none if it raises an exception."""
        before = {
            arm: self._population.export_learner(arm) if self.knows(arm) else None
            for arm in set(arms)
        }
        scalers = copy.deepcopy(self._scalers)
        try:
            for arm in before:
                places = [place for place, played in enumerate(arms) if played == arm]
                self._observe_arm(arm, [rewards[place] for place in places], contexts[places])
        except Exception:
            self._scalers = scalers
            for arm, learner in before.items():
                self._population.forget(arm)
                if learner is not None:
                    self._population.import_learner(arm, learner)
            raise

    def _observe_arm(self, arm: int, rewards: Sequence[float], contexts: Contexts) -> None:
        if self._scalers is not None:
            self._scalers.setdefault(arm, Scaler(self.dim)).learn(contexts)
        rows = self._rows_for(arm, contexts)
        for row, reward in zip(rows, rewards, strict=True):
            self._population.observe_features(arm, row, reward)

    def _rows_for(self, arm: int, contexts: Contexts) -> NDArray[np.float32]:
        if self._scalers is not None and arm in self._scalers:
            contexts = self._scalers[arm].scaled(contexts)
        return contexts.astype(np.float32)

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
        result = np.empty((len(contexts), len(arms)))
        if self._scalers is None:
            self._score(arms, contexts.astype(np.float32), result)
        else:
            for column, arm in enumerate(arms):
                self._score([arm], self._rows_for(arm, contexts), result[:, column : column + 1])
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
