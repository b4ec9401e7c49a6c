"""What ids and features may be, and how they may lie in memory."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas
import pytest
from random_arms import arms

from manyarms import Bandit


@pytest.mark.parametrize(
    "ids",
    [
        [3, 1, 2],
        (3, 1, 2),
        range(3, 0, -1),
        np.array([3, 1, 2]),
        np.array([3, 1, 2], dtype=np.uint8),
        np.array([3, 9, 1, 9, 2])[::2],
        [np.int32(3), 1, np.uint64(2)],
    ],
    ids=repr,
)
def test_ids_of_many_kinds(ids: object) -> None:
    bandit = Bandit(4)
    bandit.add_arms(ids, arms(3))  # type: ignore[arg-type]
    assert sorted(bandit.ids) == [1, 2, 3]
    assert bandit.ids.dtype == np.int64  # type: ignore[union-attr]
    assert isinstance(bandit.choose().arm, int)


@pytest.mark.parametrize("ids", [["a", "b", "é"], np.array(["a", "b", "é"]),
                                 np.array(["a", "b", "é"], dtype=object)])
def test_texts_of_many_kinds(ids: object) -> None:
    bandit = Bandit(4)
    bandit.add_arms(ids, arms(3))  # type: ignore[arg-type]
    assert bandit.ids == ["a", "b", "é"]
    assert "é" in bandit and "e" not in bandit
    assert bandit.choose(eligible=["é"]).arm == "é"


def test_pandas_columns_are_ids() -> None:
    bandit = Bandit(4)
    bandit.add_arms(pandas.Series([5, 6]), arms(2))
    bandit.remove_arms(pandas.Index([5]))
    assert list(bandit.ids) == [6]
    assert bandit.choose(eligible=pandas.Series([True])).arm == 6


def test_large_ids_come_back_unsigned() -> None:
    bandit = Bandit(4)
    bandit.add_arms([2**64 - 1], arms(1))
    assert bandit.ids.dtype == np.uint64  # type: ignore[union-attr]
    assert bandit.choose().arm == 2**64 - 1


def test_what_cannot_be_an_id_is_not_there() -> None:
    bandit = Bandit(4)
    bandit.add_arms([3], arms(1))
    assert 3 in bandit and np.uint8(3) in bandit
    for other in (-1, 2**70, None, 3.0, "3", b"3", (3,)):
        assert other not in bandit


@pytest.mark.parametrize(
    "features",
    [
        [[1, 0, 0], [0, 2, 0], [0, 0, 3]],
        ((1.0, 0, 0), (0, 2.0, 0), (0, 0, 3.0)),
        [np.array([1, 0, 0]), [0, 2.0, 0], (0, 0, 3)],
        [np.array([1, 0, 0], dtype=np.float32), np.array([0, 2, 0]), pandas.Series([0, 0, 3])],
        np.diag([1, 2, 3]),
        np.diag([1, 2, 3]).astype(np.uint8),
        np.asfortranarray(np.diag([1, 2, 3]).astype(np.int16)),
        np.diag([1, 0, 2, 0, 3]).astype(np.int32)[::2, ::2],
        pandas.DataFrame(np.diag([1, 2, 3])),
    ],
    ids=repr,
)
def test_features_of_many_kinds(features: Any) -> None:
    bandit, twin = Bandit(3), Bandit(3)
    bandit.add_arms([1, 2, 3], features)
    twin.add_arms([1, 2, 3], np.diag([1, 2, 3]).astype(np.float32))
    assert pickle.dumps(bandit) == pickle.dumps(twin)
    bandit.update_arms([1, 2, 3], features)
    for one in (bandit, twin):
        one.observe_features(np.array([1, 1, 1], dtype=np.float32), 6.0)
    assert np.array_equal(bandit.predict(features), twin.predict(np.diag([1.0, 2.0, 3.0])))


def test_no_arms_in_lists() -> None:
    bandit = Bandit(3)
    bandit.add_arms([], [])
    bandit.update_arms([], ())
    assert len(bandit) == 0
    assert bandit.predict([]).shape == (0,)


def test_a_single_row_is_predicted_by_a_float() -> None:
    bandit = Bandit(3, regularisation=1.0)
    bandit.observe_features([1, 2, 0], 3.0)
    bandit.observe_features((0, 0, 1), -1.0)
    rows = np.array([[1, 2, 3], [4, 5, 6], [0, 0, 1]])
    expected = bandit.predict(rows)
    assert expected.shape == (3,) and expected.dtype == np.float64
    assert expected[2] == pytest.approx(-0.5)
    for lay_out in (list, tuple, np.array, pandas.Series,
                    lambda row: np.array(row, dtype=np.float32),
                    lambda row: np.repeat(np.array(row, dtype=float), 2)[::2]):
        for row, reward in zip(rows.tolist(), expected):
            predicted = bandit.predict(lay_out(row))
            assert type(predicted) is float and predicted == reward


@pytest.mark.parametrize(
    "lay_out",
    [
        lambda x: x,
        lambda x: x.astype(np.float64),
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.ascontiguousarray(x[::-1])[::-1],
        lambda x: np.repeat(x, 3, axis=1)[:, ::3],
    ],
)
def test_features_however_they_lie(lay_out: object) -> None:
    X = arms(50)
    one, other = Bandit(4, "ucb", "scan"), Bandit(4, "ucb", "scan")
    one.add_arms(range(50), X)
    other.add_arms(range(50), lay_out(X))  # type: ignore[operator]
    for arm in range(20):
        one.observe_features(X[arm], 1.0)
        other.observe_features(lay_out(X)[arm], 1.0)  # type: ignore[operator]
        assert one.choose() == other.choose()


def test_features_are_copied() -> None:
    X = arms(3)
    bandit = Bandit(4, "ucb")
    bandit.add_arms(range(3), X)
    before = bandit.choose().score
    X[:] = 0
    assert bandit.choose().score == before


def test_features_may_be_a_data_frame() -> None:
    one, two = Bandit(4), Bandit(4)
    one.add_arms([1, 2], arms(2))
    two.add_arms([1, 2], pandas.DataFrame(arms(2)))
    assert pickle.dumps(one) == pickle.dumps(two)


def test_features_may_lie_askew_in_memory() -> None:
    rows = arms(3)
    askew = np.frombuffer(b"x" + rows.tobytes(), dtype=np.float32, offset=1).reshape(3, 4)
    packed = np.zeros(3, dtype=[("tag", "u1"), ("row", "f4", 4)])
    packed["row"] = rows
    assert not askew.flags.aligned
    expected = Bandit(4)
    expected.add_arms([1, 2, 3], rows)
    for given in (askew, packed["row"]):
        bandit = Bandit(4)
        bandit.add_arms([1, 2, 3], given)
        assert pickle.dumps(bandit) == pickle.dumps(expected)
