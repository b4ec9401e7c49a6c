"""Ranges of eligible arms, which are recognised if they have all arms."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

import manyarms


def outcome(bandit: Any, eligible: Any) -> Any:
    try:
        decision = bandit.choose(eligible=eligible)
    except (manyarms.Error, TypeError) as error:
        return type(error), str(error)
    return decision.arm, decision.score


@pytest.mark.parametrize("seed", range(20))
def test_a_range_is_the_same_as_its_list(seed: int) -> None:
    chance = random.Random(seed)
    draws = np.random.default_rng(seed)
    bandit = manyarms.Bandit(3, seed=seed)
    twin = copy.deepcopy(bandit)
    ids: set[int] = set()

    def both(call: str, *arguments: Any) -> None:
        for one in (bandit, twin):
            getattr(one, call)(*arguments)

    for _ in range(60):
        change = chance.randrange(5)
        if change <= 2 or not ids:
            low, high = min(ids, default=10), max(ids, default=9)
            count = chance.randint(1, 3)
            new = chance.choice([
                range(high + 1, high + 1 + count),
                range(max(low - count, 0), low),
                range(high + 2, high + 2 + count),
            ])
            listed = [arm for arm in new if arm not in ids]
            chance.shuffle(listed)
            if listed:
                both("add_arms", listed, draws.normal(size=(len(listed), 3)))
            ids |= set(listed)
        else:
            ordered = sorted(ids)
            count = chance.randint(1, len(ids))
            gone = chance.choice([ordered[:count], ordered[-count:], chance.sample(ordered, count)])
            both("remove_arms", gone)
            ids -= set(gone)
        if chance.random() < 0.2:
            bandit = pickle.loads(pickle.dumps(bandit))
        low, high = min(ids, default=0), max(ids, default=0)
        for tried in (range(low, high + 1), range(low, high), range(low, high + 2),
                      range(low, low + len(ids))):
            assert outcome(bandit, tried) == outcome(twin, list(tried))


def test_ranges_that_are_not_all_arms() -> None:
    bandit = manyarms.Bandit(1)
    bandit.add_arms(range(5), np.ones((5, 1)))
    with pytest.raises(KeyError, match="there is no arm 5"):
        bandit.choose(eligible=range(2, 10**15))  # far more ids than fit into memory
    with pytest.raises(ValueError, match="from 0 to"):
        bandit.choose(eligible=range(-1, 3))
    with pytest.raises(ValueError, match="from 0 to"):
        bandit.choose(eligible=range(2**64 - 1, 2**64 + 1))
    with pytest.raises(manyarms.Error, match="no arm is eligible"):
        bandit.choose(eligible=range(0))
    assert bandit.choose(eligible=range(4, 2, -2)).arm == 4
    named = manyarms.Bandit(1)
    named.add_arms(["a"], [[1.0]])
    with pytest.raises(TypeError, match="strings"):
        named.choose(eligible=range(1))


def test_a_population_knows_its_range() -> None:
    population = manyarms.Population(1, "ucb")
    population.add_arms(range(5), np.arange(5.0)[:, None])
    population.remove_arms([4])
    assert population.choose("a", eligible=range(4)).arm == population.choose("a").arm
    assert population.choose("a", eligible=range(3)).arm < 3
    with pytest.raises(KeyError, match="there is no arm 4"):
        population.choose("a", eligible=range(5))
