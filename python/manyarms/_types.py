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
Features: TypeAlias = Union["NDArray[np.float32]", "NDArray[np.float64]"]
Mask: TypeAlias = Union["NDArray[np.bool_]", Column]
