"""What the documentation promises of a bandit as a whole."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from random_arms import arms

import manyarms
from manyarms import Bandit


def chosen_arms(steps: int, count: int, seed: int) -> list[object]:
    bandit = Bandit(4, seed=seed)
    bandit.add_arms(range(count), arms(count))
    chosen = []
    for step in range(steps):
        decision = bandit.choose()
        bandit.learn(decision, step % 3)
        chosen.append(decision.arm)
    return chosen


def test_one_seed_one_sequence() -> None:
    def run(seed: int) -> list[object]:
        return chosen_arms(200, count=500, seed=seed)

    assert run(1) == run(1) != run(2)


def test_the_number_of_survey_threads_changes_no_decision() -> None:
    def decisions(threads: int) -> list[object]:
        manyarms.set_survey_threads(threads)
        assert manyarms.survey_threads() == threads
        return chosen_arms(300, count=3000, seed=5)

    before = manyarms.survey_threads()
    try:
        assert decisions(0) == decisions(1) == decisions(3)
    finally:
        manyarms.set_survey_threads(before)
    with pytest.raises(ValueError, match="5000"):
        manyarms.set_survey_threads(5000)


def test_negative_rewards() -> None:
    bandit = Bandit(2, negative_rewards=True)
    bandit.add_arms([0, 1], np.eye(2))
    for _ in range(500):
        d = bandit.choose()
        bandit.learn(d, [-3.0, -1.0][int(d.arm)])
    np.testing.assert_allclose(bandit.predict(np.eye(2)[1:]), [-1.0], atol=0.1)


@pytest.mark.parametrize("negative", [False, True])
def test_what_is_known_of_arms_agrees_with_what_is_predicted(negative: bool) -> None:
    given = arms(30)
    bandit = Bandit(given.shape[1], policy="ucb", negative_rewards=negative)
    bandit.add_arms([f"arm {i}" for i in range(30)], given)
    for step in range(40):
        bandit.learn(bandit.choose(), 0.1 * step)
    ids = ["arm 7", "arm 3", "arm 7"]
    features = bandit.features(ids)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, given[[7, 3, 7]], rtol=2e-7)
    scores = bandit.scores(ids)
    np.testing.assert_allclose(scores, bandit.predict(given[[7, 3, 7]]), rtol=1e-12)
    mean = bandit.mean
    constant = mean[-1] if negative else 0
    np.testing.assert_allclose(
        scores, given[[7, 3, 7]] @ mean[: given.shape[1]] + constant, rtol=1e-4, atol=1e-5
    )
    decision = bandit.choose()
    bound = bandit.scores([decision.arm]) + bandit.uncertainty([decision.arm])
    assert decision.score == pytest.approx(bound[0], rel=1e-4)
    assert bandit.features([]).shape == (0, given.shape[1])
    for method in (bandit.features, bandit.scores, bandit.uncertainty):
        with pytest.raises(KeyError, match="no such arm"):
            method(["no such arm"])


def test_a_subclass_keeps_what_it_has() -> None:
    bandit = Tagged(2)
    bandit.tag = "mine"
    for again in (copy.copy(bandit), copy.deepcopy(bandit),
                  pickle.loads(pickle.dumps(bandit))):
        assert type(again) is Tagged and again.tag == "mine" and again.dim == 2


class Tagged(Bandit):
    tag: str


def test_can_be_subclassed_and_referred_to_weakly() -> None:
    class Named(Bandit):
        name = "mine"

    bandit = Named(2)
    bandit.add_arms([1], np.eye(2)[:1])
    reference = weakref.ref(bandit)
    assert bandit.name == "mine" and len(bandit) == 1
    del bandit
    gc.collect()
    assert reference() is None
