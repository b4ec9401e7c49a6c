"""Reads and writes the rows of the study, and decides which to measure again."""

from __future__ import annotations

import json
import pathlib

OURS = "manyarms"
PARTS = ("arms", "contexts")


def part_of(row: dict) -> str:
    """Rows of the part without contexts do not say so."""
    return row.get("part", PARTS[0])


def key(row: dict) -> tuple:
    """Rows with the same key measured the same thing. For manyarms the key includes
    the commit."""
    ours = row["rival"].startswith(OURS)
    names = ("rival", "version", "arms", "dim", "asked_steps", "seed", "step_limit",
             "asked_repeats", "machine")
    return (part_of(row), *(row.get(name) for name in names),
            row.get("commit") if ours else "")


def seeds_key(row: dict) -> tuple:
    names = ("arms", "dim", "steps", "seeds", "machine", "commit")
    return (part_of(row), *row["pair"], *row.get("versions", ()), *(row.get(name) for name in names))


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


def publish(measured: pathlib.Path, target: pathlib.Path, part: str,
            facts: dict[str, dict[str, dict]]) -> None:
    """Replaces the rows of this part in `target` by those in `measured`. Of the other
    part, what libraries can do is brought up to date, since it is not measured."""
    def up_to_date(row):
        fact = facts[part_of(row)].get(row["rival"]) if row["kind"] == "rival" else None
        return {**row, **fact, "version": row["version"]} if fact else row

    kept = [up_to_date(row) for row in read_rows(target) if part_of(row) != part]
    new = [row for row in read_rows(measured) if part_of(row) == part]
    write_rows(target, sorted(kept + new, key=lambda row: PARTS.index(part_of(row))))
