"""Where the service of a partition listens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import ray
from ray.exceptions import GetTimeoutError, RayActorError

from manyarms.cluster._deadline import Deadline
from manyarms.errors import ClusterTimeout, TakenOverError

PAUSE = 0.05  # seconds between two attempts to reach a partition
_LONGEST_ATTEMPT = 10.0


class Endpoint(NamedTuple):
    """Where a service listens, and the token that it wants."""

    url: str
    token: str


def endpoint_of(name: str, start: Callable[[], Any]) -> tuple[Endpoint | None, str]:
    """Asks a partition where it listens. Returns None and the reason if it does not answer
    yet. Raises TakenOverError if it will not come back by itself.

    name: what errors call the partition.
    start: returns its actor, which is made if there is none.
    """
    try:
        state = ray.get(start().endpoint.remote(), timeout=_LONGEST_ATTEMPT)
    except (GetTimeoutError, RayActorError) as error:
        return None, f"its actor does not answer ({type(error).__name__})"
    if state["taken_over"]:
        raise TakenOverError(f"another process has taken over {name}")
    if not state["url"]:
        return None, "its service does not run"
    return Endpoint(state["url"], state["token"]), ""


def timeout_of(name: str, deadline: Deadline, why: str) -> ClusterTimeout:
    """The error of a partition that did not answer."""
    return ClusterTimeout(f"{name} did not answer within {deadline.seconds:g} s: {why}")
