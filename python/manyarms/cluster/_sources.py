"""Files of arms, which shards read in parts."""

from __future__ import annotations

import importlib
import os
import pathlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from manyarms._log import readable, require_parquet
from manyarms.cluster._buckets import Ids
from manyarms.cluster._change import Features
from manyarms.errors import CorruptFileError, FileError, _file_error

# A Parquet file, or two .npy files: ids and features.
Path = Union[str, "os.PathLike[str]"]
File = Union[Path, tuple[Path, Path]]

ROWS_AT_A_TIME = 65_536
_ROWS_OF_A_PART = 4 * ROWS_AT_A_TIME


@dataclass(frozen=True)
class SourceFile:
    """A file, or a pair of them, as it was when it was loaded."""

    paths: tuple[str, ...]
    stamps: tuple[tuple[int, int], ...]  # size and time of the last change


@dataclass(frozen=True)
class Part:
    """Some rows of a file: of a Parquet file a row group."""

    file: SourceFile
    group: int
    begin: int
    rows: int


@dataclass(frozen=True)
class Source:
    """Files that were loaded together."""

    parts: tuple[Part, ...]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.parts)


@dataclass(frozen=True)
class Rows:
    """Some rows of a part."""

    name: str
    places: NDArray[np.int64]  # in the file
    ids: Ids
    features: Features


def inspect(files: Sequence[tuple[str, ...]], dim: int) -> Source:
    """Finds the parts of files, without reading their rows."""
    parts: list[Part] = []
    for paths in files:
        file = SourceFile(paths, tuple(map(_stamp, paths)))
        parts += _npy_parts(file, dim) if len(paths) == 2 else _parquet_parts(file, dim)
    return Source(tuple(parts))


def read(part: Part, dim: int) -> Iterator[Rows]:
    """The rows of a part, some at a time. Raises FileError if the file has changed."""
    for path, stamp in zip(part.file.paths, part.file.stamps):
        if _stamp(path) != stamp:
            raise FileError(f"{path} has changed since it was loaded")
    yield from (_read_npy if len(part.file.paths) == 2 else _read_parquet)(part, dim)


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError as error:
        raise _file_error(error.errno or 0, error.strerror or "", pathlib.Path(path)) from None
    return found.st_size, found.st_mtime_ns


def _open_npy(path: str) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise CorruptFileError(f"{path} is not a .npy file of numbers: {error}") from None


def _npy_parts(file: SourceFile, dim: int) -> list[Part]:
    ids, features = map(_open_npy, file.paths)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise CorruptFileError(
            f"{file.paths[0]} must have one dimension of ints, it has {ids.shape} of {ids.dtype}"
        )
    if features.dtype.kind not in "fiu" or features.shape != (len(ids), dim):
        raise CorruptFileError(
            f"{file.paths[1]} must have {len(ids)} rows of {dim} numbers, it has "
            f"{features.shape} of {features.dtype}"
        )
    return [Part(file, 0, begin, min(_ROWS_OF_A_PART, len(ids) - begin))
            for begin in range(0, len(ids), _ROWS_OF_A_PART)]


def _read_npy(part: Part, dim: int) -> Iterator[Rows]:
    ids, features = map(_open_npy, part.file.paths)
    end = part.begin + part.rows
    for begin in range(part.begin, end, ROWS_AT_A_TIME):
        some = slice(begin, min(begin + ROWS_AT_A_TIME, end))
        yield _checked(part.file.paths[0], begin, np.array(ids[some]), np.array(features[some]))


def _parquet_parts(file: SourceFile, dim: int) -> list[Part]:
    pa = require_parquet()
    (path,) = file.paths
    with readable(pa, path), pa.parquet.ParquetFile(path) as opened:
        schema, metadata = opened.schema_arrow, opened.metadata
        for column in ("arm", "features"):
            if column not in schema.names:
                raise CorruptFileError(f"{path} has no column {column}")
        kind = schema.field("features").type
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)
                or pa.types.is_fixed_size_list(kind)):
            raise CorruptFileError(f"{path}: the column features has no lists, but {kind}")
        if not pa.types.is_integer(schema.field("arm").type):
            raise CorruptFileError(
                f"{path}: the column arm must have ints, it has {schema.field('arm').type}"
            )
        parts, begin = [], 0
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            parts.append(Part(file, group, begin, rows))
            begin += rows
        return parts


def _read_parquet(part: Part, dim: int) -> Iterator[Rows]:
    pa, compute = require_parquet(), importlib.import_module("pyarrow.compute")
    (path,) = part.file.paths
    begin = part.begin
    with readable(pa, path), pa.parquet.ParquetFile(path) as opened:
        batches = opened.iter_batches(
            ROWS_AT_A_TIME, row_groups=[part.group], columns=["arm", "features"])
        for batch in batches:
            ids, lists = batch.column("arm"), batch.column("features")
            for column, name in ((ids, "arm"), (lists, "features")):
                if column.null_count > 0:
                    row = begin + int(np.argmax(column.is_null().to_numpy(False)))
                    raise CorruptFileError(f"{path}, row {row}: {name} is missing")
            lengths = compute.list_value_length(lists).to_numpy(False)
            if np.any(lengths != dim):
                place = int(np.argmax(lengths != dim))
                raise CorruptFileError(
                    f"{path}, row {begin + place}: {lengths[place]} features; must be {dim}")
            values = lists.flatten()
            if values.null_count > 0:
                place = int(np.argmax(values.is_null().to_numpy(False))) // dim
                raise CorruptFileError(f"{path}, row {begin + place}: a feature is missing")
            rows = values.to_numpy(False).reshape(-1, dim)
            yield _checked(path, begin, ids.to_numpy(False), rows)
            begin += len(batch)


def _checked(name: str, begin: int, ids: Any, features: Any) -> Rows:
    if ids.dtype.kind == "i" and len(ids) > 0 and ids.min() < 0:
        place = int(np.argmax(ids < 0))
        raise CorruptFileError(
            f"{name}, row {begin + place}: arm {ids[place]}; must be from 0 to 2**64 - 1")
    with np.errstate(over="ignore"):  # what is too large becomes infinite and is refused
        rows = np.ascontiguousarray(features, dtype=np.float32)
    return Rows(name, begin + np.arange(len(ids)), ids.astype(np.uint64), rows)
