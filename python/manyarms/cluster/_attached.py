"""The Ray cluster to which this process is attached."""

from __future__ import annotations

import os

import ray

NAMESPACE = "manyarms"


def attach(address: str | None) -> bool:
    """Attaches this process to a running cluster, or starts a local one if there is no
    address. Returns whether it did, and not an earlier caller."""
    if ray.is_initialized():
        return False
    if address is None:
        # A cluster that nobody has asked for must not report its use to anybody.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(address=address or "local", log_to_driver=False, include_dashboard=None,
             logging_level="ERROR")
    return True
