"""Choices of one arm or several, among all arms or some, and their rewards."""

from __future__ import annotations

import pickle

import numpy as np
import pandas
import pytest
from random_arms import arms

from manyarms import Bandit


def test_no_choices_are_none_and_draw_nothing() -> None:
    bandit, twin = Bandit(4), Bandit(4)
    assert bandit.choose_many(0) == [] and bandit.choose_many(0, "draws") == []
    for one in (bandit, twin):
        one.add_arms(range(20), arms(20))
    assert bandit.choose_many(0, eligible=[1]) == []
    assert bandit.pending == 0
    assert [bandit.choose() for _ in range(5)] == [twin.choose() for _ in range(5)]


def test_a_slate_is_the_best_of_one_draw() -> None:
    one, many = Bandit(4, seed=3), Bandit(4, seed=3)
    for bandit in (one, many):
        bandit.add_arms(range(100), arms(100))
    best = one.choose()
    slate = many.choose_many(10)
    assert slate[0] == best
    assert len({d.arm for d in slate}) == 10
    assert [d.score for d in slate] == sorted((d.score for d in slate), reverse=True)
    assert len(many.choose_many(1000)) == 100
    assert len(many.choose_many(1000, eligible=[4, 5])) == 2
    assert {d.arm for d in many.choose_many(1000, "draws", eligible=[4, 5])} == {4, 5}


def test_masks_follow_ids_when_arms_have_come_and_gone() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(100), arms(100))
    bandit.remove_arms(range(10, 60, 7))
    bandit.add_arms(range(200, 205), arms(5, seed=2))
    for wanted in (11, 203, 99):
        assert bandit.choose(eligible=bandit.ids == wanted).arm == wanted


def test_updates_leave_the_order_of_masks_alone() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(20), arms(20))
    bandit.remove_arms([3, 11])
    before = bandit.ids
    bandit.update_arms([1, 2, 14], arms(3, seed=9))
    np.testing.assert_array_equal(bandit.ids, before)


def test_an_array_of_ints_has_ids_and_one_of_bools_is_a_mask() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(3), arms(3))
    for dtype in (np.int64, np.int8, np.uint64):
        assert bandit.choose(eligible=np.array([2], dtype=dtype)).arm == 2
    odd = np.array([0, 0, 2], dtype=np.uint8).view(bool)  # true, but not 1
    assert bandit.choose(eligible=odd).arm == 2
    every_other = np.array([False, False, False, False, True, False])[::2]
    assert bandit.choose(eligible=every_other).arm == 2


def test_rewards_come_late_in_any_order_and_once() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(100), arms(100))
    made = [bandit.choose() for _ in range(5)]
    assert [d.id for d in made] == [1, 2, 3, 4, 5]
    bandit.remove_arms([int(made[3].arm)])
    for decision in reversed(made[1:]):
        bandit.learn(decision, 1.0)
    assert bandit.pending == 1
    bandit.dismiss(made[0])
    assert bandit.pending == 0
    with pytest.raises(KeyError):
        bandit.learn(made[0], 1.0)


def test_batches_learn_what_one_by_one_learns() -> None:
    X = arms(100)
    one, many = Bandit(4, seed=3), Bandit(4, seed=3)
    for bandit in (one, many):
        bandit.add_arms(range(100), X)
    for decision in one.choose_many(10, "draws"):
        one.learn(decision, decision.id / 10)
    made = many.choose_many(10, "draws")
    many.learn_many([d.id for d in made[:5]], [d.id / 10 for d in made[:5]])
    many.learn_many(made[5:], np.array([d.id / 10 for d in made[5:]]))
    np.testing.assert_array_equal(one.predict(X), many.predict(X))
    one.observe(3, 0.5)
    one.observe(3, 0.25)
    many.observe_many(np.array([3, 3]), np.array([0.5, 0.25], dtype=np.float32))
    np.testing.assert_array_equal(one.predict(X), many.predict(X))


def test_decisions_may_lie_in_arrays() -> None:
    bandit = Bandit(4)
    bandit.add_arms(range(5), arms(5))
    for lay_out in (list, tuple, lambda ds: np.array(ds, dtype=object), pandas.Series):
        bandit.learn_many(lay_out(bandit.choose_many(3)), [1.0, 2.0, 3.0])  # type: ignore[operator]
    bandit.learn_many(np.array([d.id for d in bandit.choose_many(3)]), [1.0, 2.0, 3.0])
    assert bandit.pending == 0


def test_the_decision_of_another_bandit_is_refused() -> None:
    for one, two in ((1, 2), ("a", "b")):
        bandits = [Bandit(4), Bandit(4)]
        bandits[0].add_arms([one, two], arms(2))
        bandits[1].add_arms([two, one], arms(2)[::-1].copy())
        decision = bandits[0].choose(eligible=[one])
        bandits[1].choose(eligible=[two])
        before = pickle.dumps(bandits[1])
        for refused in (
            lambda: bandits[1].learn(decision, 1.0),
            lambda: bandits[1].learn_many([decision], [1.0]),
            lambda: bandits[1].dismiss(decision),
        ):
            with pytest.raises(KeyError, match="another bandit's"):
                refused()
        assert pickle.dumps(bandits[1]) == before
        bandits[0].remove_arms([one])
        bandits[0].learn(decision, 1.0)


def test_decisions_of_ints_and_of_strings_are_not_mixed_up() -> None:
    texts, ints = Bandit(4), Bandit(4)
    texts.add_arms(["a"], arms(1))
    ints.add_arms([0], arms(1))
    for one, other in ((texts, ints), (ints, texts)):
        decision = one.choose()
        other.choose()
        with pytest.raises(KeyError, match="another bandit's"):
            other.learn(decision, 1.0)
