"""Standardised contexts, as MABWiser's scale=True has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LEAST_DEVIATION = 1e-6  # as in MABWiser: smaller ones count as 1


class Scaler:
    """Subtracts the mean and divides by the standard deviation of all rows so far."""

    def __init__(self, dim: int) -> None:
        self.count = 0
        self.mean = np.zeros(dim)
        self._squares = np.zeros(dim)  # sums of squared distances from the mean

    def learn(self, rows: NDArray[np.float64]) -> None:
        count = self.count + len(rows)
        mean = rows.mean(axis=0)
        apart = mean - self.mean
        self._squares = (
            self._squares
            + ((rows - mean) ** 2).sum(axis=0)
            + apart**2 * (self.count * len(rows) / count)
        )
        self.mean = self.mean + apart * (len(rows) / count)
        self.count = count

    def scaled(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows as they are if none was learned."""
        if self.count == 0:
            return rows
        deviation = np.sqrt(self._squares / self.count)
        deviation[deviation <= _LEAST_DEVIATION] = 1.0
        result: NDArray[np.float64] = (rows - self.mean) / deviation
        return result
