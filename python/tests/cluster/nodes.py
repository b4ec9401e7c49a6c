"""A Ray cluster of several nodes on this machine, which reaches no other machine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Ray reads these when it is imported: it must report its use to nobody, and the nodes
# must have addresses of this machine alone (the name of the second is Ray's).
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"

import ray  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

_STORE = 80_000_000  # bytes of Ray's object store on each node
# A node counts as dead after two seconds without an answer, which tests wait for.
_HEALTH = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500,
           "health_check_timeout_ms": 2_000, "health_check_failure_threshold": 4}


class Nodes:
    """A head without shards, and nodes that can be killed."""

    def __init__(self, nodes: int) -> None:
        self._cluster = Cluster(initialize_head=True, head_node_args={
            "num_cpus": 0, "include_dashboard": False, "object_store_memory": _STORE,
            "_system_config": _HEALTH})
        self._nodes: list[Any] = []
        for _ in range(nodes):
            self.add()
        ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self) -> None:
        """Adds a node with a processor."""
        self._nodes.append(self._cluster.add_node(num_cpus=1, object_store_memory=_STORE))

    def kill(self, processes: set[int]) -> set[int]:
        """Kills the oldest node, waits until Ray knows that it is dead, and returns
        which of these processes have gone with it."""
        alive = _alive_nodes()
        self._cluster.remove_node(self._nodes.pop(0), allow_graceful=False)
        _wait(lambda: _alive_nodes() < alive)
        _wait(lambda: not all(map(_exists, processes)))
        return {process for process in processes if not _exists(process)}

    def close(self) -> None:
        ray.shutdown()
        self._cluster.shutdown()


@contextmanager
def running(nodes: int) -> Iterator[Nodes]:
    cluster = Nodes(nodes)
    try:
        yield cluster
    finally:
        cluster.close()


def _alive_nodes() -> int:
    return sum(bool(node["Alive"]) for node in ray.nodes())


def _exists(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _wait(done: Any) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, "nothing happened within a minute"
        time.sleep(0.1)
