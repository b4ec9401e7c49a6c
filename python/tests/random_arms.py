"""Random features, which several tests share."""

from __future__ import annotations

import numpy as np


def arms(count: int, dim: int = 4, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)
