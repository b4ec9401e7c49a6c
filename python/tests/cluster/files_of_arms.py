"""Files of arms, which tests make."""

from __future__ import annotations

import pathlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet


def write_parquet(path: pathlib.Path, ids: np.ndarray, rows: np.ndarray, *,
                  fixed: bool = True, group: int = 1_000) -> str:
    if fixed:
        lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])
    else:
        lists = pa.array(rows.tolist(), pa.list_(pa.float64()))
    table = pa.table({"arm": pa.array(ids), "features": lists})
    pa.parquet.write_table(table, path, row_group_size=group)
    return str(path)


def write_npy(folder: pathlib.Path, name: str, ids: np.ndarray,
              rows: np.ndarray) -> tuple[str, str]:
    paths = str(folder / f"{name}-ids.npy"), str(folder / f"{name}-features.npy")
    np.save(paths[0], ids)
    np.save(paths[1], rows)
    return paths
