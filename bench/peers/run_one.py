"""Measures one rival with one number of arms and prints a row of JSON per phase.

It sets up and then waits for lines: "step" takes all steps, starting without
rewards; "finish" checks the choices, changes arms and ends. Each line that it
prints is the row so far, so that the last one tells which phase was reached if a
limit ends the process.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import signal
import sys

from .context_problem import Task
from .measure import (
    Repeats,
    change_arms,
    peak_bytes,
    resident_bytes,
    seconds_of,
    step_through,
)
from .parts import PARTS

CHECK_LIMIT = 300  # seconds to compare all choices with scans
CHANGE_LIMIT = 40  # seconds


def version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


class Turns:
    """Does what it is told and prints rows. The alarms have no handler, so they end
    the process even within a library's code; the last row tells the phase."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.part = PARTS[arguments.part]
        facts, self.kind = self.part.rivals[arguments.rival]
        self.arguments = arguments
        self.row: dict[str, object] = {"version": version_of(facts.package)}
        self.set_up_seconds: list[float] = []
        self.rival = self.make()
        self.before = resident_bytes()
        self.problem = self.part.make_problem(
            arguments.arms, arguments.dim, arguments.steps, arguments.seed
        )
        self.repeats = Repeats(self.problem)

    def make(self) -> object:
        task = Task(self.arguments.dim, self.arguments.seed, self.arguments.steps)
        return self.part.make_rival(self.kind, task)

    def show(self, phase: str, alarm: int, **more: object) -> None:
        self.row.update(more, phase=phase, alarm=alarm)
        print(json.dumps(self.row), flush=True)
        signal.alarm(alarm)

    def set_up(self) -> None:
        self.show("set-up", self.arguments.set_up_limit)
        self.set_up_seconds.append(seconds_of(
            lambda: self.rival.set_up(self.problem.ids, self.problem.arms)))
        self.row["setup_seconds"] = sorted(self.set_up_seconds)[
            len(self.set_up_seconds) // 2]
        self.row.setdefault("rss_bytes", resident_bytes() - self.before)

    def start_over(self) -> None:
        if hasattr(self.rival, "start_over"):
            self.rival.start_over()
        else:
            self.rival = None  # frees its memory before the next one is made
            self.rival = self.make()
            self.set_up()

    def step(self) -> None:
        if self.repeats.count:
            self.start_over()
        limit = self.arguments.step_limit
        self.show("stepping", 2 * limit + 30)
        trace = step_through(self.rival, self.problem, limit)
        if not self.repeats.count:
            self.row["peak_rss_bytes"] = peak_bytes() - self.before
            self.row["stepped_rss_bytes"] = resident_bytes() - self.before
        self.repeats.add(trace)
        self.row.update(self.repeats.figures())

    def finish(self) -> None:
        self.show("checking choices", CHECK_LIMIT)
        self.row.update(self.repeats.exactness())
        changes = self.change_arms() if self.part.changes_arms else {}
        self.show("done", 0, **changes)

    def change_arms(self) -> dict[str, object]:
        self.show("changing arms", CHANGE_LIMIT)
        return change_arms(self.rival, self.problem, self.row["setup_seconds"],
                           self.arguments.seed)


def run(arguments: argparse.Namespace) -> None:
    turns = Turns(arguments)
    turns.set_up()
    turns.show("ready", 0)
    for line in sys.stdin:
        if line.strip() == "finish":
            turns.finish()
            return
        turns.step()
        turns.show("ready", 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", action="store_true",
                        help="print the facts of all rivals")
    parser.add_argument("--part", choices=PARTS, default="arms")
    parser.add_argument("--rival")
    parser.add_argument("--arms", type=int, default=1000)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--set-up-limit", type=int, default=600)
    parser.add_argument("--step-limit", type=int, default=60)
    arguments = parser.parse_args()
    if arguments.facts:
        for key, (facts, _) in PARTS[arguments.part].rivals.items():
            print(json.dumps({"rival": key, **dataclasses.asdict(facts),
                              "version": version_of(facts.package)}))
    elif arguments.rival not in PARTS[arguments.part].rivals:
        parser.error("--facts, or --rival with one of "
                     + ", ".join(PARTS[arguments.part].rivals))
    else:
        run(arguments)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
