"""Contexts in the adapter for MABWiser, compared with MABWiser and with NumPy."""

from __future__ import annotations

import copy
import datetime
import importlib
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.preprocessing import StandardScaler
from threads_together import together

import manyarms
from manyarms.adapters._scaler import Scaler
from manyarms.adapters.mabwiser import MAB, LearningPolicy

ARMS = ["a", "b", "c", "d"]
DIM = 3


def log(rounds, seed=1, arms=ARMS):
    """Decisions, rewards and contexts; contexts are float32, as the library's."""
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rounds, DIM)).astype(np.float32).astype(float)
    decisions = [arms[place] for place in rng.integers(len(arms), size=rounds)]
    return decisions, rng.normal(size=rounds).tolist(), contexts


def theirs_and(policy, **ours):
    module = importlib.import_module("mabwiser.mab")
    their_policy = getattr(module.LearningPolicy, type(policy).__name__)(*policy)
    return module.MAB(ARMS, their_policy), MAB(ARMS, policy, **ours)


def assert_same(theirs, ours, within=1e-6):
    assert len(theirs) == len(ours)
    for left, right in zip(theirs, ours):
        assert list(left) == list(right)
        assert right == pytest.approx(left, rel=within, abs=within)


POLICIES = [
    LearningPolicy.LinUCB(1.25),
    LearningPolicy.LinUCB(0.4, 3.0),
    LearningPolicy.LinGreedy(0.0, 0.5),
    LearningPolicy.LinUCB(1.0, 1.0, True),
    LearningPolicy.LinGreedy(0.0, 1.0, True),
]
WITH_ONE_HOT = {"features": np.eye(len(ARMS)), "context_constants": False}


@pytest.mark.parametrize(("policy", "ours"), [
    *[pytest.param(policy, {}, id=f"{policy} without features") for policy in POLICIES],
    *[pytest.param(policy, WITH_ONE_HOT, id=f"{policy} one-hot") for policy in POLICIES
      if not policy.scale],
])
def test_expects_and_decides_as_mabwiser_does(policy, ours):
    theirs, ours = theirs_and(policy, **ours)
    # Each arm once at first: see test_adapters_mabwiser.py for arms without rewards.
    first = (ARMS, [0.1, -0.4, 0.3, 0.0], log(4)[2])
    for mab in (theirs, ours):
        mab.fit(*first)
    for step in range(20):
        contexts = log(5, seed=100 + step)[2]
        assert_same(theirs.predict_expectations(contexts), ours.predict_expectations(contexts))
        assert ours.predict(contexts) == theirs.predict(contexts)
        assert ours.predict(contexts[:1]) == theirs.predict(contexts[:1])
        for mab in (theirs, ours):
            mab.partial_fit(*log(3, seed=step))


@pytest.mark.parametrize("ours", [{}, WITH_ONE_HOT], ids=["without features", "one-hot"])
def test_thompson_draws_as_mabwiser_does(ours):
    theirs, ours = theirs_and(LearningPolicy.LinTS(0.7, 2.0), **ours)
    for mab in (theirs, ours):
        mab.fit(*log(30))
    count = 20_000
    contexts = np.tile([0.5, -1.0, 2.0], (count, 1))
    their_draws = theirs.predict_expectations(contexts)
    our_draws = ours.predict_expectations(contexts)
    # The bound of test_thompson_draws_as_mabwiser_does in test_adapters_mabwiser.py.
    for arm in ARMS:
        left = np.sort([draw[arm] for draw in their_draws])
        right = np.sort([draw[arm] for draw in our_draws])
        both = np.concatenate([left, right])
        apart = np.searchsorted(left, both) - np.searchsorted(right, both)
        assert np.abs(apart).max() / count < 2 * 0.027


