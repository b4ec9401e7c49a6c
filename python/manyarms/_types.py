"""Types of arguments, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

class Column(Protocol):
    """A column of a data frame, for instance pandas.Series."""

    def to_numpy(self) -> Any: ...


Ids: TypeAlias = Union[
    Sequence[int],
    Sequence[str],
    Sequence[Union[int, str]],  # all must be of one kind, which no type can express
    "NDArray[np.integer]",
    "NDArray[np.str_]",
    Column,
]
Array: TypeAlias = Union["NDArray[np.float32]", "NDArray[np.float64]", "NDArray[np.integer]"]
# The features of one arm, and of several.
Row: TypeAlias = Union[Array, Sequence[float]]
Features: TypeAlias = Union[Array, Sequence[Union[Sequence[float], Array]]]
# The same for predict, which returns one or several numbers. An array whose
# shape is not known, as is usual, counts as several rows.
OneRow: TypeAlias = Union[
    "np.ndarray[tuple[int], np.dtype[np.float32]]",
    "np.ndarray[tuple[int], np.dtype[np.float64]]",
    "np.ndarray[tuple[int], np.dtype[np.integer]]",
    Sequence[float],
]
ManyRows: TypeAlias = Union[
    "np.ndarray[tuple[int, int], np.dtype[np.float32]]",
    "np.ndarray[tuple[int, int], np.dtype[np.float64]]",
    "np.ndarray[tuple[int, int], np.dtype[np.integer]]",
    Sequence[Union[Sequence[float], Array]],
]
Mask: TypeAlias = Union["NDArray[np.bool_]", Column]
