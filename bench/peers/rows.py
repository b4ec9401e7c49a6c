"""Reads and writes the rows of the study, and decides which to measure again."""

from __future__ import annotations

import json
import pathlib

OURS = "manyarms"


def key(row: dict) -> tuple:
    """Rows with the same key measured the same thing. For manyarms the key includes
    the commit."""
    ours = row["rival"].startswith(OURS)
    names = ("rival", "version", "arms", "dim", "asked_steps", "seed", "step_limit",
             "asked_repeats", "machine")
    return (*(row.get(name) for name in names), row.get("commit") if ours else "")


def seeds_key(row: dict) -> tuple:
    names = ("arms", "dim", "steps", "seeds", "machine", "commit")
    return (*row["pair"], *row.get("versions", ()), *(row.get(name) for name in names))


def is_final(row: dict) -> bool:
    """Cells that failed, or were left out because another failed, are tried again,
    since a missing package may have been installed."""
    return not row["outcome"].startswith(("failed", "not "))


def read_rows(path: pathlib.Path) -> list[dict]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def write_rows(path: pathlib.Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(row) + "\n" for row in rows))
    new.replace(path)


def append_row(path: pathlib.Path, row: dict) -> None:
    with path.open("a") as rows:
        rows.write(json.dumps(row) + "\n")
