"""Names of arms that are neither all ints nor all strings."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from manyarms.errors import DuplicateIdError, InvalidArgumentError, UnknownIdError


def as_list(values: Any) -> list[Any]:
    """The values as Python's own objects."""
    for name in ("tolist", "to_pylist"):  # of NumPy and pandas, and of Arrow
        if hasattr(values, name):
            return list(getattr(values, name)())
    return list(values)


def are_ids(arms: Any) -> bool:
    """Whether a bandit can use the arms as ids: ints from 0 on, or strings."""
    if isinstance(arms, np.ndarray) and arms.dtype.kind != "O":
        return arms.dtype.kind in "iuUT"
    if not isinstance(arms, (list, tuple, np.ndarray)):
        return True  # ranges, and columns of pandas and Arrow
    return all(isinstance(arm, str) for arm in arms) or all(
        isinstance(arm, (int, np.integer)) and not isinstance(arm, bool) and arm >= 0
        for arm in arms
    )


class ArmLabels:
    """Numbers arms of any hashable kind 0, 1, 2, ... in the order of adding."""

    def __init__(self, arms: Any = ()) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._labels: dict[int, Any] = {}
        self._given = 0
        for arm in as_list(arms):
            self.add(arm)

    @property
    def arms(self) -> list[Any]:
        """All arms, in the order of adding."""
        return list(self._numbers)

    @property
    def all_numbers(self) -> list[int]:
        """The numbers of all arms, in the same order."""
        return list(self._numbers.values())

    def add(self, arm: Hashable) -> int:
        if arm is None or (isinstance(arm, float) and not math.isfinite(arm)):
            raise InvalidArgumentError(
                f"an arm is {arm}, must be an int, a string, a finite float or another "
                "hashable object"
            )
        if arm in self._numbers:
            raise DuplicateIdError(f"arm {arm!r} is there already")
        self._numbers[arm] = self._given
        self._labels[self._given] = arm
        self._given += 1
        return self._given - 1

    def remove(self, arm: Hashable) -> int:
        number = self.number(arm)
        del self._numbers[arm], self._labels[number]
        return number

    def label(self, number: int) -> Any:
        return self._labels[number]

    def number(self, arm: Hashable) -> int:
        try:
            return self._numbers[arm]
        except KeyError:
            raise UnknownIdError(f"there is no arm {arm!r}") from None

    def numbers(self, arms: Any) -> list[int]:
        return [self.number(arm) for arm in as_list(arms)]
