"""Clicks and forgetting: study.py [PART...].

Rows go to build/rewards.jsonl as they are made, and cells that are there already
are not run again. When everything that was asked for is there, the rows are copied
to docs/rewards.jsonl, from which scripts/rewards-page makes docs/rewards.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import time

sys.dont_write_bytecode = True
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as one choice of manyarms takes
import cells

import manyarms

ROOT = pathlib.Path(__file__).resolve().parents[2]


def key(settings: cells.Settings) -> str:
    return json.dumps(settings, sort_keys=True)


def known(rows: pathlib.Path) -> set[str]:
    if not rows.exists():
        return set()
    return {key(json.loads(line)["settings"]) for line in rows.read_text().splitlines()}


def can_run(settings: cells.Settings) -> bool:
    package = settings.get("way", "").split(" ")[0]
    return (package not in ("bayesianbandits", "contextualbandits")
            or importlib.util.find_spec(package) is not None)


def run(parts: list[str], scale: cells.Scale, rows: pathlib.Path) -> bool:
    """Returns whether all cells are there."""
    done = known(rows)
    complete = True
    rows.parent.mkdir(parents=True, exist_ok=True)
    for part in parts:
        start = time.monotonic()
        made = 0
        for cell in cells.PARTS[part](scale):
            if key(cell.settings) in done:
                continue
            if not can_run(cell.settings):
                complete = False
                continue
            row = {"settings": cell.settings, **cell.run(),
                   "version": manyarms.__version__, "cores": os.cpu_count()}
            with rows.open("a") as out:
                out.write(json.dumps(row) + "\n")
            made += 1
        print(f"{part}: {made} cells in {time.monotonic() - start:.0f} s", flush=True)
    return complete


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART",
                        help="of " + ", ".join(cells.PARTS) + " (default: all)")
    parser.add_argument("--rows", type=pathlib.Path, default=ROOT / "build" / "rewards.jsonl")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - cells.PARTS.keys():
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    parts = arguments.parts or list(cells.PARTS)
    if not run(parts, cells.Scale(), arguments.rows):
        print("some rivals are not installed; their cells are missing", file=sys.stderr)
    if not arguments.parts:
        shutil.copy(arguments.rows, arguments.docs / "rewards.jsonl")
    return 0


if __name__ == "__main__":
    sys.exit(main())
