"""What callers may hand in, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = Union[
    Sequence[int],
    Sequence[str],
    Sequence[Union[int, str]],  # all of one kind, which a type cannot say
    "NDArray[np.integer]",
    "NDArray[np.str_]",
]
Features: TypeAlias = Union["NDArray[np.float32]", "NDArray[np.float64]"]
Mask: TypeAlias = "NDArray[np.bool_]"