def test_features_and_contexts_make_a_bilinear_model():
    features = np.random.default_rng(3).normal(size=(4, 2)).astype(np.float32)
    mab = MAB(ARMS, LearningPolicy.LinUCB(0.8, 1.5), features)
    decisions, rewards, contexts = log(40)
    mab.fit(decisions[:10], rewards[:10], contexts[:10])
    mab.partial_fit(decisions[10:], rewards[10:], contexts[10:])

    def row(arm, context):
        return np.kron(np.append(context, 1), np.append(features[ARMS.index(arm)], 1))

    rows = np.array([row(arm, context) for arm, context in zip(decisions, contexts)])
    inverse = np.linalg.inv(rows.T @ rows + 1.5 * np.eye(rows.shape[1]))
    mean = inverse @ rows.T @ rewards
    for context in log(5, seed=9)[2]:
        expected = mab.predict_expectations([context])
        for arm in ARMS:
            x = row(arm, context)
            assert expected[arm] == pytest.approx(mean @ x + 0.8 * np.sqrt(x @ inverse @ x))
        assert mab.predict([context]) == max(expected, key=expected.get)
    assert mab.is_contextual
    mab.fit(decisions, rewards)  # fit decides anew whether there are contexts
    assert not mab.is_contextual and mab.predict() in ARMS


def test_partial_fit_may_be_first_and_forgets_nothing():
    theirs, ours = theirs_and(LearningPolicy.LinUCB())
    contexts = log(3, seed=4)[2]
    for mab in (theirs, ours):
        mab.partial_fit(*log(10))
        mab.partial_fit(*log(10, seed=2))
    assert_same(theirs.predict_expectations(contexts), ours.predict_expectations(contexts))


def test_warm_starts_as_mabwiser_does():
    theirs, ours = theirs_and(LearningPolicy.LinUCB(1.1))
    near = {"a": [1, 0.1], "b": [0, 1], "c": [1, 0.2], "d": [-1, -1]}
    for mab in (theirs, ours):
        mab.fit(*log(20, arms=["a", "b"]))
        assert mab.cold_arms == ["c", "d"]
        mab.warm_start(near, distance_quantile=0.5)
        assert mab.cold_arms == ["d"]
    contexts = log(4, seed=5)[2]
    expected = ours.predict_expectations(contexts)
    assert_same(theirs.predict_expectations(contexts), expected)
    assert all(row["c"] == row["a"] != row["d"] for row in expected)
    for mab in (theirs, ours):
        mab.partial_fit(*log(5, arms=["c"]))
        mab.warm_start(near, distance_quantile=1.0)
        assert mab.cold_arms == []
        mab.remove_arm("c")
        mab.add_arm("c")
        assert mab.cold_arms == ["c"]
    assert_same(theirs.predict_expectations(contexts), ours.predict_expectations(contexts))


def test_warm_start_refuses_what_it_cannot_do():
    _, mab = theirs_and(LearningPolicy.LinUCB())
    mab.fit(*log(5, arms=["a"]))
    near = dict.fromkeys(ARMS, [1.0, 2.0])
    for features, quantile, error in (
        (None, 0.5, TypeError), (near, 1, TypeError), (near, 1.5, ValueError),
        ({"a": [1.0]}, 0.5, ValueError),
        (near | {"b": [1.0]}, 0.5, manyarms.errors.InvalidArgumentError),
        (near | {"b": [1.0, float("nan")]}, 0.5, manyarms.errors.InvalidArgumentError),
        (near | {"b": [1.0, 1e7]}, 0.5, manyarms.errors.InvalidArgumentError),
        (near | {"b": [1.0, "2.0"]}, 0.5, TypeError),
        (dict.fromkeys(ARMS, 1.0), 0.5, manyarms.errors.InvalidArgumentError),
    ):
        with pytest.raises(error):
            mab.warm_start(features, quantile)
    assert mab.cold_arms == ["b", "c", "d"]
    mab.warm_start(dict.fromkeys(ARMS, [0.0, 0.0]), 0.5)  # no arm is close to another
    assert mab.cold_arms == ["b", "c", "d"]
    _, fresh = theirs_and(LearningPolicy.LinUCB())
    with pytest.raises(manyarms.errors.InvalidArgumentError, match="call fit before warm_start"):
        fresh.warm_start(near, 0.5)
    _, shared = theirs_and(LearningPolicy.LinUCB(), features=np.eye(4))
    with pytest.raises(manyarms.errors.UnsupportedError, match="for arms without features"):
        shared.warm_start(near, 0.5)


