"""Choices and rewards at a front end, with partitions that only note what they get."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from manyarms import errors
from manyarms.cluster._front_items import Items
from manyarms.cluster._http import JSON, Answer
from manyarms.cluster._keys import owner_of

_CHOOSE = "/v1/bandits/shop/choose"
_CHOICES = "/v1/bandits/shop/choices"
_REWARD = "/v1/bandits/shop/reward"
_REWARDS = "/v1/bandits/shop/rewards"


class Part:
    """A partition that knows some events and learns rewards of all decisions."""

    def __init__(self, *events: str) -> None:
        self.events = events
        self.is_there = True
        self.asked: list[Any] = []
        self.learned: list[Any] = []

    async def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> Answer:
        if not self.is_there:
            raise errors.ClusterTimeout("it hangs")
        assert kind == JSON
        value = json.loads(body)
        self.asked.append(value)
        if path == _REWARDS:
            return _answer(200, {"results": [self._learn(one) for one in value["rewards"]]})
        if path == _REWARD:
            result = self._learn(value)
            return _answer(result.get("error", {"status": 200})["status"], result)
        if path == _CHOICES:
            return _answer(200, {"results": [{"decision": 1} for _ in value["choices"]]})
        return _answer(200, {"decision": 1})

    def _learn(self, reward: dict[str, Any]) -> dict[str, Any]:
        if "decision" not in reward and reward["event"] not in self.events:
            return {"error": {"status": 404, "code": "not_found", "message": "no such event"}}
        self.learned.append(reward)
        return {"decision": 1, "learned": True}


def _answer(status: int, value: Any) -> Answer:
    return Answer(status, json.dumps(value).encode())


def items_of(parts: list[Part]) -> Items:
    given: Any = parts
    return Items(given)


@pytest.mark.parametrize("kind", [
    "application/json", "Application/JSON", "APPLICATION/JSON; charset=utf-8",
    'application/json ;Charset="UTF-8"',
])
def test_a_choice_goes_to_the_owner_of_its_learner_however_its_media_type_is_written(
    kind: str,
) -> None:
    learner = next(str(i) for i in range(100) if owner_of(str(i), 3) == 2)
    parts = [Part(), Part(), Part()]
    body = json.dumps({"learner": learner}).encode()
    answer = asyncio.run(items_of(parts).of_learner(_CHOOSE, body, kind, "event"))
    assert json.loads(answer.body) == {"decision": 1 * 3 + 2}
    assert [len(part.asked) for part in parts] == [0, 0, 1]
    batch = json.dumps({"choices": [{"learner": learner}]}).encode()
    answer = asyncio.run(items_of(parts).choices(_CHOICES, batch, kind))
    assert json.loads(answer.body) == {"results": [{"decision": 1 * 3 + 2}]}
    assert [len(part.asked) for part in parts] == [0, 0, 2]


@pytest.mark.parametrize(("kind", "body", "status"), [
    ("", b"{}", 415), ("text/plain", b"{}", 415), ("application/jsonl", b"{}", 415),
    ("application/json; charset=latin-1", b"{}", 415),
    (JSON, b"{", 400), (JSON, b'{"a":1,"a":1}', 400), (JSON, b"\xff", 400),
    (JSON, b'{"a":NaN}', 400), (JSON, b"[" * 100_000, 400), (JSON, b"[]", 422),
])
def test_a_body_that_cannot_be_read_reaches_no_partition(
    kind: str, body: bytes, status: int
) -> None:
    parts = [Part(), Part()]
    items = items_of(parts)

    async def ask_all() -> list[Answer]:
        return [await items.of_learner(_CHOOSE, body, kind, "event"),
                await items.of_decision(_REWARD, body, kind, "id"),
                await items.choices(_CHOICES, body, kind),
                await items.rewards(_REWARDS, body, kind)]

    assert [answer.status for answer in asyncio.run(ask_all())] == [status] * 4
    assert not parts[0].asked and not parts[1].asked


def test_a_batch_that_is_too_large_reaches_no_partition() -> None:
    parts = [Part(), Part()]
    items = items_of(parts)
    for ask, name in ((items.choices, "choices"), (items.rewards, "rewards")):
        body = json.dumps({name: [{"learner": "a", "decision": 1}] * 1_001}).encode()
        answer = asyncio.run(ask("/v1/bandits/shop/" + name, body, JSON))
        assert answer.status == 413
    assert not parts[0].asked and not parts[1].asked


def test_a_wrong_learner_reaches_no_partition() -> None:
    parts = [Part(), Part()]
    items = items_of(parts)
    for learner in (None, True, -1, 1.5, 2**64, [], {}):
        body = json.dumps({"learner": learner}).encode()
        assert asyncio.run(items.of_learner(_CHOOSE, body, JSON, "event")).status == 422
        batch = json.dumps({"choices": [{"learner": learner}, {"learner": "a"}]}).encode()
        results = json.loads(asyncio.run(items.choices(_CHOICES, batch, JSON)).body)["results"]
        assert results[0]["error"]["status"] == 422 and "decision" in results[1]
    assert all(one["choices"][0]["learner"] == "a" for part in parts for one in part.asked)


def rewards_of(parts: list[Part], *rewards: dict[str, Any]) -> list[Any]:
    body = json.dumps({"rewards": [{"reward": 1} | one for one in rewards]}).encode()
    answer = asyncio.run(items_of(parts).rewards(_REWARDS, body, JSON))
    assert answer.status == 200
    return list(json.loads(answer.body)["results"])


def test_rewards_by_event_find_their_partition_though_another_hangs() -> None:
    parts = [Part("a"), Part("b"), Part("c")]
    parts[1].is_there = False
    results = rewards_of(parts, {"decision": 3}, {"event": "a"}, {"event": "c"},
                         {"event": "b"}, {"decision": 4})
    assert [one.get("learned", False) for one in results] == [True, True, True, False, False]
    assert [results[place]["error"]["status"] for place in (3, 4)] == [503, 503]
    assert len(parts[0].learned) == 2 and len(parts[2].learned) == 1
    parts[1].is_there = True
    results = rewards_of(parts, {"event": "b"}, {"event": "unknown"})
    assert results[0]["learned"] and results[1]["error"]["status"] == 404


def test_a_reward_by_event_is_unknown_only_if_all_partitions_say_so() -> None:
    parts = [Part(), Part(), Part("c")]
    parts[0].is_there = False

    def status_of(event: str) -> int:
        body = json.dumps({"event": event, "reward": 1}).encode()
        return asyncio.run(items_of(parts).of_decision(_REWARD, body, JSON, "id")).status

    assert status_of("c") == 200
    assert status_of("unknown") == 503
    parts[0].is_there = True
    assert status_of("unknown") == 404
