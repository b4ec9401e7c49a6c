"""A bandit on a cluster beside one in this process, which must decide alike."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import numpy as np

import manyarms
from manyarms import cluster

DIM = 16


class Pair:
    """Does the same with both, in a world whose arms come, change and go."""

    def __init__(self, arms: int, seed: int, shards: int = 4, **options: Any) -> None:
        self.random = np.random.default_rng(seed)
        self.taste = self.random.standard_normal(DIM)
        self.one = manyarms.Bandit(DIM, seed=seed, **options)
        self.many = cluster.Bandit(DIM, seed=seed, shards=shards, timeout=120, **options)
        self.next = 0
        self.digests = [hashlib.sha256(), hashlib.sha256()]
        self.add(arms)

    def add(self, count: int) -> None:
        ids = np.arange(self.next, self.next + count)
        rows = self.random.standard_normal((count, DIM)).astype(np.float32)
        self.next += count
        for bandit in (self.one, self.many):
            bandit.add_arms(ids, rows)

    def remove(self, count: int) -> None:
        ids = self.random.choice(self.one.ids, count, replace=False)
        for bandit in (self.one, self.many):
            bandit.remove_arms(ids)

    def update(self, count: int) -> None:
        ids = self.random.choice(self.one.ids, count, replace=False)
        rows = self.random.standard_normal((count, DIM)).astype(np.float32)
        for bandit in (self.one, self.many):
            bandit.update_arms(ids, rows)

    def change(self, count: int) -> None:
        self.add(count)
        self.update(count)
        self.remove(count)

    def step(self) -> None:
        self.learned([self.one.choose()], [self.many.choose()])

    def slate(self, count: int, eligible: Any = None, mask: Any = None) -> None:
        """``mask`` is a function of ids, whose order differs between the two."""
        self._choose_many("best", count, eligible, mask)

    def draws(self, count: int, eligible: Any = None, mask: Any = None) -> None:
        """Choices one after another, without learning in between."""
        self._choose_many("draws", count, eligible, mask)

    def _choose_many(self, mode: Any, count: int, eligible: Any, mask: Any) -> None:
        one, many = (
            bandit.choose_many(
                count, mode, eligible=eligible if mask is None else mask(bandit.ids))
            for bandit in (self.one, self.many))
        self.learned(one, many)

    def learned(self, one: list[manyarms.Decision], many: list[manyarms.Decision]) -> None:
        assert many == one
        for digest, decisions in zip(self.digests, (one, many)):
            for decision in decisions:
                digest.update(struct.pack("<QQd", decision.id, decision.arm, decision.score))
        rows = self.one.features([decision.arm for decision in one])
        for row, first, second in zip(rows, one, many):
            reward = float(row @ self.taste + self.random.standard_normal())
            self.one.learn(first, reward)
            self.many.learn(second, reward)

    def check(self) -> None:
        """At the end: the same decisions, the same knowledge, the same arms."""
        assert self.digests[0].digest() == self.digests[1].digest()
        assert np.array_equal(self.one.mean, self.many.mean)
        assert np.array_equal(np.sort(self.one.ids), np.sort(self.many.ids))

    def processes(self) -> set[int]:
        return {shard["pid"] for shard in self.many.describe_shards()}