def test_arms_may_be_dates_and_numbers_of_all_kinds():
    arms = [datetime.datetime(2020, 1, 1), datetime.datetime(2021, 6, 1), 2.5, ("x", 1), -3]
    decisions, rewards, contexts = log(20, arms=arms)
    for features in (None, np.random.default_rng(1).normal(size=(5, 2))):
        mab = MAB(arms, LearningPolicy.LinUCB(), features)
        mab.fit(decisions, rewards, contexts)
        assert mab.predict(contexts[:1]) in arms
        assert list(mab.predict_expectations(contexts[:1])) == arms
        mab.remove_arm(2.5)
        with pytest.raises(KeyError, match="there is no arm 2.5"):
            mab.partial_fit([2.5], [1.0], contexts[:1])
        with pytest.raises(ValueError, match="there already"):
            mab.add_arm(-3, None if features is None else [1, 1])
        for arm in (None, float("nan"), float("inf")):
            with pytest.raises(ValueError, match="an arm is"):
                mab.add_arm(arm, None if features is None else [1, 1])
        mab.add_arm("new", None if features is None else [1, 1])
        assert mab.arms == [arm for arm in arms if arm != 2.5] + ["new"]
    frame = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2021-06-01"]), "r": [1.0, 0.0]})
    mab = MAB(arms[:2], LearningPolicy.LinGreedy(0))
    mab.fit(frame["day"], frame["r"], [[1.0], [1.0]])
    assert mab.predict([[1.0]]) == arms[0]


def test_columns_are_one_context_or_one_value_each():
    theirs, ours = theirs_and(LearningPolicy.LinUCB())
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [0.0, 1.0, 0.0, 1.0]})
    for mab in (theirs, ours):
        mab.fit(ARMS, [1, 2, 3, 4], frame["x"])  # four contexts of one value
    assert_same(theirs.predict_expectations(frame["x"]), ours.predict_expectations(frame["x"]))
    for mab in (theirs, ours):
        mab.fit(ARMS, [1, 2, 3, 4], frame)
        mab.partial_fit(["a"], [2], frame.loc[0])  # one context of two values
    assert ours.predict(frame.loc[1]) == theirs.predict(frame.loc[1])


def test_runs_in_mabwisers_simulator():
    module = importlib.import_module("mabwiser.simulator")
    decisions, rewards, contexts = log(200)
    theirs, ours = theirs_and(LearningPolicy.LinUCB(0.5))
    for batch_size in (0, 20):
        simulator = module.Simulator(
            [("theirs", theirs), ("ours", ours)], decisions, rewards, contexts,
            test_size=0.5, batch_size=batch_size, is_ordered=True,
        )
        simulator.run()
        predicted = simulator.bandit_to_predictions
        assert len(predicted["ours"]) == 100
        assert predicted["ours"] == predicted["theirs"]
    shared = MAB(ARMS, LearningPolicy.LinUCB(), np.eye(4))
    simulator = module.Simulator([("shared", shared)], decisions, rewards, test_size=0.5)
    simulator.run()
    assert set(simulator.bandit_to_expectations["shared"]) == set(ARMS)
    shared.fit(decisions[:1], rewards[:1], contexts[:1])  # now it has contexts
    simulator = module.Simulator([("shared", shared)], decisions, rewards, contexts, test_size=0.5)
    simulator.run()
    assert shared.bandit.context_dim == DIM
    assert len(simulator.bandit_to_predictions["shared"]) == 100


