"""What callers may hand in, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

class Column(Protocol):
    """pandas' columns, for instance."""

    def to_numpy(self) -> Any: ...


Ids: TypeAlias = Union[
    Sequence[int],
    Sequence[str],
    Sequence[Union[int, str]],  # all of one kind, which a type cannot say
    "NDArray[np.integer]",
    "NDArray[np.str_]",
    Column,
]
Features: TypeAlias = Union["NDArray[np.float32]", "NDArray[np.float64]"]
Mask: TypeAlias = Union["NDArray[np.bool_]", Column]
