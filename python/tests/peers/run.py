"""Runs the test suites of other libraries against the adapters (scripts/test-peers).

Tests that do not apply are listed with a reason each (does_not_apply.py). It is an
error if such a test passes, or if there is no such test any more.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from does_not_apply import DOES_NOT_APPLY
from suites import fetched

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[2] / "build" / "peers"
# What of a suite concerns bandits.
TESTS = {"mabwiser": ["tests"], "river": ["tests/bandit", "tests/model_selection/test_bandit.py"]}


def outcomes_of(peer: str, more: list[str]) -> dict[str, str]:
    folder = fetched(peer, BUILD)
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch) / "outcomes.json"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "stand_in", "-p", "no:cacheprovider",
             "--rootdir", str(folder), "-c", os.devnull, "--quiet", "--no-header", *more,
             *TESTS[peer]],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(HERE), "MANYARMS_PEER": peer,
                 "MANYARMS_OUTCOMES": str(file)},
            capture_output=not more, text=True, check=False,
        )
        if not file.exists():
            raise RuntimeError(f"the tests of {peer} did not run:\n{done.stdout}{done.stderr}")
        outcomes: dict[str, str] = json.loads(file.read_text())
        return outcomes


def complaints(outcomes: Mapping[str, str], exempt: Mapping[str, str]) -> list[str]:
    """What is wrong, a line each."""
    lines = [f"there is no test '{pattern}' any more" for pattern in exempt
             if not fnmatch.filter(outcomes, pattern)]
    for test, outcome in sorted(outcomes.items()):
        listed = applies_not(test, exempt)
        if outcome == "failed" and not listed:
            lines.append(f"{test} failed")
        if outcome != "failed" and listed:
            lines.append(f"{test} is said not to apply, but does not fail: {outcome}")
    return lines


def summary(outcomes: Mapping[str, str], exempt: Mapping[str, str]) -> str:
    count = collections.Counter(
        "listed" if applies_not(test, exempt) else outcome for test, outcome in outcomes.items()
    )
    text = (
        f"{count['passed']} passed, {count['failed']} failed, "
        f"{count['listed'] + count['other model'] + count['no adapter']} do not apply "
        f"({count['listed']} by the list"
    )
    if count["other model"] or count["no adapter"]:
        text += (
            f", {count['other model']} with a policy that is not linear, "
            f"{count['no adapter']} without a bandit"
        )
    text += ")"
    return text + (f", {count['skipped']} skipped by the suite itself" if count["skipped"] else "")


def applies_not(test: str, exempt: Mapping[str, str]) -> bool:
    return any(fnmatch.fnmatchcase(test, pattern) for pattern in exempt)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", nargs="*", help="mabwiser, river; all if none is given")
    parser.add_argument("--show", help="print what pytest prints for tests of this name")
    arguments = parser.parse_args()
    status = 0
    for peer in arguments.peer or TESTS:
        more = ["-k", arguments.show, "-rA"] if arguments.show else []
        outcomes = outcomes_of(peer, more)
        if arguments.show:
            continue
        exempt = DOES_NOT_APPLY[peer]
        wrong = complaints(outcomes, exempt)
        for line in wrong:
            print(f"{peer}: {line}")
        print(f"{peer}: {summary(outcomes, exempt)}")
        status = status or int(bool(wrong))
    return status


if __name__ == "__main__":
    sys.exit(main())
