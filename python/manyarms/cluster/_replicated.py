"""Changes of what all partitions have alike: bandits, settings and arms."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from manyarms._requests import BYTES_PER_SECOND, Body, json_body
from manyarms.cluster._control import Control, Notes
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._endpoint import timeout_of
from manyarms.cluster._owner import OwnerRequests
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
    id: tells it from an equal change.
    """

    method: str
    path: str
    content_type: str = ""
    body: bytes = b""
    counted: str = ""
    before: int = 0
    id: str = field(default_factory=lambda: secrets.token_hex(8))

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
        self, control: Control, partitions: Sequence[OwnerRequests], timeout: float
    ) -> None:
        self._control = control
        self._partitions = partitions
        self._timeout = timeout

    def complete(self) -> None:
        """Completes the change that was begun last, if it is not complete."""
        with self._control.locked(self._timeout) as notes:
            self._complete(notes)

    def make(
        self, method: str, path: str, body: Body | None = None, *, counted: str = ""
    ) -> Any:
        """Makes a change, and returns the first partition's answer when all have it."""
        data = b"" if body is None else b"".join(body.pieces())
        if len(data) > _MOST_BYTES:
            raise InvalidArgumentError(
                f"the arms have {len(data)} bytes, at most {_MOST_BYTES} go into one change")
        kind = "" if body is None else body.content_type
        with self._control.locked(self._timeout) as notes:
            self._complete(notes)
            deadline = self._deadline_for(data)
            before = self._arms(counted, deadline) if counted else 0
            change = Change(method, path, kind, data, counted, before)
            note = change.to_note()
            notes.put(_NOTE, note)
            try:
                answer = self._decide(change, deadline, may_be_made=False)
            except UnavailableError:
                raise  # it may be done: the note stays
            except ServiceError:
                notes.delete(_NOTE, note)
                raise
            self._follow(change, deadline, may_be_made=False)
            notes.delete(_NOTE, note)
            return answer

    def _complete(self, notes: Notes) -> None:
        note = notes.get(_NOTE)
        if note is None:
            return
        change = Change.of_note(note)
        deadline = self._deadline_for(change.body)
        try:
            self._decide(change, deadline, may_be_made=True)
        except UnavailableError:
            raise
        except ServiceError:
            pass  # no partition has it
        else:
            self._follow(change, deadline, may_be_made=True)
        notes.delete(_NOTE, note)

    def _decide(self, change: Change, deadline: Deadline, *, may_be_made: bool) -> Any:
        """Makes a change that is noted at the first partition.

        may_be_made: whether the partition may have it already.
        """
        answer = self._make_at(0, change, deadline, may_be_made=may_be_made)
        deadline.step_done()
        return answer

    def _follow(self, change: Change, deadline: Deadline, *, may_be_made: bool) -> None:
        """Makes a change that the first partition has made at all others."""
        others = range(1, len(self._partitions))
        if others:
            with ThreadPoolExecutor(len(others)) as pool:
                for _ in pool.map(lambda number: self._make_at(
                        number, change, deadline, may_be_made=may_be_made), others):
                    pass

    def _make_at(
        self, number: int, change: Change, deadline: Deadline, *, may_be_made: bool
    ) -> Any:
        """Makes a change at a partition once, and returns when it is durable."""
        while True:
            if may_be_made and (made := self._made(number, change, deadline)):
                return made
            try:
                return self._send(number, change, deadline)
            except UnavailableError as error:
                if not (change.counted and error.uncertain):
                    raise
                if deadline.left() == 0:
                    raise timeout_of(
                        self._partitions[number].url, deadline, str(error)) from error
                may_be_made = True
            except ServiceError as error:
                # An earlier attempt may have been slower than the question whether it
                # was made.
                if may_be_made and (made := self._made(number, change, deadline)):
                    return made
                is_gone = change.method == "DELETE" and isinstance(error, NotFoundError)
                if is_gone and (may_be_made or number > 0):
                    return None
                raise

    def _made(
        self, number: int, change: Change, deadline: Deadline
    ) -> dict[str, int] | None:
        """What a partition has done if it has a counted change, which is durable then.

        The service counts arms before they are in its store. It answers a change of
        settings, also an empty one, when all earlier changes are in the store. It is
        asked twice: the first answer may count arms that came after the question, and
        another process, which knows only what is in the store, may answer the second.
        """
        if not change.counted:
            return None
        for _ in range(2):
            described = self._partitions[number].ask(
                "PATCH", change.counted, json_body({}), repeatable=True, deadline=deadline)
            arms = int(described["stats"]["arms"])
            if arms == change.before:
                return None
        if arms < change.before:
            return {"removed": change.before - arms, "arms": arms}
        return {"added": arms - change.before, "changed": 0, "arms": arms}

    def _send(self, number: int, change: Change, deadline: Deadline) -> Any:
        body = None
        if change.content_type:
            body = Body(change.content_type, lambda: (change.body,), len(change.body))
        return self._partitions[number].ask(
            change.method, change.path, body, repeatable=not change.counted, slow=True,
            deadline=deadline)

    def _arms(self, path: str, deadline: Deadline) -> int:
        described = self._partitions[0].ask("GET", path, repeatable=True, deadline=deadline)
        return int(described["stats"]["arms"])

    def _deadline_for(self, body: bytes) -> Deadline:
        """For partitions that do not answer: after the first one has made the change, the
        others have as long again."""
        return Deadline(self._timeout + len(body) / BYTES_PER_SECOND, for_each_step=True)
