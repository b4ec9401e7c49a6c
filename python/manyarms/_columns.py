"""Columns and tables of pandas, Arrow and others as NumPy arrays."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from manyarms.errors import InvalidArgumentError


def as_array(given: Any, name: str) -> Any:
    """Returns an array of what has a to_numpy or comes from pyarrow.

    A missing value is no value, so it is refused; to_numpy would make it NaN, None or
    an object of pandas, according to the type. ``name`` is the argument's name.
    """
    library = type(given).__module__.partition(".")[0]
    if library == "pyarrow":
        array = _from_arrow(given, name)
    elif library == "pandas":
        array = _from_pandas(given, name)
    else:
        array = given.to_numpy()
    if array.dtype == object and array.ndim == 1 and len(array) > 0:
        return _stacked(array, name)
    return array


def _from_arrow(given: Any, name: str) -> Any:
    pa: Any = importlib.import_module("pyarrow")

    if isinstance(given, (pa.Table, pa.RecordBatch)):
        columns = [_from_arrow(column, name) for column in given.columns]
        if len(columns) == 1:
            array = columns[0]
            return array if array.ndim == 2 else array.reshape(-1, 1)
        return np.column_stack(columns) if columns else np.empty((0, 0))
    if isinstance(given, pa.ChunkedArray):
        given = pa.concat_arrays(given.chunks or [pa.array([], type=given.type)])
    if pa.types.is_dictionary(given.type):
        given = given.dictionary_decode()
    if pa.types.is_fixed_size_list(given.type):
        _refuse_missing(given.null_count, name)
        values = _from_arrow(given.flatten(), name)
        return values.reshape(len(given), given.type.list_size)
    _refuse_missing(given.null_count, name)
    return given.to_numpy(zero_copy_only=False)


def _from_pandas(given: Any, name: str) -> Any:
    dtypes = [given.dtype] if hasattr(given, "dtype") else list(given.dtypes)
    if all(isinstance(dtype, np.dtype) for dtype in dtypes):
        return given.to_numpy()
    # Nullable and Arrow-backed columns.
    _refuse_missing(int(np.asarray(given.isna()).sum()), name)
    kinds = {getattr(dtype, "numpy_dtype", np.dtype(object)).kind
             if not isinstance(dtype, np.dtype) else dtype.kind for dtype in dtypes}
    if kinds == {"b"}:
        return given.to_numpy(dtype=bool)
    if kinds == {"u"}:
        return given.to_numpy(dtype=np.uint64)
    if kinds == {"i"}:
        return given.to_numpy(dtype=np.int64)
    if kinds <= {"f", "i", "u"}:
        return given.to_numpy(dtype=np.float64)
    return given.to_numpy(dtype=object)


def _refuse_missing(count: int, name: str) -> None:
    if count > 0:
        raise InvalidArgumentError(
            f"{name} must not have missing values, but {count} are missing"
        )


def _stacked(array: Any, name: str) -> Any:
    """A column of rows as a two-dimensional array; any other column as it is."""
    if not all(isinstance(row, (list, tuple, np.ndarray)) for row in array):
        return array
    try:
        return np.stack(list(map(np.asarray, array)))
    except ValueError:
        raise InvalidArgumentError(f"{name} must have rows of one length") from None