def test_the_scaler_is_scikit_learns():
    rng = np.random.default_rng(8)
    ours, theirs = Scaler(4), StandardScaler()
    rows = rng.normal(size=(50, 4)) * [1, 10, 1e-9, 0] + [0, 5, 3, -2]
    assert np.array_equal(ours.scaled(rows), rows)
    for part in (rows[:1], rows[1:20], rows[20:]):
        ours.learn(part)
        theirs.partial_fit(part)
        assert ours.count == theirs.n_samples_seen_
        assert ours.mean == pytest.approx(theirs.mean_)
        scaled = ours.scaled(rows)
        large = theirs.scale_ > 1e-6  # as MABWiser has it
        assert scaled[:, large] == pytest.approx(theirs.transform(rows)[:, large], abs=1e-9)
        assert scaled[:, ~large] == pytest.approx((rows - theirs.mean_)[:, ~large])


@pytest.mark.parametrize("features", [None, np.eye(4)], ids=["without features", "one-hot"])
def test_failures_say_why_and_change_nothing(features):
    mab = MAB(ARMS, LearningPolicy.LinUCB(), features)
    decisions, rewards, contexts = log(10)
    if features is None:
        with pytest.raises(ValueError, match="call fit"):
            mab.predict_expectations([[1.0]])
        with pytest.raises(TypeError, match="need contexts"):
            mab.fit(decisions, rewards)
        with pytest.raises(ValueError, match="the other arms have none"):
            mab.add_arm("e", [1.0])
    mab.fit(decisions, rewards, contexts)
    before = mab.predict_expectations(contexts)
    huge = np.full((1, DIM), 1e30)
    for call, error, text in (
        (lambda: mab.predict(), ValueError, "contexts is None"),
        (lambda: mab.predict([[1.0]]), ValueError, "have 1 values, must have 3"),
        (lambda: mab.predict([1.0, 2.0, 3.0]), TypeError, "two dimensions"),
        (lambda: mab.predict([["x"] * DIM]), TypeError, "must be numbers"),
        (lambda: mab.predict([["1"] * DIM]), TypeError, "must be numbers"),
        (lambda: mab.predict([[1.0], [1.0, 2.0]]), ValueError, "rows of one length"),
        (lambda: mab.predict(huge), ValueError, "1e"),
        (lambda: mab.predict([[float("nan")] * DIM]), ValueError, "nan"),
        (lambda: mab.partial_fit(["a"], [1.0], [[1.0]]), ValueError, "must have 3"),
        (lambda: mab.partial_fit(["a"], [1.0], contexts), ValueError, "10 contexts"),
        (lambda: mab.partial_fit(["a", "b"], [1.0], contexts[:2]), ValueError, "1 rewards"),
        (lambda: mab.partial_fit("a", [1.0], contexts[:1]), TypeError, "decisions must"),
        (lambda: mab.partial_fit(["a", "z"], [1, 2], contexts[:2]), KeyError, "no arm 'z'"),
        (lambda: mab.partial_fit(["a", "b"], [1, np.nan], contexts[:2]), ValueError, "nan"),
        (lambda: mab.partial_fit(["a", "b"], [1, 1], np.vstack([contexts[:1], huge])),
         ValueError, "1e"),
        (lambda: mab.fit(["a", "z"], [1, 2], contexts[:2]), KeyError, "no arm 'z'"),
    ):
        with pytest.raises(error, match=text):
            call()
        assert mab.predict_expectations(contexts) == before
        assert mab.arms == ARMS


@pytest.mark.parametrize("scale", [False, True])
def test_a_first_fit_that_fails_says_why(scale):
    contexts = [[1.0, 2.0], [3.0, 4.0]]
    for rewards, rows, text in (
        ([1.0, float("nan")], contexts, "reward 1 is nan, must be finite"),
        ([1.0, 2e9], contexts, "reward 1 is 2000000000.0, .* at most 1e[+]09"),
        ([1.0, 1.0], [[1.0, 2.0], [3.0, float("nan")]], "value 1 of context 1 is nan"),
        ([1.0, 1.0], [[1.0, 2.0], [-1e200, 0.0]], "value 0 of context 1 is -1e[+]200"),
    ):
        for first in (MAB.fit, MAB.partial_fit):
            mab = MAB(ARMS, LearningPolicy.LinUCB(scale=scale))
            with pytest.raises(manyarms.errors.InvalidArgumentError, match=text):
                first(mab, ["b", "a"], rewards, rows)
            assert mab.cold_arms == ARMS
            with pytest.raises(ValueError, match="call fit before predictions"):
                mab.predict(contexts)


