"""What ``manyarms cluster status`` shows of populations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayError
from ray.util import list_named_actors

from manyarms._requests import Requests
from manyarms.cluster._attached import NAMESPACE
from manyarms.cluster._table import table
from manyarms.errors import Error

_NAME = re.compile(r"partition:([^:]+):(\d{4})")
_SECONDS = 5.0  # for a partition to answer
_EPOCH = re.compile(r"^manyarms_store_epoch (\d+)", re.MULTILINE)
_HEADINGS = ("partition", "learners", "choices", "epoch", "restarts", "service", "process",
             "node")


def populations() -> dict[str, list[int]]:
    """The populations of the cluster to which this process is attached, by name, with the
    numbers of their partitions."""
    found: dict[str, list[int]] = {}
    for actor in list_named_actors(all_namespaces=True):
        named = _NAME.fullmatch(str(actor["name"]))
        if named and actor["namespace"] == NAMESPACE:
            found.setdefault(named[1], []).append(int(named[2]))
    return {name: sorted(numbers) for name, numbers in sorted(found.items())}


def partition_state(population: str, number: int) -> dict[str, Any]:
    """What a partition says of itself: where it is, and whether it answers ("ready",
    "starting", "taken over", "does not answer"). One that is ready also has its epoch,
    and the learners and choices of all its bandits."""
    try:
        actor = ray.get_actor(f"partition:{population}:{number:04}", namespace=NAMESPACE)
        asked: Any = actor.endpoint.remote()
        state: dict[str, Any] = ray.get(asked, timeout=_SECONDS)
    except (GetTimeoutError, RayError, ValueError):
        return {"state": "does not answer"}
    token = state.pop("token")
    if state["taken_over"]:
        return state | {"state": "taken over"}
    if not state["url"]:
        return state | {"state": "starting"}
    try:
        return state | _asked(Requests(state["url"], token, _SECONDS, 0, None))
    except Error:
        return state | {"state": "does not answer"}


def populations_text() -> str:
    """The partitions of all populations, in tables."""
    texts = [f"{name}\n{table(_HEADINGS, [_row(name, number) for number in numbers])}"
             for name, numbers in populations().items()]
    return "\n\n".join(texts) or "no populations"


def _asked(service: Requests) -> dict[str, Any]:
    bandits = [one["stats"] for one in service.get("/v1/bandits")["bandits"]]
    epoch = _EPOCH.search(service.get("/metrics"))
    service.close()
    return {"state": "ready", "epoch": int(epoch[1]) if epoch else 0,
            "learners": sum(one["learners"] for one in bandits),
            "choices": sum(one["choices"] for one in bandits)}


def _row(population: str, number: int) -> tuple[str, ...]:
    state = partition_state(population, number)

    def cell(name: str, form: Callable[[Any], str] = str) -> str:
        return form(state[name]) if state.get(name) is not None else "?"

    service = state["url"] if state["state"] == "ready" else state["state"]
    return (f"{number}", cell("learners", "{:,}".format), cell("choices", "{:,}".format),
            cell("epoch"), cell("restarts"), service, cell("process"), cell("node"))
