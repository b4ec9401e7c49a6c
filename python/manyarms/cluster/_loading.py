"""Loads arms from files, which all shards read at the same time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import numpy as np

from manyarms.cluster._deadline import Deadline
from manyarms.cluster._shards import Shards
from manyarms.cluster._sources import File, Source
from manyarms.errors import InvalidArgumentError

Progress = Callable[[int, int], object]


def load(shards: Shards, files: Sequence[File], deadline: Deadline,
         progress: Progress | None) -> int:
    """Has all shards take the arms of files, and returns how many they are."""
    (source,) = shards.call("inspect", {0: (_paths(files),)}, deadline).values()
    with _Shown(source, progress) as shown:
        counts = shards.load(source, deadline, shown.update)
    return int(counts.sum())


def _paths(files: Sequence[File]) -> list[tuple[str, ...]]:
    if isinstance(files, (str, bytes, os.PathLike)):
        raise TypeError("files must be a list of files, not a single one")
    return [_path(file) for file in files]


def _path(file: File) -> tuple[str, ...]:
    given = file if isinstance(file, tuple) else (file,)
    paths = tuple(os.path.abspath(os.fspath(path)) for path in given)
    wanted = ".npy" if len(paths) == 2 else ".parquet"
    if len(paths) > 2 or not all(path.endswith(wanted) for path in paths):
        raise InvalidArgumentError(
            f"{', '.join(paths)} must be a .parquet file, or a pair of .npy files: ids and "
            "features")
    return paths


class _Shown:
    """Shows how many rows all shards have read: to the caller, or else on a terminal."""

    def __init__(self, source: Source, progress: Progress | None) -> None:
        self._rows = source.rows
        # Of each shard the number of rows up to each part.
        self._until = np.cumsum([0, *(part.rows for part in source.parts)])
        self._progress = progress or self._print
        self._on_terminal = progress is None and sys.stderr.isatty()

    def update(self, parts: Sequence[int]) -> None:
        self._progress(int(self._until[min(parts)]), self._rows)

    def _print(self, done: int, rows: int) -> None:
        if self._on_terminal:
            sys.stderr.write(f"\r{done:,} of {rows:,} arms read")
            sys.stderr.flush()

    def __enter__(self) -> _Shown:
        return self

    def __exit__(self, *_: object) -> None:
        if self._on_terminal:
            sys.stderr.write("\n")
