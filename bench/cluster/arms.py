"""Files of arms, made when they are needed."""

from __future__ import annotations

import pathlib

import numpy as np

DIM = 16
_ROWS_OF_A_FILE = 10_000_000
_ROWS_AT_A_TIME = 1_000_000


def write(folder: pathlib.Path, arms: int) -> list[tuple[str, str]]:
    """Writes pairs of .npy files with standard normal features."""
    return [_write_file(folder, begin, min(_ROWS_OF_A_FILE, arms - begin))
            for begin in range(0, arms, _ROWS_OF_A_FILE)]


def _write_file(folder: pathlib.Path, begin: int, rows: int) -> tuple[str, str]:
    ids, features = folder / f"ids-{begin}.npy", folder / f"features-{begin}.npy"
    np.save(ids, np.arange(begin, begin + rows, dtype=np.uint64))
    target = np.lib.format.open_memmap(features, "w+", np.float32, (rows, DIM))
    for first in range(0, rows, _ROWS_AT_A_TIME):
        some = target[first:first + _ROWS_AT_A_TIME]
        random = np.random.default_rng(begin + first)
        some[:] = random.standard_normal(some.shape, dtype=np.float32)
    target.flush()
    return str(ids), str(features)
