"""What callers give as contexts, features and rewards, as arrays of numbers.

Adapters read numbers here and nowhere else, so that all of them refuse what the library
itself refuses: masked arrays, text, missing values, and values beyond the bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyarms._columns import as_array
from manyarms.errors import InvalidArgumentError

# The library's bounds. Adapters check them before they change anything, because the
# library sees numbers one after another, or when a batch is full.
MOST_IN_CONTEXTS = 1e3
MOST_IN_FEATURES = 1e6
MOST_IN_REWARDS = 1e9


def plain(given: Any, name: str) -> Any:
    """Columns and tables as arrays, and anything else as it is, but no masked arrays."""
    if hasattr(given, "to_numpy") or (hasattr(given, "schema") and hasattr(given, "num_rows")):
        given = as_array(given, name)
    rows = given if isinstance(given, (list, tuple)) else (given,)
    if any(isinstance(row, np.ma.MaskedArray) for row in rows):
        raise TypeError(
            f"{name} must not be a masked array: what is behind the mask would count"
        )
    return given


def as_numbers(given: Any, name: str, dtype: Any = np.float64) -> NDArray[Any]:
    """An array of what is given, which must be numbers. ``name`` is the argument's name."""
    values = plain(given, name)
    if hasattr(values, "toarray"):
        raise TypeError(
            f"{name} must be dense, not {type(given).__name__}; {name}.toarray() makes them so"
        )
    try:
        array = np.asarray(values)
    except ValueError:  # of rows that differ in length
        raise InvalidArgumentError(f"{name} must be numbers, in rows of one length") from None
    if array.dtype == object:
        array = _from_objects(array, name)
    elif array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be numbers, not an array of {array.dtype}")
    with np.errstate(over="ignore"):  # infinity is refused where bounds are checked
        return array.astype(dtype, copy=False)


def _from_objects(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    if array.ndim == 0:
        raise TypeError(f"{name} must be an array of numbers, not {type(array.item()).__name__}")
    numbers = np.empty(array.shape)
    for place, value in enumerate(array.flat):
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            raise InvalidArgumentError(f"{name} must not have missing values, but has {value}")
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{name} must be numbers, not {type(value).__name__}")
        try:
            numbers.flat[place] = float(value)
        except OverflowError:
            raise InvalidArgumentError(f"{name} has the value {value}, too large") from None
        except (TypeError, ValueError):
            raise TypeError(f"{name} must be numbers, not {type(value).__name__}") from None
    return numbers


def check_contexts(rows: NDArray[Any], most: float, state: str = "") -> None:
    """Refuses values beyond a bound. ``state`` says what has happened to them before."""
    beyond = ~(np.abs(rows) <= most)  # NaN is beyond
    if beyond.any():
        row, column = np.argwhere(beyond)[0]
        raise InvalidArgumentError(
            f"value {column} of context {row} is {rows[row, column]}{state}, must be finite "
            f"and at most {most:g} in magnitude"
        )


def checked_rewards(given: Any) -> NDArray[np.float64]:
    """Rewards that the library will accept."""
    rewards = as_numbers(given, "rewards")
    if rewards.ndim != 1:
        raise TypeError(f"rewards must have one dimension, these have {rewards.ndim}")
    beyond = ~(np.abs(rewards) <= MOST_IN_REWARDS)
    if beyond.any():
        place = int(beyond.argmax())
        raise InvalidArgumentError(
            f"reward {place} is {rewards[place]}, must be finite and at most "
            f"{MOST_IN_REWARDS:g} in magnitude"
        )
    return rewards
