"""What callers give, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyarms._columns import as_array
from manyarms.cluster._buckets import Ids
from manyarms.cluster._change import Features
from manyarms.errors import InvalidArgumentError

_MOST_ID = 2**64 - 1


def as_number(given: Any, name: str) -> int:
    """An int from 0 to 2**64 - 1."""
    if isinstance(given, (bool, np.bool_)) or not hasattr(given, "__index__"):
        raise TypeError(f"{name} must be an int, not {type(given).__name__}")
    number = given.__index__()
    if not 0 <= number <= _MOST_ID:
        raise ValueError(f"{name} must be from 0 to 2**64 - 1, not {number}")
    return int(number)


def as_ids(given: Any, name: str = "ids") -> Ids:
    """Ids, which are ints in a cluster."""
    if isinstance(given, range) and len(given) > 0 and min(given[0], given[-1]) >= 0:
        given = np.array(given)
    if hasattr(given, "to_numpy") or type(given).__module__.startswith("pyarrow"):
        given = as_array(given, name)
    if isinstance(given, np.ndarray) and given.dtype.kind in "iu":
        if given.ndim != 1:
            raise TypeError(f"{name} must have one dimension, not {given.ndim}")
        if given.dtype.kind == "i" and len(given) > 0 and given.min() < 0:
            raise ValueError(f"{name} must be from 0 to 2**64 - 1, not {given.min()}")
        return np.ascontiguousarray(given, dtype=np.uint64)
    if not isinstance(given, (list, tuple, np.ndarray)):
        raise TypeError(
            f"{name} must be a list, tuple, range or one-dimensional array of ints, not "
            f"{type(given).__name__}"
        )
    if any(isinstance(one, str) for one in given):
        raise TypeError(f"{name} must be ints: arms of a cluster have no texts for ids")
    return np.array([as_number(one, f"an element of {name}") for one in given], np.uint64)


def as_mask(given: Any) -> NDArray[np.bool_] | None:
    """A mask, or None if these are no bools."""
    if isinstance(given, (list, tuple, range)):
        return None
    if hasattr(given, "to_numpy") or type(given).__module__.startswith("pyarrow"):
        given = as_array(given, "eligible")
    if not isinstance(given, np.ndarray) or given.dtype != bool:
        return None
    if given.ndim != 1:
        raise TypeError(f"a mask must have one dimension, this one has {given.ndim}")
    return given


def as_rows(given: Any, rows: int, dim: int) -> Features:
    """Features of this number of arms, a row of ``dim`` for each."""
    if hasattr(given, "to_numpy") or type(given).__module__.startswith("pyarrow"):
        given = as_array(given, "features")
    array = np.asarray(given)
    if array.size == 0 and rows == 0:
        return np.empty((0, dim), np.float32)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"features must be numbers, not {array.dtype}")
    if array.shape != (rows, dim):
        raise InvalidArgumentError(
            f"features must have {rows} rows of {dim} values, their shape is {array.shape}"
        )
    with np.errstate(over="ignore"):  # what is too large becomes infinite and is refused
        return np.ascontiguousarray(array, dtype=np.float32)


def as_shards(given: Any, most: int) -> int:
    """A number of shards."""
    shards = as_number(given, "shards")
    if not 1 <= shards <= most:
        raise InvalidArgumentError(f"shards must be from 1 to {most}, not {shards}")
    return shards


def as_timeout(given: Any) -> float:
    """Seconds."""
    seconds = float(given)
    if not 0 < seconds < float("inf"):
        raise InvalidArgumentError(f"timeout must be a positive number, not {seconds}")
    return seconds
