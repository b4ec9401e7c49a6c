"""A shard: the arms of some buckets, in a process of their own."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manyarms._core import ArmShard
from manyarms.cluster._buckets import BUCKETS, Ids, counts_of, order_of, shards_of
from manyarms.cluster._change import Change, Features
from manyarms.cluster._ledger import LeftOut, SourcePart
from manyarms.cluster._sources import Part, Rows, Source, inspect, read
from manyarms.errors import DuplicateIdError, Error, UnknownIdError


_NOWHERE = -1  # the number of the last change of a shard that has a part of its arms


class OutOfStep(Exception):
    """The shard is not where its caller expects it to be: it was made anew."""


@dataclass(frozen=True)
class Position:
    """Where a shard is."""

    number: int  # of its last change
    target: int | None  # that it will have when it has been brought back
    steps: int  # done towards that


class Shard:
    """Holds arms and answers for them. It runs one call at a time.

    Changes are numbered by the caller. Every call says which change the shard must
    have come to, so that a shard that was made anew, and is empty, never answers.
    """

    def __init__(self, options: Mapping[str, Any], place: int, shards: int) -> None:
        self._options = dict(options)
        self._place = place
        self._shards = shards
        self._arms = ArmShard(**self._options)
        self._number = 0
        self._heard = 0
        self._staged: Change | None = None
        self._load: _Load | None = None
        self._target: int | None = None
        self._steps = 0
        self._left_out: LeftOut | None = None
        self._restores = 0
        self._survey: dict[str, Any] | None = None
        self._order: NDArray[np.int64] | None = None

    # Questions.

    def top(self, number: int, question: bytes, count: int, ids: Ids | None = None,
            mask: NDArray[np.uint8] | None = None) -> bytes:
        """The best arms for a question, among all, these ids, or those of a mask in
        order of bucket and id, which comes as bits."""
        self._require(number)
        if mask is None:
            return bytes(self._arms.top(question, count, ids=ids))
        chosen = np.zeros(len(self._arms), bool)
        chosen[self._in_order()] = np.unpackbits(mask, count=len(self._arms)).astype(bool)
        return bytes(self._arms.top(question, count, mask=chosen))

    def survey(self, number: int, request: bytes) -> bytes:
        """Contenders and a ceiling for all others."""
        self._require(number)
        began = time.monotonic()
        answer = bytes(self._arms.survey(request))
        self._survey = {"change": number, "time": time.time(),
                        "seconds": time.monotonic() - began, "bytes": len(answer)}
        return answer

    def features(self, number: int, ids: Ids) -> Features:
        """The features of arms, a row for each."""
        self._require(number)
        return np.asarray(self._arms.features(ids))

    def send(self, number: int, ids: Ids) -> bytes:
        """Arms for a learner that learns rewards of them."""
        self._require(number)
        return bytes(self._arms.send(ids))

    def contains(self, number: int, ids: Ids) -> NDArray[np.bool_]:
        """Which of these arms there are."""
        self._require(number)
        return np.asarray(self._arms.contains(ids))

    def ids(self, number: int) -> Ids:
        """All ids, in order of bucket and id."""
        self._require(number)
        return np.asarray(self._arms.ids())[self._in_order()]

    def describe(self) -> dict[str, Any]:
        """What an operator wants to know."""
        return {
            "shard": self._place,
            "shards": self._shards,
            "arms": len(self._arms),
            "bytes": self._arms.memory_bytes,
            "resident_bytes": _resident_bytes(),
            "change": self._number,
            "lag": self._heard - self._number,
            "restores": self._restores,
            "survey": self._survey,
            "node": socket.gethostname(),
            "pid": os.getpid(),
        }

    # Changes.

    def prepare(self, number: int, change: Change) -> None:
        """Takes a change, after checking that it can be made."""
        self._require(number)
        self._check(change)
        self._staged = change

    def commit(self, number: int, to: int) -> None:
        """Makes the change, or keeps the arms of the load, that this shard has taken.
        Does nothing if it was done already."""
        if self._number == to:
            return
        if self._load is not None and self._load.to == to:
            self._load = None
        else:
            self._require(number)
            if self._staged is None:
                raise OutOfStep
            self._apply(self._staged)
            self._staged = None
        self._number = self._heard = to

    def inspect(self, number: int, files: list[tuple[str, ...]]) -> Source:
        """Finds the parts of files that will be loaded."""
        self._require(number)
        return inspect(files, self._options["dim"])

    def load(self, number: int, to: int, place: int, part: Part) -> NDArray[np.int64]:
        """Takes the arms of a part of a load, of which it is the one at ``place``, and
        returns how many of each bucket there were."""
        if self._load is None or self._load.to != to or place == 0:
            self._require(number)
            self._staged = None
            self._load = _Load(to)
        if self._number != number or self._load.parts != place:
            raise OutOfStep
        counts = np.zeros(BUCKETS, np.int64)
        for rows in read(part, self._options["dim"]):
            mine = shards_of(rows.ids, self._shards) == self._place
            self._add(_chosen(rows, mine), self._load.ids)
            counts += counts_of(rows.ids[mine])
        self._load.parts += 1
        return counts

    # Being made anew.

    def position(self) -> Position:
        """Where the shard is, and how far it has been brought back."""
        return Position(self._number, self._target, self._steps)

    def begin_restore(self, target: int, left_out: LeftOut, restores: int) -> None:
        """Begins to bring back an empty shard."""
        self._arms = ArmShard(**self._options)
        self._order = None
        self._staged, self._load = None, None
        self._number, self._heard, self._target, self._steps = _NOWHERE, target, target, 0
        self._left_out, self._restores = left_out, restores

    def restore(self, target: int, place: int, step: SourcePart | Change) -> None:
        """Does the step at ``place`` towards what the shard was."""
        if self._target != target or self._steps != place or self._left_out is None:
            raise OutOfStep
        # A step that fails may have added some of its arms: all begins anew then.
        self._target = None
        if isinstance(step, Change):
            self._apply(step)
        else:
            for rows in read(step.part, self._options["dim"]):
                mine = shards_of(rows.ids, self._shards) == self._place
                mine &= self._left_out.kept(rows.ids, step.source)
                self._arms.add(rows.ids[mine], rows.features[mine])
        self._target = target
        self._steps += 1

    def end_restore(self, target: int, steps: int) -> None:
        """Says that all steps are done."""
        if self._target != target or self._steps != steps:
            raise OutOfStep
        self._number, self._target, self._left_out = target, None, None
        self._order = None

    def _require(self, number: int) -> None:
        self._heard = max(self._heard, number)
        if self._load is not None:  # which was given up
            for some in self._load.ids:
                self._arms.remove(some)
            self._load = None
            self._order = None
        if self._number != number or self._target is not None:
            raise OutOfStep

    def _check(self, change: Change) -> None:
        if change.kind != "remove":
            ArmShard(**self._options).add(change.ids, change.features)
        elif len(np.unique(change.ids)) < len(change.ids):
            values, counts = np.unique(change.ids, return_counts=True)
            raise DuplicateIdError(f"arm {values[np.argmax(counts > 1)]} is given twice")
        present = np.asarray(self._arms.contains(change.ids))
        if change.kind == "add" and np.any(present):
            raise DuplicateIdError(f"arm {change.ids[np.argmax(present)]} exists already")
        if change.kind != "add" and not np.all(present):
            raise UnknownIdError(f"there is no arm {change.ids[np.argmin(present)]}")

    def _apply(self, change: Change) -> None:
        if change.kind == "add":
            self._arms.add(change.ids, change.features)
        elif change.kind == "remove":
            self._arms.remove(change.ids)
        else:
            self._arms.update(change.ids, change.features)
        self._order = None

    def _add(self, rows: Rows, added: list[Ids]) -> None:
        try:
            self._arms.add(rows.ids, rows.features)
        except Error as error:
            raise self._with_row(rows, error) from None
        added.append(rows.ids)
        self._order = None

    def _with_row(self, rows: Rows, error: Error) -> Error:
        """The error with the first row that is at fault."""
        tried = ArmShard(**self._options)
        for place in range(len(rows.ids)):
            one = Change("add", rows.ids[place:place + 1], rows.features[place:place + 1])
            try:
                self._check(one)
                tried.add(one.ids, one.features)
            except Error as fault:
                row = rows.places[place]
                return type(fault)(f"{rows.name}, row {row}: {fault}")
        return error

    def _in_order(self) -> NDArray[np.int64]:
        if self._order is None:
            self._order = order_of(np.asarray(self._arms.ids()))
        return self._order


class _Load:
    """Arms that a shard has read, which will stay if all shards can read theirs."""

    def __init__(self, to: int) -> None:
        self.to = to
        self.parts = 0
        self.ids: list[Ids] = []


def _chosen(rows: Rows, mine: NDArray[np.bool_]) -> Rows:
    return Rows(rows.name, rows.places[mine], rows.ids[mine], rows.features[mine])


def _resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")
