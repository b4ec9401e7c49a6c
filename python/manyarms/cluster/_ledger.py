"""What a shard is made from again after it was lost: files, and changes since then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

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


@dataclass(frozen=True)
class Saved:
    """A ledger in a form for files."""

    sources: list[Source]
    arrays: dict[str, Any]

    ARRAYS: ClassVar = ("ids", "features", "left_out", "left_out_until", "counts")


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

    @classmethod
    def of(cls, dim: int, saved: Saved) -> Ledger:
        """A ledger that was saved."""
        ids, rows, left_out, until, counts = (saved.arrays[name] for name in Saved.ARRAYS)
        ledger = cls(dim)
        ledger._changed.add_arms(ids, rows)
        ledger._sources = list(saved.sources)
        ledger._left_out = dict(zip(left_out.tolist(), until.tolist()))
        ledger.counts = counts.copy()
        return ledger

    def saved(self) -> Saved:
        """A copy of everything."""
        ids = self._ids()
        left_out = self._all_left_out()
        arrays = (ids, self._changed.features(ids), left_out.ids, left_out.until,
                  self.counts.copy())
        return Saved(list(self._sources), dict(zip(Saved.ARRAYS, arrays)))

    def copy(self) -> Ledger:
        """Another ledger with the same arms."""
        return Ledger.of(self._changed.dim, self.saved())

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
        if change.kind != "remove":
            self._put(change)
        if change.kind == "add":
            self.counts = self.counts + counts_of(change.ids)
        elif change.kind == "remove":
            self._remove(change)
            self.counts = self.counts - counts_of(change.ids)

    def _put(self, change: Change) -> None:
        here = self._has(change.ids)
        self._changed.update_arms(change.ids[here], change.features[here])
        self._changed.add_arms(change.ids[~here], change.features[~here])
        if change.kind == "update":
            self._leave_out(change.ids[~here])

    def _remove(self, change: Change) -> None:
        here = self._has(change.ids)
        self._changed.remove_arms(change.ids[here])
        self._leave_out(change.ids[~here])

    def _has(self, ids: Ids) -> NDArray[np.bool_]:
        return np.array([int(id) in self._changed for id in ids], bool)

    def _leave_out(self, ids: Ids) -> None:
        until = len(self._sources)
        self._left_out.update((int(id), until) for id in ids)

    def record_source(self, source: Source, counts: NDArray[np.int64]) -> None:
        """Notes a source, and how many arms of each bucket it has."""
        self._sources.append(source)
        self.counts = self.counts + counts

    def left_out(self, shard: int, shards: int) -> LeftOut:
        """What the sources must not supply to a shard."""
        left_out = self._all_left_out()
        here = shards_of(left_out.ids, shards) == shard
        return LeftOut(left_out.ids[here], left_out.until[here])

    def steps(self, shard: int, shards: int) -> Iterator[SourcePart | Change]:
        """What makes an empty shard what it should be, step by step. The steps are the
        same until the next change that concerns the shard."""
        for number, source in enumerate(self._sources):
            for part in source.parts:
                yield SourcePart(number, part)
        ids = self._ids()
        mine = ids[shards_of(ids, shards) == shard]
        for begin in range(0, len(mine), ROWS_AT_A_TIME):
            some = mine[begin:begin + ROWS_AT_A_TIME]
            yield Change("add", some, self._changed.features(some))

    def _ids(self) -> Ids:
        """In order, so that they are the same in every attempt to make a shard anew."""
        return np.sort(np.asarray(self._changed.ids).astype(np.uint64))

    def _all_left_out(self) -> LeftOut:
        ids = np.fromiter(self._left_out.keys(), np.uint64, len(self._left_out))
        until = np.fromiter(self._left_out.values(), np.int64, len(self._left_out))
        return LeftOut(ids, until)
