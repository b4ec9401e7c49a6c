"""Columns of choices, checked: nothing is rounded, wrapped or guessed."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyarms.errors import InvalidArgumentError

_MOST = 2**64 - 1


def array_of(values: Any, name: str) -> NDArray[Any]:
    """The values as they are, without a common type being forced on them."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidArgumentError(f"column '{name}': {error}") from error
    if array.ndim != 1:
        raise InvalidArgumentError(
            f"column '{name}' has the shape {array.shape}, must be a list of values")
    if array.dtype.kind == "U" and not hasattr(values, "dtype"):
        # NumPy makes strings of numbers that stand among strings.
        array = np.empty(len(array), dtype=object)
        array[:] = list(values)
    return array


def rows_of(values: Any, name: str, count: int) -> NDArray[np.float32]:
    """A table, or a list of rows."""
    try:
        table = np.ascontiguousarray(
            values if isinstance(values, np.ndarray) and values.dtype != object
            else list(values), dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(f"column '{name}': {error}") from error
    if table.ndim != 2 or len(table) != count:
        raise InvalidArgumentError(
            f"column '{name}' has the shape {table.shape}, must have {count} rows")
    return table


@dataclasses.dataclass(frozen=True)
class Column:
    """One value for each choice, and the choices' lines for messages."""

    name: str
    values: NDArray[Any]
    lines: NDArray[np.uint64]

    def whole_numbers(self, least: int) -> NDArray[np.uint64]:
        """Floats are whole numbers if they have no fraction, as from data frames."""
        self._check(lambda value: _is_whole(value, least), "iuf",
                    f"must be a whole number from {least} to {_MOST}")
        return self.values.astype(np.uint64)

    def numbers(self) -> NDArray[np.float64]:
        """NaN and None are values that are missing."""
        if self.values.dtype.kind not in "iufb":
            self._check(lambda value: value is None or _is_flag(value)
                        or isinstance(value, numbers.Real), "", "must be a number")
        return self.values.astype(np.float64)

    def flags(self) -> NDArray[np.bool_]:
        self._check(lambda value: _is_flag(value) or _is_whole(value, 0) and value <= 1,
                    "iufb", "must be True or False")
        return self.values.astype(np.bool_)

    def keys(self) -> list[int | str]:
        self._check(lambda value: isinstance(value, str) or _is_whole(value, 0), "iuf",
                    f"must be a string or a whole number from 0 to {_MOST}")
        return [value if isinstance(value, str) else int(value)
                for value in self.values.tolist()]

    def _check(self, fits: Callable[[Any], bool], numeric: str, must: str) -> None:
        """Calls fits for each value that differs from the others, if it can sort them."""
        values = self.values
        if values.dtype.kind in numeric:
            values = np.unique(values)
        if all(fits(value) for value in values.tolist()):
            return
        for line, value in zip(self.lines, self.values.tolist()):
            if not fits(value):
                raise InvalidArgumentError(
                    f"line {line}: column '{self.name}' is {value!r}, {must}")


def _is_flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def _is_whole(value: Any, least: int) -> bool:
    if _is_flag(value) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    # The comparison refuses NaN and infinities before int does.
    return bool(least <= value <= _MOST and value == int(value))
