"""The Ray cluster to which this process is attached."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any

import ray

from manyarms.errors import InvalidArgumentError, UnsupportedError

NAMESPACE = "manyarms"
_CONNECT_SECONDS = 10.0


def attach(address: str | None) -> bool:
    """Attaches this process to a running cluster, or starts a local one if there is no
    address. Returns whether it did, and not an earlier caller. Raises ConnectionError, or
    InvalidArgumentError if the process is attached to another cluster."""
    if ray.is_initialized():
        _check_is_attached_to(address)
        return False
    if address is None:
        # A cluster that nobody has asked for must not report its use to anybody.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    elif "://" in address:
        raise UnsupportedError(
            f"{address} is for Ray's client; run the program on a node of the cluster, with "
            "address='auto'")
    elif ":" in address:
        _check_that_somebody_listens(address)
    ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR)
    return True


def _check_is_attached_to(address: str | None) -> None:
    """A process can be attached to one cluster only. ``auto`` is the one that it has."""
    if address in (None, "auto"):
        return
    attached = str(ray.get_runtime_context().gcs_address)
    if not _is_same(str(address), attached):
        raise InvalidArgumentError(
            f"the address is {address}, but this process is attached to the Ray cluster at "
            f"{attached}")


def _is_same(one: str, other: str) -> bool:
    """Whether two addresses lead to the same port of the same machine."""
    one_host, _, one_port = one.rpartition(":")
    other_host, _, other_port = other.rpartition(":")
    return one_port == other_port and bool(_machines(one_host) & _machines(other_host))


def _machines(host: str) -> set[str]:
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host, None)}
    except OSError:
        return {host}
    here: Any = ray.util
    if found & {"127.0.0.1", "::1"}:
        found.add(str(here.get_node_ip_address()))
    return found


def _check_that_somebody_listens(address: str) -> None:
    """Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:
        raise ConnectionError(f"there is no Ray cluster at {address}: {error}") from None
