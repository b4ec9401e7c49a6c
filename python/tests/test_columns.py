"""Ids, features, masks and rewards from pandas and Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pytest
import scipy.sparse
from random_arms import arms

from manyarms import Bandit

GIVEN = arms(3)
FRAME = pandas.DataFrame(GIVEN, columns=list("abcd"))


def added(ids: Any, features: Any) -> Bandit:
    bandit = Bandit(4)
    bandit.add_arms(ids, features)
    return bandit


@pytest.mark.parametrize("ids", [
    pa.array([5, 6, 7]),
    pa.array([5, 6, 7], type=pa.uint8()),
    pa.chunked_array([[5, 6], [7]]),
    pa.array([5, 6, 7]).dictionary_encode(),
    pandas.Series([5, 6, 7], dtype="Int64"),
    pandas.Series([5, 6, 7], dtype="UInt8"),
    pandas.Series([5, 6, 7], dtype="int64[pyarrow]"),
    pandas.Index([5, 6, 7], dtype="Int32"),
])
def test_ints_of_any_column_are_ids(ids: Any) -> None:
    assert sorted(added(ids, GIVEN).ids) == [5, 6, 7]


@pytest.mark.parametrize("ids", [
    pa.array(["x", "y", "z"]),
    pa.array(["x", "y", "z"], type=pa.large_string()),
    pa.chunked_array([["x"], ["y", "z"]]),
    pa.array(["x", "y", "z"]).dictionary_encode(),
    pandas.Series(["x", "y", "z"]),
    pandas.Series(["x", "y", "z"], dtype="string"),
    pandas.Series(["x", "y", "z"], dtype="string[pyarrow]"),
    pandas.Series(["x", "y", "z"], dtype="category"),
])
def test_strings_of_any_column_are_ids(ids: Any) -> None:
    assert sorted(added(ids, GIVEN).ids) == ["x", "y", "z"]


@pytest.mark.parametrize("features", [
    FRAME.astype("Float64"),
    FRAME.astype("Float32"),
    FRAME.astype("float[pyarrow]"),
    pa.Table.from_pandas(FRAME),
    pa.RecordBatch.from_pandas(FRAME),
    pa.FixedSizeListArray.from_arrays(pa.array(GIVEN.ravel()), 4),
    pa.chunked_array([pa.FixedSizeListArray.from_arrays(pa.array(GIVEN[:1].ravel()), 4),
                      pa.FixedSizeListArray.from_arrays(pa.array(GIVEN[1:].ravel()), 4)]),
    pa.table({"embedding": pa.FixedSizeListArray.from_arrays(pa.array(GIVEN.ravel()), 4)}),
    pa.array(GIVEN.tolist()),
    pandas.Series(GIVEN.tolist()),
    pandas.Series(list(GIVEN)),
    pandas.Series(GIVEN.tolist(), dtype=pandas.ArrowDtype(pa.list_(pa.float32()))),
])
def test_rows_of_any_table_are_features(features: Any) -> None:
    np.testing.assert_allclose(added([0, 1, 2], features).features([0, 1, 2]), GIVEN,
                               rtol=1e-6)


def test_integers_of_any_table_are_features() -> None:
    frame = pandas.DataFrame(np.arange(12).reshape(3, 4)).astype("Int64")
    np.testing.assert_array_equal(added([0, 1, 2], frame).features([0, 1, 2]),
                                  np.arange(12).reshape(3, 4))


@pytest.mark.parametrize("mask", [
    pa.array([False, True, False]),
    pandas.Series([False, True, False], dtype="boolean"),
    pandas.Series([False, True, False], dtype="bool[pyarrow]"),
])
def test_bools_of_any_column_are_a_mask(mask: Any) -> None:
    bandit = added([0, 1, 2], GIVEN)
    assert bandit.choose(eligible=mask).arm == bandit.ids[1]


@pytest.mark.parametrize("rewards", [
    pa.array([0.5, 1.5]),
    pandas.Series([0.5, 1.5], dtype="Float64"),
    pandas.Series([0.5, 1.5], dtype="double[pyarrow]"),
])
def test_numbers_of_any_column_are_rewards(rewards: Any) -> None:
    bandit, same = added([0, 1, 2], GIVEN), added([0, 1, 2], GIVEN)
    bandit.observe_many([0, 2], rewards)
    same.observe_many([0, 2], [0.5, 1.5])
    np.testing.assert_array_equal(bandit.mean, same.mean)


def test_missing_values_are_refused_and_nothing_changes() -> None:
    bandit = added([0, 1, 2], GIVEN)
    holes = FRAME.astype("Float64")
    holes.loc[1, "b"] = pandas.NA
    for call in (
        lambda: bandit.add_arms(pa.array([3, None, 5]), GIVEN),
        lambda: bandit.add_arms(pandas.Series([3, None, 5], dtype="Int64"), GIVEN),
        lambda: bandit.add_arms([3, 4, 5], holes),
        lambda: bandit.add_arms([3, 4, 5], pa.Table.from_pandas(holes)),
        lambda: bandit.choose(eligible=pa.array([True, None, False])),
        lambda: bandit.observe_many([0, 1], pa.array([0.5, None])),
    ):
        with pytest.raises(ValueError, match="missing"):
            call()
    assert len(bandit) == 3


def test_what_cannot_be_features_is_explained() -> None:
    bandit = added([0, 1, 2], GIVEN)
    with pytest.raises(TypeError, match="toarray"):
        bandit.add_arms([3, 4, 5], scipy.sparse.csr_matrix(GIVEN))
    with pytest.raises(ValueError, match="one length"):
        bandit.add_arms([3, 4], pandas.Series([[1.0, 2.0], [1.0]]))
    with pytest.raises(TypeError):
        bandit.add_arms([3, 4], pa.array(["no", "numbers"]))
    assert len(bandit) == 3
