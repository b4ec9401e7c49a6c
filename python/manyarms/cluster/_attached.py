"""The Ray cluster to which this process is attached."""

from __future__ import annotations

import logging
import os
import socket

import ray

from manyarms.errors import UnsupportedError

NAMESPACE = "manyarms"
_CONNECT_SECONDS = 10.0


def attach(address: str | None) -> bool:
    """Attaches this process to a running cluster, or starts a local one if there is no
    address. Returns whether it did, and not an earlier caller. Raises ConnectionError."""
    if ray.is_initialized():
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


def _check_that_somebody_listens(address: str) -> None:
    """Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:
        raise ConnectionError(f"there is no Ray cluster at {address}: {error}") from None
