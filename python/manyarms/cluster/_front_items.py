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
from manyarms.errors import ClusterTimeout, TakenOverError, UnavailableError

_MOST_ITEMS = 1_000
_WRONG_LEARNER = "the learner must be a text or a whole number from 0 to 2^64 - 1"


class Items:
    """Divides requests among partitions, and puts their answers together."""

    def __init__(self, parts: Sequence[Forwarding]) -> None:
        self._parts = parts

    async def of_learner(
        self, path: str, body: bytes, content_type: str, id_name: str | None, *,
        may_be_missing: bool = False,
    ) -> Answer:
        """A choice, an observation or a prediction.

        id_name: of the field by which the owner knows the request again.
        may_be_missing: whether a request without a body is right.
        """
        value = _json.parsed(body, content_type, may_be_missing=may_be_missing)
        if isinstance(value, Answer):
            return value
        learner = _json.learner_of(value)
        if learner is None:
            return _json.of_error(422, _WRONG_LEARNER)
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
        if isinstance(value, Answer):
            return value
        if id_name is not None:
            value = _json.with_id(value, id_name)
        decision = _json.decision_of(value)
        if decision is None:
            return await self._of_event(path, _json.dumped(value))
        owner, inside = _numbers.inner(decision, len(self._parts))
        body = _json.dumped(value | {"decision": inside})
        answer = await self._parts[owner].ask("POST", path, body, JSON)
        return self._renumbered(answer, owner, (decision, inside))

    async def choices(self, path: str, body: bytes, content_type: str) -> Answer:
        """A batch of choices, divided among the owners of their learners."""
        items = _items(body, content_type, "choices")
        if isinstance(items, Answer):
            return items
        results: list[Any] = [None] * len(items)
        places: dict[int, list[int]] = {}
        for place, item in enumerate(items):
            learner = _json.learner_of(item)
            if learner is None:
                results[place] = {"error": _json.error(422, _WRONG_LEARNER)}
                continue
            items[place] = _json.with_id(item, "event")
            places.setdefault(owner_of(learner, len(self._parts)), []).append(place)
        await self._batch(path, "choices", items, places, results)
        return _json.of_value({"results": results})

    async def rewards(self, path: str, body: bytes, content_type: str) -> Answer:
        """A batch of rewards, divided among those who have their decisions."""
        items = _items(body, content_type, "rewards")
        if isinstance(items, Answer):
            return items
        results: list[Any] = [None] * len(items)
        places: dict[int, list[int]] = {}
        by_event = []
        for place, item in enumerate(items):
            if isinstance(item, dict):
                item = _json.with_id(item, "id")
            decision = _json.decision_of(item)
            if decision is None:
                by_event.append(place)
            else:
                owner, inside = _numbers.inner(decision, len(self._parts))
                item = item | {"decision": inside}
                places.setdefault(owner, []).append(place)
            items[place] = item
        await self._batch(path, "rewards", items, places, results)
        await self._batch_of_events(path, items, by_event, results)
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

    async def _of_event(self, path: str, body: bytes) -> Answer:
        """Only the partition that has it knows the event, so one partition after the
        other is asked. Those that do not answer need not be the one."""
        unknown = Answer(404)
        failed = None
        for owner, part in enumerate(self._parts):
            try:
                answer = await part.ask("POST", path, body, JSON)
            except (ClusterTimeout, TakenOverError, UnavailableError) as error:
                failed = failed or _json.of_error(503, str(error))
                continue
            if answer.status != 404:
                return self._renumbered(answer, owner)
            unknown = answer
        return failed or unknown

    async def _batch_of_events(
        self, path: str, items: list[Any], places: list[int], results: list[Any]
    ) -> None:
        """As ``_of_event``, for the rewards at these places."""
        failed: dict[int, Any] = {}
        for owner in range(len(self._parts)):
            if not places:
                break
            await self._batch(path, "rewards", items, {owner: places}, results)
            status = {place: results[place].get("error", {}).get("status", 200)
                      for place in places}
            places = [place for place in places if status[place] in (404, 503)]
            for place in places:
                if status[place] == 503:
                    failed.setdefault(place, results[place])
        for place in places:
            results[place] = failed.get(place, results[place])

    async def _batch(
        self, path: str, name: str, items: list[Any], places: dict[int, list[int]],
        results: list[Any],
    ) -> None:
        """Each partition gets its items, which are at these places, as the results are."""
        answers = await asyncio.gather(*(
            self._part_of_batch(owner, path, name, [items[place] for place in its])
            for owner, its in places.items()))
        for its, answer in zip(places.values(), answers):
            for place, result in zip(its, answer):
                results[place] = result

    async def _part_of_batch(
        self, owner: int, path: str, name: str, items: list[Any]
    ) -> list[Any]:
        try:
            answer = await self._parts[owner].ask("POST", path, _json.dumped({name: items}), JSON)
        except (ClusterTimeout, TakenOverError, UnavailableError) as error:
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


def _items(body: bytes, content_type: str, name: str) -> list[Any] | Answer:
    """The items of a batch, or the error that a service would answer."""
    value = _json.parsed(body, content_type)
    if isinstance(value, Answer):
        return value
    items = value.get(name)
    if not isinstance(items, list) or len(value) != 1:
        return _json.of_error(422, f"the body must have the list {name} and nothing else")
    if len(items) > _MOST_ITEMS:
        return _json.of_error(413, f"{name} has more than {_MOST_ITEMS} elements")
    return items
