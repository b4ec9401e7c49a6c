"""Adapters that several threads use at the same time."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from threads_together import together

from manyarms import Bandit
from manyarms.adapters import mabwiser, obp, river

ROWS = np.random.default_rng(1).standard_normal((40, 4)).astype(np.float32)
LearningPolicy = mabwiser.LearningPolicy


def times(count: int, work: Callable[[int], object]) -> Callable[[], None]:
    def repeat() -> None:
        for i in range(count):
            work(i)

    return repeat


@pytest.mark.parametrize("policy", [LearningPolicy.LinTS(), LearningPolicy.LinUCB(),
                                    LearningPolicy.LinGreedy(epsilon=0.5)])
def test_mabwiser_predicts_while_it_is_fitted(policy: object) -> None:
    mab = mabwiser.MAB(range(20), policy, ROWS[:20])
    together(times(1000, lambda i: mab.predict()),
             times(1000, lambda i: mab.predict()),
             times(100, lambda i: mab.predict_expectations()),
             times(200, lambda i: mab.fit([i % 20], [1.0])),
             times(200, lambda i: mab.partial_fit([i % 20], [1.0])))


def test_mabwiser_loses_no_arm_that_is_added_while_it_is_fitted() -> None:
    mab = mabwiser.MAB(range(20), LearningPolicy.LinUCB(), ROWS[:20])
    together(times(20, lambda i: mab.add_arm(20 + i, ROWS[20 + i])),
             times(300, lambda i: mab.fit([0], [1.0])),
             times(100, lambda i: mab.predict_expectations()))
    assert sorted(mab.arms) == list(range(40))


def test_obp_selects_and_learns_while_it_is_initialized() -> None:
    policy = obp.Policy(ROWS, len_list=3, batch_size=2)
    together(times(500, lambda i: policy.select_action()),
             times(500, lambda i: policy.update_params(i % 40, 1.0)),
             times(100, lambda i: policy.initialize()))


def test_river_counts_the_updates_of_all_threads() -> None:
    bandit = Bandit(4)
    bandit.add_arms(range(40), ROWS)
    policy = river.Policy(bandit)
    together(*[times(300, lambda i: policy.update(policy.pull(range(40)), 1.0))] * 3)
    assert policy._n == 900


def test_copies_have_locks_of_their_own() -> None:
    mab = mabwiser.MAB(range(20), LearningPolicy.LinUCB(), ROWS[:20])
    policy = obp.Policy(ROWS)
    for one in (mab, policy):
        for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert again._lock is not one._lock
    assert copy.deepcopy(mab).predict() == mab.predict()


@pytest.mark.parametrize("epsilon", [5, -1, float("nan"), 1.01])
def test_mabwiser_refuses_what_is_no_probability(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon .* from 0 to 1"):
        mabwiser.MAB([0, 1], LearningPolicy.LinGreedy(epsilon), ROWS[:2])


@pytest.mark.parametrize("alpha", [0, -1, float("nan")])
def test_mabwiser_refuses_thompson_sampling_without_draws(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        mabwiser.MAB([0, 1], LearningPolicy.LinTS(alpha), ROWS[:2])


def test_obp_draws_a_seed_if_none_is_given() -> None:
    one, other = (obp.Policy(ROWS, random_state=None) for _ in range(2))
    assert one.bandit.seed != other.bandit.seed
