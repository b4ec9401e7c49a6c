"""``manyarms reproduce --ray ADDRESS``: the runs of the tables, spread over a cluster."""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import ray
from ray.exceptions import RayError

from manyarms import _program
from manyarms.cluster import _attached

# The number of parts for each processor. With several, all processors end at about the
# same time.
_PARTS = 8


def main(args: Sequence[str]) -> int:
    """Does all runs that are not in the folder of results yet, each on a processor of
    the cluster, then has the program write the report. Returns the program's status."""
    parser = argparse.ArgumentParser(prog="manyarms reproduce", add_help=False,
                                     allow_abbrev=False)
    parser.add_argument("--ray", required=True)
    parser.add_argument("--out", default="results")
    given, flags = parser.parse_known_args(args)
    if any(flag.split("=")[0] in ("--part", "--threads") for flag in flags):
        parser.error("--part and --threads are not for --ray, which does one run at a time "
                     "on each processor of the cluster")
    folder = pathlib.Path(given.out)
    folder.mkdir(parents=True, exist_ok=True)
    _attached.attach(given.ray)
    try:
        _do_runs(_absolute(flags), folder / "rows.jsonl")
    finally:
        ray.shutdown()
    # Those that have failed are tried again here, and the reason is shown.
    return subprocess.call([_program.path(), "reproduce", *flags, "--out", str(folder)])


def _absolute(flags: list[str]) -> list[str]:
    """The flags with paths that hold in any process that sees the same files."""
    known = ("--experiments", "--movielens")
    changed = list(flags)
    for place, flag in enumerate(flags):
        name, equals, value = flag.partition("=")
        if name in known and equals:
            changed[place] = f"{name}={os.path.abspath(value)}"
        elif place > 0 and flags[place - 1] in known:
            changed[place] = os.path.abspath(flag)
    return changed


def _do_runs(flags: list[str], rows: pathlib.Path) -> None:
    before = rows.read_text(encoding="utf-8") if rows.exists() else ""
    if before and not before.endswith("\n"):
        before += "\n"  # a partial line, which nothing must be appended to
        rows.write_text(before, encoding="utf-8")
    parts = max(1, int(ray.cluster_resources().get("CPU", 1))) * _PARTS
    shared = ray.put(before)
    run = ray.remote(num_cpus=1)(_run_part)
    waiting = [run.remote(flags, f"{part}/{parts}", shared) for part in range(1, parts + 1)]
    while waiting:
        (ref,), waiting = ray.wait(waiting)
        try:
            new, complaint = ray.get(ref)
        except RayError as error:
            new, complaint = "", str(error)
        with rows.open("a", encoding="utf-8") as file:
            file.write(new)
        done = parts - len(waiting)
        sys.stderr.write(f"{complaint}{done} of {parts} parts are done\n")


def _run_part(flags: list[str], part: str, before: str) -> tuple[str, str]:
    """Does the runs of a part that are not there yet. Returns their rows, and what the
    program complained about if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        rows = pathlib.Path(folder) / "rows.jsonl"
        rows.write_text(before, encoding="utf-8")
        command: list[Any] = [_program.path(), "reproduce", *flags, "--part", part,
                              "--out", folder]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        text = rows.read_text(encoding="utf-8")
    return text[len(before):], done.stderr if done.returncode != 0 else ""