@pytest.mark.parametrize("scale", [False, True])
def test_a_partial_fit_that_fails_changes_no_arm(scale):
    # Some arms have rewards already, and others are new with the rewards that are refused.
    mab = MAB(ARMS, LearningPolicy.LinUCB(scale=scale))
    mab.fit(*log(10, arms=["a", "b"]))
    decisions, rewards, contexts = log(20, seed=3)
    before = mab.predict_expectations(contexts)
    with pytest.raises(ValueError, match="reward 19 is nan"):
        mab.partial_fit(decisions, [*rewards[:19], float("nan")], contexts)
    with pytest.raises(ValueError, match="value 0 of context 19 is nan"):
        mab.partial_fit(decisions, rewards, [*contexts[:19], [np.nan] * DIM])
    assert mab.predict_expectations(contexts) == before and mab.cold_arms == ["c", "d"]
    if scale:  # deviations of tenths of thousandths make large values of small ones
        mab.fit(["a", "a"], [1.0, 2.0], [[1e5, 1.0, 1.0], [1e5 + 1e-4, 1.0, 1.0]])
        with pytest.raises(ValueError, match="value 0 of context 0 is .* after scaling"):
            mab.predict([[0.0, 0.0, 0.0]])


@pytest.mark.parametrize("features", [None, np.eye(4)], ids=["without features", "one-hot"])
def test_a_call_that_fails_changes_no_later_draw(features):
    mab, twin = (MAB(ARMS, LearningPolicy.LinTS(), features) for _ in range(2))
    decisions, rewards, contexts = log(10)
    for bad_fit in (
        (["a", "z"], [1.0, 2.0], contexts[:2]),
        (["a"], [float("nan")], contexts[:1]),
        (["a"], [1.0], [[float("inf")] * DIM]),
    ):
        with pytest.raises((KeyError, ValueError)):
            mab.fit(*bad_fit)
    for both in (mab, twin):
        both.fit(decisions, rewards, contexts)
    bad = [*contexts[:3], [float("nan")] * DIM]
    for call in (mab.predict, mab.predict_expectations):
        with pytest.raises(ValueError, match="value 0 of context 3 is nan"):
            call(bad)
    assert mab.predict_expectations(contexts) == twin.predict_expectations(contexts)
    for both in (mab, twin):
        both.fit(decisions, rewards, contexts)
    again = mab.predict_expectations(contexts)
    assert again == twin.predict_expectations(contexts)


def test_the_first_partial_fit_decides_about_contexts():
    mab = MAB(ARMS, LearningPolicy.LinUCB(), np.eye(4))
    mab.partial_fit(["a"], [1.0])
    before = mab.predict_expectations()
    with pytest.raises(ValueError, match="contexts have 3 values, must have 0"):
        mab.partial_fit(*log(5))
    assert mab.predict_expectations() == before and mab.cold_arms == ["b", "c", "d"]


