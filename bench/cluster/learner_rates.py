#!/usr/bin/env python3
"""Measures how many learners' choices and rewards partitions on Ray do in a second.

    build/venv/bin/python bench/cluster/learner_rates.py --partitions 1 2 --seconds 5

Several processes choose for random learners and learn a reward each time: one by one, in
batches of 250, and one by one through a front end. Everything is on this machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np
import ray

import manyarms
from manyarms import cluster

DIM, ARMS, LEARNERS, BATCH, CLIENTS = 16, 10_000, 10_000, 250, 8
FRONT_END = "from manyarms._program import main; main()"


def play(there: Any, batch: int, seconds: float, seed: int) -> int:
    """Chooses and learns for this long. Returns how often."""
    keys = [str(i) for i in np.random.default_rng(seed).integers(LEARNERS, size=100_000)]
    end = time.monotonic() + seconds
    done = 0
    while time.monotonic() < end:
        start = done % (len(keys) - batch)
        if batch == 1:
            there.learn(there.choose(keys[start]), 0.5)
        else:
            decisions = there.choose_for(keys[start : start + batch])
            there.learn_many(decisions, [0.5] * batch)
        done += batch
    return done


def client(kind: str, where: str, batch: int, seconds: float, seed: int, queue: Any) -> None:
    """A process that plays."""
    if kind == "front end":
        there: Any = manyarms.Client(where, timeout=60).bandit("rates")
    else:
        there = cluster.Population("rates", address=where)
    queue.put(None)  # it is ready
    queue.put(play(there, batch, seconds, seed))


def rate(kind: str, where: str, batch: int, seconds: float) -> float:
    """Choices with their rewards in a second, of all clients together."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    clients = [context.Process(target=client, args=(kind, where, batch, seconds, i, queue))
               for i in range(CLIENTS)]
    for one in clients:
        one.start()
    counts = [queue.get() for _ in range(2 * CLIENTS)]
    for one in clients:
        one.join()
    return sum(count for count in counts if count is not None) / seconds


def measure(partitions: int, address: str, seconds: float) -> None:
    """Prints the rates with this many partitions."""
    arms = np.random.default_rng(1).normal(size=(ARMS, DIM)).astype(np.float32)
    with tempfile.TemporaryDirectory() as store:
        pop = cluster.Population("rates", DIM, partitions=partitions, store=store,
                                 arms="numbers")
        pop.add_arms(range(ARMS), arms)
        command = [sys.executable, "-c", FRONT_END, "serve", "--cluster", address,
                   "--name", "rates", "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as front:
            assert front.stdout is not None
            found = re.search(r"listening on (\S+)", front.stdout.readline())
            assert found
            for kind, where, batch in (("direct", address, 1), ("direct", address, BATCH),
                                       ("front end", found[1], 1),
                                       ("front end", found[1], BATCH)):
                print(f"partitions {partitions}; {kind}; batch {batch}; "
                      f"{rate(kind, where, batch, seconds):,.0f} a second", flush=True)
            front.terminate()
        pop.stop()


def main() -> None:
    """Measures all numbers of partitions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--partitions", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    ray.init(address="local", include_dashboard=False, log_to_driver=False)
    for partitions in given.partitions:
        measure(partitions, ray.get_runtime_context().gcs_address, given.seconds)
    ray.shutdown()


if __name__ == "__main__":
    main()
