"""Changes of what all partitions have alike: bandits, settings and arms."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from manyarms._requests import Body, Requests
from manyarms.cluster._control import Control
from manyarms.errors import InvalidArgumentError, NotFoundError, ServiceError, UnavailableError

_NOTE = "change"
_MOST_BYTES = 256 << 20  # of a change, which is noted


@dataclass(frozen=True)
class Change:
    """A request that changes something at all partitions.

    path: below /v1.
    counted: the path of the bandit whose number of arms tells whether the change was
        made, "" if the change can be made twice.
    before: that number before the change.
    """

    method: str
    path: str
    content_type: str = ""
    body: bytes = b""
    counted: str = ""
    before: int = 0

    def to_note(self) -> bytes:
        """The change as a note."""
        fields = asdict(self) | {"body": base64.b64encode(self.body).decode()}
        return json.dumps(fields).encode()

    @classmethod
    def of_note(cls, note: bytes) -> Change:
        """The change that was noted."""
        fields = json.loads(note)
        return cls(**fields | {"body": base64.b64decode(fields["body"])})


class Replicated:
    """Makes changes at all partitions, one after the other.

    The first partition decides whether a change is right, and all others follow it. The
    change is noted before. Whoever comes next completes what somebody has begun and did
    not complete, so partitions do not differ for good. All of this happens under one
    lock, also among processes, so that arms have the same places everywhere.
    """

    def __init__(
        self, control: Control, partitions: Sequence[Requests], timeout: float
    ) -> None:
        self._control = control
        self._partitions = partitions
        self._timeout = timeout

    def complete(self) -> None:
        """Completes the change that was begun last, if it is not complete."""
        with self._control.locked(self._timeout):
            self._complete()

    def make(
        self, method: str, path: str, body: Body | None = None, *, counted: str = ""
    ) -> Any:
        """Makes a change, and returns the first partition's answer when all have it."""
        data = b"" if body is None else b"".join(body.pieces())
        if len(data) > _MOST_BYTES:
            raise InvalidArgumentError(
                f"the arms have {len(data)} bytes, at most {_MOST_BYTES} go into one change")
        kind = "" if body is None else body.content_type
        with self._control.locked(self._timeout):
            self._complete()
            before = self._arms(0, counted) if counted else 0
            change = Change(method, path, kind, data, counted, before)
            self._control.put(_NOTE, change.to_note())
            try:
                answer = self._decide(change)
            except UnavailableError:
                raise  # it may be done: the note stays
            except ServiceError:
                self._control.put(_NOTE, None)
                raise
            self._follow(change)
            self._control.put(_NOTE, None)
            return answer

    def _complete(self) -> None:
        note = self._control.get(_NOTE)
        if note is None:
            return
        change = Change.of_note(note)
        if change.counted:
            is_made = self._arms(0, change.counted) != change.before
        else:
            is_made = self._is_made_again(change)
        if is_made:
            self._follow(change)
        self._control.put(_NOTE, None)

    def _is_made_again(self, change: Change) -> bool:
        try:
            self._send(0, change, repeatable=True)
        except UnavailableError:
            raise
        except NotFoundError:
            return change.method == "DELETE"
        except ServiceError:
            return False  # it was refused before, too
        return True

    def _decide(self, change: Change) -> Any:
        """Makes the change at the first partition."""
        while True:
            try:
                return self._send(0, change, repeatable=not change.counted)
            except UnavailableError as error:
                if not (change.counted and error.uncertain):
                    raise
            if (arms := self._arms(0, change.counted)) != change.before:
                return {"arms": arms}

    def _follow(self, change: Change) -> None:
        """Makes a change that the first partition has made at all others."""
        others = range(1, len(self._partitions))
        if not others:
            return
        with ThreadPoolExecutor(len(others)) as pool:
            for _ in pool.map(lambda number: self._follow_one(number, change), others):
                pass

    def _follow_one(self, number: int, change: Change) -> None:
        while True:
            if change.counted and self._arms(number, change.counted) != change.before:
                return
            try:
                self._send(number, change, repeatable=not change.counted)
                return
            except NotFoundError:
                if change.method != "DELETE":
                    raise
                return
            except UnavailableError as error:
                if not (change.counted and error.uncertain):
                    raise

    def _send(self, number: int, change: Change, *, repeatable: bool) -> Any:
        body = None
        if change.content_type:
            body = Body(change.content_type, lambda: (change.body,), len(change.body))
        return self._partitions[number].ask(
            change.method, change.path, body, repeatable=repeatable, slow=True)

    def _arms(self, number: int, path: str) -> int:
        return int(self._partitions[number].get(path)["stats"]["arms"])
