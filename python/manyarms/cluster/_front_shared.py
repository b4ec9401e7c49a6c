"""What is the same at all partitions, or of all partitions together, at a front end."""

from __future__ import annotations

import asyncio
import functools
import heapq
import json
import urllib.parse
from typing import Any

from manyarms._requests import Body
from manyarms.cluster import _front_json as _json
from manyarms.cluster import _merged
from manyarms.cluster._forwarding import Forwarding
from manyarms.cluster._http import Answer
from manyarms.cluster._partitions import Partitions
from manyarms.errors import InvalidArgumentError, ServiceError

_MOST_LEARNERS = 10_000
_LINES = "application/x-ndjson"


class Shared:
    """Changes arms and settings everywhere, and merges lists and counters."""

    def __init__(self, partitions: Partitions, parts: list[Forwarding]) -> None:
        self._partitions = partitions
        self._parts = parts

    async def change(
        self, method: str, path: str, body: bytes, content_type: str, *,
        creates: bool = False, removes: bool = False,
    ) -> Answer:
        """A change of a bandit or its arms at all partitions.

        creates: whether the answer says that the bandit is new.
        removes: whether arms are removed that must be there.
        """
        sent = None
        if body or content_type:
            sent = Body(content_type, lambda: (body,), len(body))
        is_new = creates and (await self._parts[0].ask("GET", path)).status == 404
        made = await self._made(method, path, sent, counted=removes)
        if isinstance(made, Answer):
            return made
        return Answer(204) if made is None else _json.of_value(made, 201 if is_new else 200)

    async def put_arms(self, target: str, body: bytes, content_type: str) -> Answer:
        """Many arms. With ``progress=true`` the answer has lines, all at its end."""
        path, _, query = target.partition("?")
        given = urllib.parse.parse_qs(query, keep_blank_values=True)
        with_lines = given.pop("progress", ["false"]) == ["true"]
        made = await self._made(
            "POST", f"{path}?{urllib.parse.urlencode(given, doseq=True)}",
            Body(content_type, lambda: (body,), len(body)),
            counted="add" in given.get("mode", []))
        if isinstance(made, Answer):
            return made
        if not with_lines:
            return _json.of_value(made)
        return Answer(200, _json.dumped({"stage": "done"} | made) + b"\n", _LINES)

    async def _made(
        self, method: str, path: str, sent: Body | None, *, counted: bool
    ) -> Any:
        """What the first partition answers to a change when all have it, or an error.

        counted: whether the number of arms tells if the change was made.
        """
        make = functools.partial(
            self._partitions.replicated.make, method, path, sent,
            counted=path.rpartition("/")[0] if counted else "")
        try:
            return await asyncio.get_running_loop().run_in_executor(None, make)
        except ServiceError as error:
            return _json.of_error(error.status or 503, str(error))
        except InvalidArgumentError as error:
            return _json.of_error(413, str(error))

    async def bandits(self) -> Answer:
        """All bandits."""
        answers = await self._of_all("/v1/bandits")
        for answer in answers:
            if answer.status != 200:
                return answer
        lists = [{one["name"]: one for one in json.loads(answer.body)["bandits"]}
                 for answer in answers]
        names = [name for name in lists[0] if all(name in known for known in lists)]
        return _json.of_value(
            {"bandits": [_described([known[name] for known in lists]) for name in names]})

    async def bandit(self, path: str) -> Answer:
        """A bandit's settings and counters."""
        answers = await self._of_all(path)
        for answer in answers:
            if answer.status != 200:
                return answer
        return _json.of_value(_described([json.loads(answer.body) for answer in answers]))

    async def learners(self, target: str) -> Answer:
        """A page of learners, of all partitions in one order."""
        answers = await self._of_all(target)
        for answer in answers:
            if answer.status != 200:
                return answer
        pages = [json.loads(answer.body) for answer in answers]
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(target).query)
        limit = min(int(query.get("limit", ["1000"])[0]), _MOST_LEARNERS)
        keys = list(heapq.merge(*(page["learners"] for page in pages)))
        more = len(keys) > limit or any(page["next"] is not None for page in pages)
        keys = keys[:limit]
        return _json.of_value({"learners": keys, "next": keys[-1] if more and keys else None})

    async def ready(self, wait: float) -> Answer:
        """Whether all partitions take requests."""

        async def is_ready(part: Forwarding) -> bool:
            try:
                return (await asyncio.wait_for(part.ask("GET", "/readyz"), wait)).status == 200
            except Exception:
                return False

        states = await asyncio.gather(*map(is_ready, self._parts))
        partitions = [{"partition": number, "ready": state}
                      for number, state in enumerate(states)]
        if all(states):
            return _json.of_value({"status": "ready", "partitions": partitions})
        return _json.of_value({"status": "unavailable", "partitions": partitions}, 503)

    async def _of_all(self, target: str) -> list[Answer]:
        return list(await asyncio.gather(*(part.ask("GET", target) for part in self._parts)))


def _described(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return parts[0] | {"stats": _merged.stats([part["stats"] for part in parts])}
