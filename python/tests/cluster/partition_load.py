"""Learners under load while processes of their partitions are killed.

    partition_load.py --learners 100000 --partitions 4 --kills 50

Several threads choose and learn in batches. Meanwhile a random partition's service is
ended by kill -9 again and again, and sometimes its actor. At the end a population of one
process makes all choices again, in each learner's order: arms and scores must be the
same. And the stores must have the acknowledged decisions and rewards, each once.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import signal
import statistics
import tempfile
import threading
import time
from typing import Any

import numpy as np

from manyarms import cluster
from manyarms.cluster import _numbers
from populations import (
    ARMS, X, facts, kill_actor, one_process, population, process_of, ray_cluster, rows_of,
)

THREADS = 4
BATCH = 250

_REWARDED = ("SELECT d.sequence, r.reward FROM decisions AS d "
             "LEFT JOIN rewards AS r ON r.decision = d.sequence")


class Player(threading.Thread):
    """Plays for learners of its own, and notes what was acknowledged."""

    def __init__(self, pop: cluster.Population, number: int, learners: int) -> None:
        super().__init__(daemon=True)
        self._pop = pop
        self._random = np.random.default_rng(number)
        self._keys = [f"{number}-{i}" for i in range(learners // THREADS)]
        self._unseen = len(self._keys)
        self.is_over = threading.Event()
        self.played: list[tuple[str, Any, float]] = []
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            while not self.is_over.is_set() or self._unseen > 0:
                self._play()
        except Exception as failure:
            self.failure = failure

    def _play(self) -> None:
        if self._unseen > 0:
            keys = self._keys[max(0, self._unseen - BATCH) : self._unseen]
            self._unseen -= len(keys)
        else:
            keys = [self._keys[i] for i in self._random.integers(len(self._keys), size=BATCH)]
        decisions = self._pop.choose_for(keys)
        rewards = self._random.random(len(keys)).tolist()
        learned = self._pop.learn_for(decisions, rewards)
        assert [one.decision for one in learned] == [d.id for d in decisions]
        self.played += zip(keys, decisions, rewards)


def wrong_with(pop: cluster.Population, players: list[Player]) -> str:
    """What is not as in one process; empty if nothing is."""
    one = one_process()
    one.add_arms(range(ARMS), X)
    played = [move for player in players for move in player.played]
    # In a batch, all choices come before the first reward.
    for player in players:
        for start in range(0, len(player.played), BATCH):
            batch = player.played[start : start + BATCH]
            for decision, mine in zip(batch, [one.choose(key) for key, _, _ in batch]):
                if facts(decision[1]) != facts(mine):
                    return f"{decision} was chosen, {mine} in one process"
                one.learn(decision[0], mine, decision[2])
    stored: dict[int, list[float]] = {}
    for partition in range(pop.partitions):
        for number, reward in rows_of(pop, partition, _REWARDED):
            outside = _numbers.outer(number, partition, pop.partitions)
            stored.setdefault(outside, []).append(reward)
    acknowledged = {decision.id: [reward] for _, decision, reward in played}
    if stored != acknowledged:
        different = [(number, stored.get(number), acknowledged.get(number))
                     for number in stored.keys() | acknowledged.keys()
                     if stored.get(number) != acknowledged.get(number)]
        return (f"{len(different)} decisions have other rewards in the stores than were "
                f"acknowledged, among them {different[:3]}")
    if len({decision.id for _, decision, _ in played}) != len(played):
        return "a number was given twice"
    return ""


def run(
    name: str, store: str, learners: int, partitions: int, kills: int
) -> dict[str, Any]:
    """Plays, kills, checks, and returns what was measured."""
    randomly = random.Random(17)
    with population(name, store, partitions=partitions) as pop:
        pop.add_arms(range(ARMS), X)
        players = [Player(pop, number, learners) for number in range(THREADS)]
        began = time.monotonic()
        for player in players:
            player.start()
        recoveries = []
        for kill in range(kills):
            partition = randomly.randrange(partitions)
            process = process_of(name, partition)
            time.sleep(randomly.uniform(0.1, 0.8))
            if kill % 10 == 9:
                kill_actor(name, partition)
            else:
                os.kill(process, signal.SIGKILL)
            killed = time.monotonic()
            while process_of(name, partition) == process:
                time.sleep(0.01)
            recoveries.append(time.monotonic() - killed)
        for player in players:
            player.is_over.set()
        for player in players:
            player.join()
            if player.failure is not None:
                raise player.failure
        seconds = time.monotonic() - began
        wrong = wrong_with(pop, players)
        assert not wrong, wrong
        return {"kills": kills, "learners": pop.stats["learners"],
                "choices and rewards": sum(len(player.played) for player in players),
                "seconds": seconds, "recovery_median": statistics.median(recoveries),
                "recovery_longest": max(recoveries)}


def main() -> None:
    """Prints what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--learners", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--kills", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ray_cluster():
        measured = run("load", str(pathlib.Path(folder)), given.learners, given.partitions,
                       given.kills)
    print("; ".join(f"{name} {value:,.2f}" if isinstance(value, float) else f"{name} {value:,}"
                    for name, value in measured.items()))


if __name__ == "__main__":
    main()
