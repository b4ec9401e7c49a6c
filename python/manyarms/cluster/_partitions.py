"""The partitions of a population: where they are, and which one has a learner."""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import ray

from manyarms.cluster import _attached, _partition, _serving
from manyarms.cluster._control import control_of
from manyarms.cluster._keys import owner_of
from manyarms.cluster._owner import OwnerRequests
from manyarms.cluster._replicated import Replicated
from manyarms.errors import ConflictError, InvalidArgumentError, NotFoundError, UnavailableError

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_MOST_PARTITIONS = 1_000
_DEFAULT_PARTITIONS = 4
_NOTE = "population"
_STOPPED = "stopped"
_YES = b"yes"

Result = TypeVar("Result")


class Partitions:
    """The partitions of a population, which are started if they do not run.

    store: None for a population that runs already.
    count: None for the number with which the population was made.
    options: further flags of ``manyarms serve`` for partitions that are started from now
        on; None for those that were given last.
    """

    def __init__(
        self, name: str, count: int | None, store: str | os.PathLike[str] | None,
        address: str | None, timeout: float, options: Sequence[str] | None = None,
    ) -> None:
        if not _NAME.fullmatch(name):
            raise InvalidArgumentError(
                f"the name {name!r} must have 1 to 64 letters, digits, '_', '.' and '-'")
        if not timeout > 0:
            raise InvalidArgumentError(f"timeout is {timeout}, expected a number above 0")
        if count is not None and not 1 <= count <= _MOST_PARTITIONS:
            raise InvalidArgumentError(
                f"partitions is {count}, expected 1 to {_MOST_PARTITIONS}")
        _serving.check_options(options or ())
        _attached.attach(address)
        self.name = name
        self.store = os.fspath(store) if store is not None else self._store_in_use(timeout)
        self._control = control_of(self.store)
        self._description = self._described(count, options, timeout) | {"store": self.store}
        if store is not None:
            with self._control.notes() as notes:
                notes.delete(_STOPPED, _YES)
        self.count: int = self._description["partitions"]
        self.owners = [
            OwnerRequests(f"partition {number} of {name}",
                          functools.partial(self.start, number), timeout)
            for number in range(self.count)
        ]
        self.replicated = Replicated(self._control, self.owners, timeout)
        self._pool = ThreadPoolExecutor(self.count)
        for number in range(self.count):
            self.start(number)
        self.replicated.complete()

    def start(self, number: int) -> Any:
        """The actor of a partition, which is made if it is not there, unless somebody has
        stopped the population. Raises UnavailableError then."""
        there = _partition.find(self.name, number)
        if there is not None:
            return there
        self._check_is_not_stopped()
        actor = _partition.start(self.name, number, self._description,
                                 self._control.place_of(number), self._description["options"])
        try:
            self._check_is_not_stopped()
        except UnavailableError:
            ray.kill(actor)  # stop() has looked for it before it was there
            raise
        return actor

    def owner_of(self, learner: str) -> int:
        """The partition of a learner."""
        return owner_of(learner, self.count)

    def each(
        self, ask: Callable[..., Result], given: Mapping[int, Any] | None = None
    ) -> dict[int, Result]:
        """Calls ``ask`` for partitions at the same time: for all with their number, or for
        those that are given, with their number and what is given for them."""
        if given is None:
            waiting = {number: self._pool.submit(ask, number) for number in range(self.count)}
        else:
            waiting = {number: self._pool.submit(ask, number, what)
                       for number, what in given.items()}
        return {number: result.result() for number, result in waiting.items()}

    def close(self) -> None:
        """Closes the connections. The partitions go on."""
        self._pool.shutdown(wait=False)
        for owner in self.owners:
            owner.close()

    def stop(self) -> None:
        """Ends the partitions' processes, and notes that nobody starts them again before
        a population with this store is made. Their stores stay."""
        with self._control.notes() as notes:
            notes.put(_STOPPED, _YES)
        for number in range(self.count):
            actor = _partition.find(self.name, number)
            if actor is not None:
                ray.kill(actor)
        self.close()

    def _check_is_not_stopped(self) -> None:
        with self._control.notes() as notes:
            if notes.get(_STOPPED) is not None:
                raise UnavailableError(
                    f"the population {self.name} was stopped; Population({self.name!r}, "
                    "store=...) starts it again")

    def _store_in_use(self, timeout: float) -> str:
        actor = _partition.find(self.name)
        if actor is None:
            raise NotFoundError(
                f"no population {self.name} runs on this cluster: say where its store is")
        description = ray.get(actor.description.remote(), timeout=timeout)
        return str(description["store"])

    def _described(
        self, count: int | None, options: Sequence[str] | None, timeout: float
    ) -> dict[str, Any]:
        """What the store says of the population, after what is new was noted."""
        with self._control.locked(timeout) as notes:
            note = notes.get(_NOTE)
            known = {"name": self.name, "partitions": count or _DEFAULT_PARTITIONS}
            if note is not None:
                known = json.loads(note)
                _check_is(known, self.name, count)
            chosen = known.get("options", []) if options is None else list(options)
            description: dict[str, Any] = known | {"options": chosen}
            if note is None or description != known:
                notes.put(_NOTE, json.dumps(description).encode())
            return description


def _check_is(known: dict[str, Any], name: str, count: int | None) -> None:
    """Refuses a store that has another population, or another number of partitions."""
    if known["name"] != name:
        raise ConflictError(
            f"the store belongs to the population {known['name']}, not to {name}")
    if count not in (None, known["partitions"]):
        raise ConflictError(
            f"the population {name} was made with {known['partitions']} partitions, "
            f"which cannot become {count}: its learners are divided among them")
