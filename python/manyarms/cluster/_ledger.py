"""What a shard is made from again after it was lost: files, and changes since then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manyarms._core import Bandit
from manyarms.cluster._buckets import BUCKETS, Ids, counts_of, shards_of
from manyarms.cluster._change import Change
from manyarms.cluster._sources import ROWS_AT_A_TIME, Part, Source


@dataclass(frozen=True)
class LeftOut:
    """Arms that the first ``until`` sources must not supply, because they were removed
    or got other features after those were loaded."""

    ids: Ids
    until: NDArray[np.int64]

    def kept(self, ids: Ids, source: int) -> NDArray[np.bool_]:
        """Which of these ids a source supplies."""
        return ~np.isin(ids, self.ids[self.until > source])


@dataclass(frozen=True)
class SourcePart:
    """A part of a source, which a shard reads again."""

    source: int
    part: Part


class Ledger:
    """All arms of a bandit, as sources and as what changed since they were loaded.

    Of an arm it has the last features only, and none if they are those of a source.
    """

    def __init__(self, dim: int) -> None:
        # Without negative rewards or contexts it returns features as they were given.
        self._changed = Bandit(dim, search="scan")
        self._sources: list[Source] = []
        self._left_out: dict[int, int] = {}  # until which source, by id
        self.counts = np.zeros(BUCKETS, np.int64)  # arms in each bucket

    def copy(self) -> Ledger:
        other = Ledger(self._changed.dim)
        for ids, rows in self._batches(np.sort(self._ids())):
            other._changed.add_arms(ids, rows)
        other._sources = list(self._sources)
        other._left_out = dict(self._left_out)
        other.counts = self.counts.copy()
        return other

    @property
    def arms(self) -> int:
        """The number of arms."""
        return int(self.counts.sum())

    @property
    def sources(self) -> int:
        """The number of sources."""
        return len(self._sources)

    def record(self, change: Change) -> None:
        """Notes a change that is valid."""
        here = np.array([int(id) in self._changed for id in change.ids], bool)
        if change.kind == "add":
            self._changed.add_arms(change.ids, change.features)
            self.counts += counts_of(change.ids)
            return
        if self._sources:
            until = len(self._sources)
            self._left_out.update((int(id), until) for id in change.ids[~here])
        if change.kind == "remove":
            self._changed.remove_arms(change.ids[here])
            self.counts -= counts_of(change.ids)
            return
        old, new = change.part(here), change.part(~here)
        self._changed.update_arms(old.ids, old.features)
        self._changed.add_arms(new.ids, new.features)

    def record_source(self, source: Source, counts: NDArray[np.int64]) -> None:
        """Notes a source, and how many arms of each bucket it has."""
        self._sources.append(source)
        self.counts = self.counts + counts

    def left_out(self, shard: int, shards: int) -> LeftOut:
        """What the sources must not supply to a shard."""
        ids = np.fromiter(self._left_out.keys(), np.uint64, len(self._left_out))
        until = np.fromiter(self._left_out.values(), np.int64, len(self._left_out))
        here = shards_of(ids, shards) == shard
        return LeftOut(ids[here], until[here])

    def steps(self, shard: int, shards: int) -> Iterator[SourcePart | Change]:
        """What makes an empty shard what it should be, step by step. The steps are the
        same until the next change that concerns the shard."""
        for number, source in enumerate(self._sources):
            for part in source.parts:
                yield SourcePart(number, part)
        ids = np.sort(self._ids())
        for some, rows in self._batches(ids[shards_of(ids, shards) == shard]):
            yield Change("add", some, rows)

    def _ids(self) -> Ids:
        return np.asarray(self._changed.ids).astype(np.uint64)

    def _batches(self, ids: Ids) -> Iterator[tuple[Ids, NDArray[np.float32]]]:
        for begin in range(0, len(ids), ROWS_AT_A_TIME):
            some = ids[begin:begin + ROWS_AT_A_TIME]
            yield some, self._changed.features(some)
