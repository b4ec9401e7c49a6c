"""Measures a bandit on a local Ray cluster: loading from files, choices, memory.

    python bench/cluster/study.py --arms 1000000

Choices are compared with those of a second learner, which has learned the same and
asks all shards each time. Rows go to docs/cluster.jsonl, where one with the same
number of arms and shards is replaced.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import tempfile
import time
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np
import ray
from arms import DIM, write

from manyarms._core import Decision, ShardedBandit
from manyarms.cluster import Bandit
from manyarms.cluster._deadline import Deadline

ROWS = pathlib.Path(__file__).parents[2] / "docs" / "cluster.jsonl"


def measure(arms: int, shards: int, steps: int, checked: int) -> dict[str, Any]:
    """A row."""
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="manyarms-arms-") as folder:
        files = write(pathlib.Path(folder), arms)
        with Bandit(DIM, seed=1, shards=shards, timeout=600) as bandit:
            began = time.monotonic()
            bandit.load_arms(files, progress=shown)
            load_seconds = time.monotonic() - began
            choices = play(bandit, steps, checked)
            described = bandit.describe_shards()
            messages = bandit.stats["messages"]
            known = bandit.stats["known_arms"]
    surveys = [shard["survey"] for shard in described]
    return {
        "arms": arms, "dim": DIM, "shards": shards, "load_seconds": load_seconds,
        "shard_bytes": sum(shard["bytes"] for shard in described),
        "resident_bytes": sum(shard["resident_bytes"] for shard in described),
        "survey_seconds": max((one["seconds"] for one in surveys if one), default=None),
        "survey_bytes": sum(one["bytes"] for one in surveys if one),
        "known_arms": known, "messages": messages, **choices,
        "cores": os.cpu_count(), "busy": busy, "machine": platform.machine(), "ray": ray.__version__,
    }


def play(bandit: Bandit, steps: int, checked: int) -> dict[str, Any]:
    """Chooses and learns, and checks the last choices."""
    random = np.random.default_rng(2)
    taste = random.standard_normal(DIM)
    seconds: dict[bool, list[float]] = {True: [], False: []}
    sent_after_hundred = 0
    for step in range(steps):
        expected = asked_of_all(bandit) if step >= steps - checked else None
        sent_before = bandit.stats["sent"]
        began = time.perf_counter()
        decision = bandit.choose()
        passed = time.perf_counter() - began
        was_sent = bandit.stats["sent"] > sent_before
        seconds[was_sent].append(passed)
        sent_after_hundred += was_sent and step >= 100
        if expected is not None and decision != expected:
            raise AssertionError(f"{decision} was chosen; all shards say {expected}")
        # Features of an arm come from a shard; the study must not count that message.
        row = bandit.features([decision.arm])[0]
        bandit.learn(decision, float(row @ taste + random.standard_normal()))
    return {
        "steps": steps, "checked": checked, "sent": len(seconds[True]),
        "sent_after_hundred": sent_after_hundred,
        "sent_seconds": float(np.median(seconds[True])),
        "unsent_seconds": float(np.median(seconds[False])) if seconds[False] else None,
    }


def asked_of_all(bandit: Bandit) -> Decision:
    """What a learner that knows no arms chooses, for which all shards are asked."""
    twin = ShardedBandit.load(bandit._learner.save())
    if twin.choose() is not None:
        raise AssertionError("a learner that knows no arms has asked nobody")
    shards = bandit._shards
    twin.answer(shards.call_all("top", Deadline(600), twin.question(), 1))
    decision = twin.choose()
    assert decision is not None
    return decision


def shown(done: int, arms: int) -> None:
    print(f"{done:,} of {arms:,} arms read", flush=True)


def keep(row: dict[str, Any]) -> None:
    """Writes a row in place of an earlier one."""
    rows = [json.loads(line) for line in ROWS.read_text().splitlines()] if ROWS.exists() else []
    key = ("arms", "dim", "shards")
    rows = [one for one in rows if any(one[name] != row[name] for name in key)] + [row]
    rows.sort(key=lambda one: [one[name] for name in key])
    ROWS.write_text("".join(json.dumps(one) + "\n" for one in rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=100_000_000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--checked", type=int, default=100)
    given = parser.parse_args()
    result = measure(given.arms, given.shards, given.steps, given.checked)
    print(json.dumps(result, indent=1))
    keep(result)
