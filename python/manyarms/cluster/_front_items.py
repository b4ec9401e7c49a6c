"""Choices and rewards at a front end: each goes to the partition that it concerns."""

from __future__ import annotations

import asyncio
import json
import urllib.parse
from collections.abc import Sequence
from typing import Any

from manyarms.cluster import _front_json as _json
from manyarms.cluster import _numbers
from manyarms.cluster._forwarding import Forwarding
from manyarms.cluster._http import JSON, Answer
from manyarms.cluster._keys import owner_of
from manyarms.errors import ClusterTimeout, TakenOverError

_MOST_ITEMS = 1_000


class Items:
    """Divides requests among partitions, and puts their answers together."""

    def __init__(self, parts: Sequence[Forwarding]) -> None:
        self._parts = parts

    async def of_learner(
        self, path: str, body: bytes, content_type: str, id_name: str | None
    ) -> Answer:
        """A choice, an observation or a prediction. One that is wrong in itself goes to
        the first partition, which says why.

        id_name: of the field by which the owner knows the request again.
        """
        value = _json.parsed(body, content_type)
        learner = None if value is None else _json.learner_of(value)
        if value is None or learner is None:
            return await self._parts[0].ask("POST", path, body, content_type)
        if id_name is not None:
            value = _json.with_id(value, id_name)
        owner = owner_of(learner, len(self._parts))
        answer = await self._parts[owner].ask("POST", path, _json.dumped(value), JSON)
        return self._renumbered(answer, owner)

    async def of_decision(
        self, path: str, body: bytes, content_type: str, id_name: str | None
    ) -> Answer:
        """A reward, an activation or a dismissal."""
        value = _json.parsed(body, content_type)
        if value is None:
            return await self._parts[0].ask("POST", path, body, content_type)
        return await self._one_of_decision(path, value, id_name)

    async def choices(self, path: str, body: bytes, content_type: str) -> Answer:
        """A batch of choices, divided among the owners of their learners."""
        items = self._items(body, content_type, "choices")
        if items is None:
            return await self._parts[0].ask("POST", path, body, content_type)
        places: dict[int, list[int]] = {}
        for place, item in enumerate(items):
            learner = _json.learner_of(item)
            owner = 0 if learner is None else owner_of(learner, len(self._parts))
            places.setdefault(owner, []).append(place)
            if isinstance(item, dict):
                items[place] = _json.with_id(item, "event")
        return await self._batch(path, "choices", items, places)

    async def rewards(self, path: str, body: bytes, content_type: str) -> Answer:
        """A batch of rewards, divided among those who have their decisions."""
        items = self._items(body, content_type, "rewards")
        if items is None:
            return await self._parts[0].ask("POST", path, body, content_type)
        places: dict[int, list[int]] = {}
        by_event = []
        for place, item in enumerate(items):
            if isinstance(item, dict):
                item = _json.with_id(item, "id")
            decision = _json.decision_of(item)
            if decision is not None:
                owner, inside = _numbers.inner(decision, len(self._parts))
                item = item | {"decision": inside}
                places.setdefault(owner, []).append(place)
            elif isinstance(item, dict) and "event" in item:
                by_event.append(place)
            else:
                places.setdefault(0, []).append(place)
            items[place] = item
        single = path[: path.rindex("/")] + "/reward"
        answer = await self._batch(path, "rewards", items, places)
        if not by_event or answer.status != 200:
            return answer
        results = json.loads(answer.body)["results"]
        for place in by_event:
            results[place] = json.loads(
                (await self._one_of_decision(single, items[place], "id")).body)
        return _json.of_value({"results": results})

    async def learner(self, method: str, target: str, key: str) -> Answer:
        """A learner, by its key as the path has it."""
        owner = owner_of(urllib.parse.unquote(key), len(self._parts))
        return await self._parts[owner].ask(method, target)

    async def decision(self, path: str, number: str) -> Answer:
        """What is known of a decision. ``path`` ends before its number."""
        if not number.isascii() or not number.isdigit() or len(number) > 20:
            return await self._parts[0].ask("GET", path + number)
        owner, inside = _numbers.inner(int(number), len(self._parts))
        return self._renumbered(await self._parts[owner].ask("GET", f"{path}{inside}"), owner)

    async def _one_of_decision(
        self, path: str, value: dict[str, Any], id_name: str | None
    ) -> Answer:
        if id_name is not None:
            value = _json.with_id(value, id_name)
        decision = _json.decision_of(value)
        if decision is not None:
            owner, inside = _numbers.inner(decision, len(self._parts))
            body = _json.dumped(value | {"decision": inside})
            answer = await self._parts[owner].ask("POST", path, body, JSON)
            return self._renumbered(answer, owner, (decision, inside))
        # Only the partition that has it knows the event.
        answer = Answer(404)
        for owner, part in enumerate(self._parts):
            answer = await part.ask("POST", path, _json.dumped(value), JSON)
            if answer.status != 404:
                return self._renumbered(answer, owner)
        return answer

    @staticmethod
    def _items(body: bytes, content_type: str, name: str) -> list[Any] | None:
        value = _json.parsed(body, content_type)
        items = None if value is None else value.get(name)
        if not isinstance(items, list) or value is None or len(value) != 1:
            return None
        return items if 0 < len(items) <= _MOST_ITEMS else None

    async def _batch(
        self, path: str, name: str, items: list[Any], places: dict[int, list[int]]
    ) -> Answer:
        """Each partition gets its items, which are at these places."""
        answers = await asyncio.gather(*(
            self._part_of_batch(owner, path, name, [items[place] for place in its])
            for owner, its in places.items()))
        results: list[Any] = [None] * len(items)
        for its, answer in zip(places.values(), answers):
            for place, result in zip(its, answer):
                results[place] = result
        return _json.of_value({"results": results})

    async def _part_of_batch(
        self, owner: int, path: str, name: str, items: list[Any]
    ) -> list[Any]:
        try:
            answer = await self._parts[owner].ask("POST", path, _json.dumped({name: items}), JSON)
        except (ClusterTimeout, TakenOverError) as error:
            return [{"error": _json.error(503, str(error))}] * len(items)
        value = json.loads(answer.body)
        if answer.status != 200:
            return [value] * len(items)
        return [_numbers.renumber(one, owner, len(self._parts)) for one in value["results"]]

    def _renumbered(
        self, answer: Answer, owner: int, numbers: tuple[int, int] | None = None
    ) -> Answer:
        """An answer with the numbers that clients know."""
        value = json.loads(answer.body)
        if answer.status == 200:
            _numbers.renumber(value, owner, len(self._parts))
        elif numbers is not None:
            outside, inside = numbers
            value["error"]["message"] = value["error"]["message"].replace(
                f"decision {inside}", f"decision {outside}")
        return answer._replace(body=_json.dumped(value))