@pytest.mark.parametrize("features", [None, np.eye(4)], ids=["without features", "one-hot"])
def test_contexts_must_be_numbers_all_of_them(features):
    mab = MAB(ARMS, LearningPolicy.LinUCB(), features)
    mab.fit(*log(10))
    expected = mab.predict_expectations(np.ones((1, DIM)))
    masked = np.ma.masked_greater(np.ones((1, DIM)), 0.5)
    missing = manyarms.errors.InvalidArgumentError
    for contexts, error, text in (
        (masked, TypeError, "what is behind the mask"),
        ([masked[0]], TypeError, "what is behind the mask"),
        (np.full((1, DIM), "1.0"), TypeError, "must be numbers"),
        ([[1.0, 1.0, "1.0"]], TypeError, "must be numbers"),
        (np.array([[1.0, 1.0, "1.0"]], dtype=object), TypeError, "must be numbers"),
        (np.ones((1, DIM), dtype=complex), TypeError, "must be numbers"),
        ([[1.0, 1.0, None]], missing, "missing values"),
        (pd.DataFrame([[1.0, 1.0, pd.NA]]), missing, "missing values"),
        (pd.DataFrame([[1, 1, pd.NA]], dtype="Int64"), missing, "missing values"),
        (scipy.sparse.csr_matrix(np.ones((1, DIM))), TypeError, "must be dense"),
    ):
        for call in (mab.predict, lambda rows: mab.partial_fit(["a"], [1.0], rows)):
            with pytest.raises(error, match=text):
                call(contexts)
    with pytest.raises(TypeError, match="what is behind the mask"):
        mab.partial_fit(["a"], np.ma.masked_greater([1.0], 0.5), np.ones((1, DIM)))
    for contexts in (
        np.ones((1, DIM)), np.ones((1, DIM), dtype=np.float32), [[1, 1, 1]], [[True, 1, 1.0]],
        pd.DataFrame([[1, True, 1.0]]), pd.DataFrame([[1, 1, 1]], dtype="Int64"),
        pa.table({"x": [1.0], "y": [1], "z": [1.0]}),
    ):
        assert mab.predict_expectations(contexts) == expected
    for bad in (np.ma.masked_greater(np.ones((4, 4)), 0.5), np.full((4, 4), "1")):
        with pytest.raises(TypeError, match="features must"):
            MAB(ARMS, LearningPolicy.LinUCB(), bad)


def test_policies_are_checked():
    for policy, error in (
        (LearningPolicy.LinUCB(l2_lambda=0), ValueError),
        (LearningPolicy.LinGreedy(l2_lambda=-1), ValueError),
        (LearningPolicy.LinUCB(alpha=None), TypeError),
        (LearningPolicy.LinUCB(alpha=-1), ValueError),
        (LearningPolicy.LinUCB(scale=1), TypeError),
    ):
        with pytest.raises(error, match="l2_lambda|alpha|exploration|scale"):
            MAB(ARMS, policy).fit(*log(2))
    with pytest.raises(manyarms.errors.UnsupportedError, match="scale"):
        MAB(ARMS, LearningPolicy.LinUCB(scale=True), np.eye(4))
    neighbors = importlib.import_module("mabwiser.mab").NeighborhoodPolicy.Radius(1)
    with pytest.raises(manyarms.errors.UnsupportedError, match="no neighborhood policies"):
        MAB(ARMS, LearningPolicy.LinUCB(), neighbors)
    for arguments in ({"n_jobs": 0}, {"n_jobs": "2"}, {"backend": 3}, {"seed": "x"}):
        with pytest.raises((TypeError, ValueError), match=next(iter(arguments))):
            MAB(ARMS, LearningPolicy.LinUCB(), **arguments)
    for arms in ("abc", 7, ["a", "a"], [1, None]):
        with pytest.raises((TypeError, ValueError)):
            MAB(arms, LearningPolicy.LinUCB())


def test_copies_go_their_own_ways():
    _, mab = theirs_and(LearningPolicy.LinTS())
    mab.fit(*log(10))
    contexts = log(6, seed=2)[2]
    for twin in (pickle.loads(pickle.dumps(mab)), copy.deepcopy(mab)):
        drawn = twin.predict_expectations(contexts)
        assert drawn == copy.deepcopy(mab).predict_expectations(contexts)
        twin.partial_fit(*log(5))
    assert mab.predict_expectations(contexts) == drawn


def test_threads_may_fit_and_predict():
    _, mab = theirs_and(LearningPolicy.LinTS())
    mab.fit(*log(10))
    contexts = log(3)[2]

    def often(work):
        def repeat():
            for i in range(100):
                work(i)
        return repeat

    together(
        often(lambda i: mab.predict(contexts)),
        often(lambda i: mab.predict_expectations(contexts)),
        often(lambda i: mab.partial_fit(*log(3, seed=i))),
        often(lambda i: mab.fit(*log(5, seed=i))),
        often(lambda i: (mab.add_arm(i), mab.remove_arm(i))),
    )
    assert mab.arms == ARMS
