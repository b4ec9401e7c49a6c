"""Arms from Parquet files."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from manyarms._columns import as_array
from manyarms._log import require_parquet, readable
from manyarms.errors import InvalidArgumentError


def read_arms(path: str) -> tuple[Any, list[str] | None]:
    """The features of arms, a row for each, and their names if they have any.

    A column ``arm`` has the names, or the numbers 0, 1, 2, ...; the other columns
    are features, or one column has lists of them.
    """
    pa = require_parquet()
    with readable(pa, path):
        table = pa.parquet.read_table(path)
    names = None
    if "arm" in table.column_names:
        names = _names(pa, table.column("arm"), path)
        table = table.drop_columns(["arm"])
    if table.num_columns == 0:
        raise InvalidArgumentError(f"{path} has no columns of features")
    single = table.num_columns == 1 and pa.types.is_nested(table.schema.types[0])
    rows = as_array(table.column(0) if single else table, "features")
    if rows.ndim != 2 or rows.dtype.kind not in "fiu":
        raise InvalidArgumentError(f"{path} has columns that are no numbers")
    return rows.astype(np.float32 if rows.dtype == np.float32 else np.float64), names


def _names(pa: Any, column: Any, path: str) -> list[str] | None:
    values = column.to_pylist()
    if all(isinstance(value, str) for value in values):
        for name in values:
            if "\n" in name:
                raise InvalidArgumentError(f"{path}: the name {name!r} has two lines")
        return list(values)
    if values != list(range(len(values))):
        raise InvalidArgumentError(
            f"{path}: the column arm must have texts, or the numbers 0, 1, 2, ... in order"
        )
    return None


def write_plain(source: str, arms: pathlib.Path, names: pathlib.Path) -> bool:
    """Writes a .npy file, and a file of names if there are any."""
    rows, texts = read_arms(source)
    np.save(arms, rows)
    if texts is None:
        return False
    names.write_text("".join(f"{name}\n" for name in texts), encoding="utf-8", newline="\n")
    return True
