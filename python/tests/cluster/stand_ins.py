"""Parts of a population that need no Ray, for tests of those around them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from manyarms import errors


class Control:
    """The store of a population, in memory."""

    def __init__(self) -> None:
        self.noted: dict[str, bytes] = {}

    def place_of(self, partition: int) -> str:
        return f"partition {partition}"

    @contextlib.contextmanager
    def notes(self) -> Iterator[Control]:
        yield self

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[Control]:
        assert seconds > 0
        yield self

    def get(self, name: str) -> bytes | None:
        return self.noted.get(name)

    def put(self, name: str, value: bytes) -> None:
        self.noted[name] = value

    def delete(self, name: str, value: bytes) -> None:
        if self.noted.get(name) == value:
            del self.noted[name]


class Service:
    """The service of a partition, whose arms are a set. As the real one, it has a change
    in memory before it is in the store, and tells its number of arms meanwhile.

    before, after, asked: called once, with the next change before or after it is in
        memory, or with the next empty change of settings.
    """

    url = "partition"

    def __init__(self) -> None:
        self.memory: set[int] = set()
        self.stored: set[int] = set()
        self.before: Callable[[Service], None] = _does_nothing
        self.after: Callable[[Service], None] = _does_nothing
        self.asked: Callable[[Service], None] = _does_nothing

    def dies(self) -> None:
        """Another process goes on with what is in the store."""
        self.memory = set(self.stored)

    def ask(self, method: str, path: str, body: Any = None, **_: Any) -> Any:
        if method == "PATCH":
            asked, self.asked = self.asked, _does_nothing
            described = self._described()
            asked(self)
            self.stored = set(self.memory)
            return described
        if method == "GET":
            return self._described()
        before, self.before = self.before, _does_nothing
        after, self.after = self.after, _does_nothing
        before(self)
        arms = set(b"".join(body.pieces()))
        if "mode=add" in path:
            if arms & self.memory:
                raise errors.ConflictError("an arm is there", 409)
            self.memory |= arms
        else:
            if not arms <= self.memory:
                raise errors.NotFoundError("an arm is not there", 404)
            self.memory -= arms
        after(self)
        self.stored = set(self.memory)
        return {"arms": len(self.memory)}

    def _described(self) -> dict[str, Any]:
        return {"stats": {"arms": len(self.memory)}}


def _does_nothing(service: Service) -> None:
    pass


def answers_503(service: Service) -> None:
    """The change is in memory, and the store cannot be written."""
    error = errors.UnavailableError("the store cannot be written", 503)
    error.uncertain = True
    raise error
