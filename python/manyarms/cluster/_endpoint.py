"""Where the service of a partition listens."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import ray
from ray.exceptions import GetTimeoutError, RayActorError

from manyarms.cluster._deadline import Deadline
from manyarms.errors import ClusterTimeout, TakenOverError

PAUSE = 0.05  # seconds between two attempts to reach a partition


class Endpoint(NamedTuple):
    """Where a service listens, and the token that it wants."""

    url: str
    token: str


def find_endpoint(name: str, start: Callable[[], Any], deadline: Deadline) -> Endpoint:
    """Waits for a partition. Raises ClusterTimeout, or TakenOverError if it will not
    come back by itself.

    name: what errors call the partition.
    start: returns its actor, which is made if there is none.
    """
    while True:
        why = "its service does not run"
        try:
            asked = start().endpoint.remote()
            state = ray.get(asked, timeout=max(1.0, deadline.left()))
            if state["taken_over"]:
                raise TakenOverError(f"another process has taken over {name}")
            if state["url"]:
                return Endpoint(state["url"], state["token"])
        except (GetTimeoutError, RayActorError) as error:
            why = f"its actor does not answer ({type(error).__name__})"
        if deadline.left() == 0:
            raise timeout_of(name, deadline, why)
        time.sleep(PAUSE)


def timeout_of(name: str, deadline: Deadline, why: str) -> ClusterTimeout:
    """The error of a partition that did not answer."""
    return ClusterTimeout(f"{name} did not answer within {deadline.seconds:g} s: {why}")
