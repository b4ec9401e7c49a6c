"""One rival, one number of arms, one process: prints a row of JSON per phase.

Every line is the row as far as it is known, so that whoever reads the last one
knows what was reached when a limit ended the process.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import json
import sys

from .measure import (
    Limits,
    OtherWork,
    change_arms,
    kill_after,
    peak_bytes,
    resident_bytes,
    seconds_of,
    step_through,
)
from .problem import make_problem
from .rivals import RIVALS


def version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def run(arguments: argparse.Namespace, limits: Limits) -> None:
    facts, make = RIVALS[arguments.rival]
    row: dict[str, object] = {
        "version": importlib.metadata.version(facts.package),
        "phase": "import",
    }

    def show(phase: str, **more: object) -> None:
        row.update(more, phase=phase)
        print(json.dumps(row), flush=True)

    rival = make(arguments.dim, arguments.seed)
    before = resident_bytes()
    problem = make_problem(
        arguments.arms, arguments.dim, arguments.steps, arguments.seed
    )
    show("set-up")
    kill_after(limits.set_up)
    set_up_seconds = seconds_of(lambda: rival.set_up(problem.ids, problem.arms))
    show("stepping", setup_seconds=set_up_seconds, rss_bytes=resident_bytes() - before)
    kill_after(2 * limits.stepping + 30)
    other_work = OtherWork()
    trace = step_through(rival, problem, limits.stepping)
    show(
        "changing arms",
        peak_rss_bytes=peak_bytes() - before,
        stepped_rss_bytes=resident_bytes() - before,
        other_work_cores=other_work.cores(),
        **trace.figures(),
    )
    kill_after(limits.changing)
    show("done", **change_arms(rival, problem, set_up_seconds, arguments.seed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facts", action="store_true", help="print everybody's")
    parser.add_argument("--rival", choices=RIVALS)
    parser.add_argument("--arms", type=int, default=1000)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--set-up-limit", type=int, default=600)
    parser.add_argument("--step-limit", type=int, default=60)
    parser.add_argument("--change-limit", type=int, default=60)
    arguments = parser.parse_args()
    if arguments.facts:
        for key, (facts, _) in RIVALS.items():
            print(json.dumps({"rival": key, **dataclasses.asdict(facts),
                              "version": version_of(facts.package)}))
    elif arguments.rival is None:
        parser.error("name a rival")
    else:
        limits = Limits(
            arguments.set_up_limit, arguments.step_limit, arguments.change_limit
        )
        run(arguments, limits)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
