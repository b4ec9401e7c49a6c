"""A partition of learners: an actor with a service over a store of its own."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import ray

from manyarms.cluster._attached import NAMESPACE
from manyarms.cluster._serving import Serving

# As little as a shard: a node without processors for work gets no partition.
_PROCESSORS = 0.01


class Partition:
    """Runs where Ray puts it. Clients ask it once where its service listens, and then
    talk to the service."""

    def __init__(self, description: dict[str, Any], place: str, options: Sequence[str]) -> None:
        self._description = description
        self._token = secrets.token_hex(16)
        node: Any = ray.util
        self._address = str(node.get_node_ip_address())
        self._serving = Serving(place, self._address, self._token, options)

    def endpoint(self) -> dict[str, Any]:
        """Where the service listens, its token, and how it is."""
        context = ray.get_runtime_context()
        return self._serving.state() | {
            "token": self._token, "node": context.get_node_id(), "address": self._address}

    def description(self) -> dict[str, Any]:
        """Of the population."""
        return self._description


def name_of(population: str, number: int) -> str:
    """The name of an actor."""
    return f"partition:{population}:{number:04}"


def start(population: str, number: int, *given: Any) -> Any:
    """The actor of a partition, which is made if it is not there. It stays when the
    process that made it ends."""
    kind: Any = ray.remote(Partition)
    return kind.options(
        name=name_of(population, number), namespace=NAMESPACE, lifetime="detached",
        get_if_exists=True, num_cpus=_PROCESSORS, scheduling_strategy="SPREAD",
        max_restarts=-1, max_task_retries=0,
    ).remote(*given)


def find(population: str, number: int = 0) -> Any | None:
    """The actor of a partition, if it is there."""
    try:
        return ray.get_actor(name_of(population, number), namespace=NAMESPACE)
    except ValueError:
        return None
