"""What the tests of populations share."""

from __future__ import annotations

import contextlib
import pathlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import ray

import manyarms
from manyarms import cluster
from manyarms.cluster import _partition, _status

DIM = 6
ARMS = 120
X = np.random.default_rng(11).normal(size=(ARMS, DIM)).astype(np.float32)
SERVICE_TESTS = pathlib.Path(__file__).parents[3] / "tests" / "service"


@contextlib.contextmanager
def ray_cluster() -> Iterator[str]:
    """A Ray cluster of one node. Yields its address."""
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False,
             object_store_memory=100 << 20)
    try:
        yield ray.get_runtime_context().gcs_address
    finally:
        ray.shutdown()


@contextlib.contextmanager
def postgres_url() -> Iterator[str]:
    """A database of PostgreSQL of its own."""
    sys.path.insert(0, str(SERVICE_TESTS))
    try:
        from postgres import Cluster  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(SERVICE_TESTS))
    with Cluster() as server:
        yield server.create("population")


@contextlib.contextmanager
def population(name: str, store: Any, **options: Any) -> Iterator[cluster.Population]:
    """A population, whose processes end with the test."""
    made = cluster.Population(
        name, DIM, store=store, seed=5, arms="numbers", **{"partitions": 2} | options)
    try:
        yield made
    finally:
        made.stop()


def one_process(**options: Any) -> manyarms.Population:
    """The population of one process that a cluster's has to agree with."""
    return manyarms.Population(DIM, seed=5, **options)


def facts(decision: Any) -> tuple[Any, ...]:
    """What two decisions must have in common."""
    return decision.arm, decision.score, decision.eligible, decision.uniform


def process_of(name: str, partition: int) -> int:
    """The process of the service of a partition, once it takes requests."""
    return int(wait_for(lambda: _ready(name, partition))["process"])


def kill_actor(name: str, partition: int) -> None:
    """Ends the actor's process, as a crash would."""
    actor = _partition.find(name, partition)
    assert actor is not None
    ray.kill(actor, no_restart=False)


def _ready(name: str, partition: int) -> dict[str, Any] | None:
    state = _status.partition_state(name, partition)
    return state if state["state"] == "ready" else None


def wait_for(what: Callable[[], Any], seconds: float = 60.0) -> Any:
    """What ``what`` returns as soon as that is true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.05)
    return found


def is_running(process: int) -> bool:
    """Whether a process is there, and has not ended."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def serve(place: str, *options: str) -> subprocess.Popen[str]:
    """A service over the store of a partition, besides the cluster's own."""
    from manyarms import _program

    return subprocess.Popen(
        [str(_program.path()), "serve", "--data", place, "--port", "0", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows_of(pop: cluster.Population, partition: int, query: str) -> list[Any]:
    """Rows of a partition's store."""
    place = pop._partitions._control.place_of(partition)
    if place.startswith("postgresql:"):
        import psycopg

        with psycopg.connect(place) as server:
            return server.execute(query).fetchall()
    with contextlib.closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True)) as file:
        return file.execute(query).fetchall()
