"""Repeats the paper's tables from Python."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
from collections.abc import Sequence
from typing import Any

from manyarms import _program, _rows
from manyarms.errors import ReproductionError


def reproduce(
    tables: Sequence[str | int] | None = None,
    *,
    quick: bool = False,
    runs: int | None = None,
    users: int | None = None,
    threads: int = 1,
    seed: int = 1,
    movielens: str | os.PathLike[str] | None = None,
    experiments: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
) -> list[dict[str, Any]]:
    """Repeats tables of the paper and returns a flat dict for each run.

    ``pandas.DataFrame(manyarms.reproduce([1], quick=True))`` is a table of runs;
    docs/rows.md says what the columns mean.

    Parameters
    ----------
    tables: tables to make, such as ``[1, 4]``; all by default (Table 3 needs
        MovieLens).
    quick: takes a few minutes instead of hours, with fewer runs.
    runs: runs of each algorithm in synthetic worlds.
    users: users of Table 3.
    threads: number of runs at a time; times are most accurate with 1.
    seed: seed of the first run.
    movielens: folder of the MovieLens-1M ratings, for Table 3.
    experiments: folder of your own tables, to use instead of the paper's.
    out: folder in which rows, tables and a page with plots are kept. Runs whose
        rows are there are not repeated.
    """
    flags = ["--threads", str(threads), "--seed", str(seed)]
    if tables is not None:
        if isinstance(tables, (str, bytes)):
            raise TypeError("tables must be a list such as [1, 4], not a string")
        flags += ["--tables", ",".join(str(table) for table in tables)]
    if quick:
        flags += ["--quick"]
    if runs is not None:
        flags += ["--runs", str(runs)]
    if users is not None:
        flags += ["--users", str(users)]
    if movielens is not None:
        flags += ["--movielens", os.fspath(movielens)]
    if experiments is not None:
        flags += ["--experiments", os.fspath(experiments)]
    if out is not None:
        return _run(flags, pathlib.Path(out))
    with tempfile.TemporaryDirectory() as folder:
        return _run(flags, pathlib.Path(folder))


def _run(flags: list[str], folder: pathlib.Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [str(_program.path()), "reproduce", *flags, "--out", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        reason = lines[-1].removeprefix("manyarms: ") if lines else "it failed"
        raise ReproductionError(reason)
    with open(folder / "rows.jsonl", encoding="utf-8") as rows:
        return [_rows.parse(line) for line in rows]
