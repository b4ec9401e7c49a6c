"""The adapter for MABWiser, compared with MABWiser."""

from __future__ import annotations

import importlib
import pickle

import numpy as np
import pyarrow as pa
import pytest

import manyarms
from manyarms.adapters import mabwiser

LearningPolicy = mabwiser.LearningPolicy



# One-hot features make arms independent, as they are with one model for each arm.
def one_hot(arms):
    return np.eye(arms, dtype=np.float32)


class TestMabwiser:
    ARMS = ["a", "b", "c", "d", "e"]
    MEANS = dict(zip(ARMS, [0.1, 0.5, -0.3, 0.45, 0.2]))

    def pair(self, name, **options):
        """MABWiser's and ours, both having seen each arm once."""
        theirs_module = importlib.import_module("mabwiser.mab")
        their_policy = getattr(theirs_module.LearningPolicy, name)(**options)
        theirs = theirs_module.MAB(self.ARMS, their_policy)
        ours = mabwiser.MAB(
            self.ARMS, getattr(LearningPolicy, name)(**options), one_hot(len(self.ARMS))
        )
        rewards = [0.3, -0.2, 0.9, 0.0, 0.4]
        theirs.fit(self.ARMS, rewards, [[1]] * len(self.ARMS))
        ours.fit(self.ARMS, rewards)
        return theirs, ours

    @pytest.mark.parametrize("l2_lambda", [1.0, 0.25, 3.0])
    @pytest.mark.parametrize(
        ("name", "options"),
        [("LinUCB", {"alpha": 1.25}), ("LinUCB", {"alpha": 0.1}), ("LinGreedy", {"epsilon": 0})],
    )
    def test_decides_as_mabwiser_does(self, name, options, l2_lambda):
        theirs, ours = self.pair(name, **options, l2_lambda=l2_lambda)
        rng = np.random.default_rng(5)
        for _ in range(200):
            arm = theirs.predict([[1]])
            assert ours.predict() == arm
            # Scores are single-precision.
            assert ours.predict_expectations() == pytest.approx(
                theirs.predict_expectations([[1]]), rel=1e-5, abs=1e-6
            )
            reward = self.MEANS[arm] + rng.normal()
            theirs.partial_fit([arm], [reward], [[1]])
            ours.partial_fit([arm], [reward])

    def test_thompson_draws_as_mabwiser_does(self):
        theirs_module = importlib.import_module("mabwiser.mab")
        theirs = theirs_module.MAB(self.ARMS, theirs_module.LearningPolicy.LinTS(0.7, 2.0))
        ours = mabwiser.MAB(self.ARMS, LearningPolicy.LinTS(0.7, 2.0), one_hot(5))
        decisions = self.ARMS + ["a", "a", "d"]
        rewards = [0.3, -0.2, 0.9, 0.0, 0.4, 1.0, -0.5, 2.0]
        # The second feature of the context is idle: MABWiser squeezes draws of a
        # single one out of shape when it is given several contexts.
        theirs.fit(decisions, rewards, [[1, 0]] * len(decisions))
        ours.fit(decisions, rewards)
        count = 20_000
        their_draws = theirs.predict_expectations([[1, 0]] * count)
        our_draws = [ours.predict_expectations() for _ in range(count)]
        # Arm by arm, since MABWiser's arms all draw the same noise. An empirical
        # distribution is further than 0.027 from the true one with probability
        # 2 exp(-2 * 20000 * 0.027^2) < 1e-12 (Dvoretzky, Kiefer, Wolfowitz).
        for arm in self.ARMS:
            left = np.sort([draw[arm] for draw in their_draws])
            right = np.sort([draw[arm] for draw in our_draws])
            both = np.concatenate([left, right])
            apart = np.searchsorted(left, both) - np.searchsorted(right, both)
            assert np.abs(apart).max() / count < 2 * 0.027
        assert {ours.predict() for _ in range(count)} == set(self.ARMS)

    def test_untried_arms_follow_the_formula_where_mabwiser_does_not(self):
        theirs_module = importlib.import_module("mabwiser.mab")
        policy = theirs_module.LearningPolicy.LinUCB(alpha=2.0, l2_lambda=4.0)
        theirs = theirs_module.MAB([1, 2], policy)
        theirs.fit([1], [0.5], [[1]])
        ours = mabwiser.MAB([1, 2], policy, one_hot(2))  # their policy does, too
        ours.fit([1], [0.5])
        assert theirs.predict_expectations([[1]])[2] == pytest.approx(2 * 4**0.5)
        assert ours.predict_expectations()[2] == pytest.approx(2 / 4**0.5)
        assert ours.predict_expectations()[1] == pytest.approx(
            theirs.predict_expectations([[1]])[1]
        )

    def test_arms_come_and_go_as_in_mabwiser(self):
        theirs, ours = self.pair("LinUCB", alpha=1.0)
        features = np.zeros(len(self.ARMS))
        with pytest.raises(manyarms.Error, match="already"):
            ours.add_arm("a", features)
        for mab in (theirs, ours):
            mab.remove_arm("c")
        assert sorted(ours.arms) == sorted(theirs.arms)
        assert "c" not in ours.predict_expectations()
        theirs.add_arm("f")
        ours.add_arm("f", features)  # nothing is known or uncertain about zeros
        assert ours.predict_expectations()["f"] == 0
        assert sorted(ours.arms) == sorted(theirs.arms)
        with pytest.raises(KeyError, match="there is no arm 'c'"):
            ours.remove_arm("c")

    def test_fit_forgets_and_partial_fit_does_not(self):
        features = np.random.default_rng(1).normal(size=(4, 2))
        mab = mabwiser.MAB([1, 2, 3, 4], LearningPolicy.LinGreedy(0), features)
        mab.fit([1, 2], [1.0, 2.0])
        once = mab.predict_expectations()
        mab.partial_fit([3], [-5.0])
        assert mab.predict_expectations() != once
        mab.add_arm(5, [1.0, 1.0])
        mab.fit([1, 2], [1.0, 2.0])
        assert mab.predict_expectations().items() > once.items()
        assert mab.bandit.pending == 0

    def test_partial_fit_needs_no_fit_and_forgets_nothing(self):
        mab = mabwiser.MAB([1, 2, 3], LearningPolicy.LinGreedy(0), np.ones((3, 1)))
        mab.bandit.observe(1, 2.0)
        mab.partial_fit([1], [2.0])
        assert mab.predict_expectations()[2] == pytest.approx(4 / 3)
        assert mab.cold_arms == [2, 3]
        mab.remove_arm(1)  # the only one with rewards
        mab.partial_fit([2], [2.0])
        assert mab.predict_expectations()[3] == pytest.approx(6 / 4)
        assert mab.cold_arms == [3]

    def test_columns_of_arrow_may_be_fitted(self):
        mab = mabwiser.MAB(pa.array(["a", "b"]), LearningPolicy.LinGreedy(0), np.eye(2))
        mab.fit(pa.chunked_array([["a"], ["b"]]), pa.array([1.0, 0.0]))
        assert mab.cold_arms == [] and mab.predict() == "a"

    def test_thompson_draws_anew_after_each_fit(self):
        mab = mabwiser.MAB([1, 2], mabwiser.LearningPolicy.LinTS(alpha=1.0), np.eye(2))
        played = set()
        for _ in range(100):
            mab.fit([1, 2], [0.5, 0.5])
            played.add(mab.predict())
        assert played == {1, 2}  # fails with probability 2**-99

    def test_greedy_tries_other_arms_with_probability_epsilon(self):
        mab = mabwiser.MAB([1, 2], LearningPolicy.LinGreedy(0.5), one_hot(2))
        mab.fit([1], [1.0])
        second = sum(mab.predict() == 2 for _ in range(4000)) / 4000
        # Hoeffding: off by 0.06 with probability 2 exp(-2 * 4000 * 0.06^2) < 1e-12.
        assert abs(second - 0.25) < 0.06

    def test_failures_say_why_and_change_nothing(self):
        mab = mabwiser.MAB(self.ARMS, LearningPolicy.LinUCB(), one_hot(5))
        mab.fit(["a"], [1.0])
        before = mab.predict_expectations()
        for call in (
            lambda: mab.predict([[1]]),
            lambda: mab.predict_expectations([[1]]),
            lambda: mab.partial_fit(["a"], [1.0], contexts=[[1]]),
        ):
            with pytest.raises(ValueError, match="have 1 values, must have 0 as in fit"):
                call()
        with pytest.raises(KeyError, match="there is no arm 'z'"):
            mab.fit(["a", "z"], [1.0, 2.0])
        with pytest.raises(ValueError, match="nan"):
            mab.fit(["a"], [float("nan")])
        assert mab.predict_expectations() == before
        with pytest.raises(TypeError, match=r"LinUCB\(...\), not UCB1"):
            mabwiser.MAB([1], type("UCB1", (), {})(), [[1.0]])
        scaled = type("LinTS", (), {"alpha": 1, "l2_lambda": 1, "scale": True})()
        with pytest.raises(ValueError, match="scale features and contexts beforehand"):
            mabwiser.MAB([1], scaled, [[1.0]])

    def test_pickles(self):
        _, ours = self.pair("LinTS")
        twin = pickle.loads(pickle.dumps(ours))
        assert [ours.predict() for _ in range(20)] == [twin.predict() for _ in range(20)]
