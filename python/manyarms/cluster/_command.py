"""The command ``manyarms cluster status``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import ray
from ray.exceptions import GetTimeoutError, RayError

from manyarms.cluster import _attached, _names, _status
from manyarms.cluster._table import table

_SECONDS = 10.0  # for all shards to answer
_HEADINGS = ("shard", "arms", "bytes", "change", "lag", "restores", "survey", "node", "process")


def main(args: Sequence[str]) -> int:
    """Runs ``manyarms cluster ...`` and returns its status."""
    parser = argparse.ArgumentParser(
        prog="manyarms cluster", description="Shows what manyarms has on a Ray cluster.")
    commands = parser.add_subparsers(required=True)
    status = commands.add_parser("status", help="Shows all bandits that have a name, and all populations")
    status.add_argument("--address", default="auto", help="of the Ray cluster (auto)")
    given = parser.parse_args(args)
    _attached.attach(given.address)
    try:
        print(f"{bandits_text()}\n\n{_status.populations_text()}")
    finally:
        ray.shutdown()
    return 0


def bandits_text() -> str:
    """The shards of all bandits that have a name, in tables."""
    texts = [f"{bandit}\n{table(_HEADINGS, list(map(_row, names)))}"
             for bandit, names in _names.shards_by_bandit().items()]
    return "\n\n".join(texts) or "no bandits with names"


def _row(name: str) -> tuple[str, ...]:
    place = name.rpartition("/")[2]
    try:
        actor = ray.get_actor(name, namespace=_attached.NAMESPACE)
        shard = ray.get(actor.describe.remote(), timeout=_SECONDS)
    except (GetTimeoutError, RayError, ValueError):
        return (place, *["?"] * (len(_HEADINGS) - 2), "does not answer")
    return (place, f"{shard['arms']:,}", f"{shard['bytes']:,}", str(shard["change"]),
            str(shard["lag"]), str(shard["restores"]), _survey(shard["survey"]),
            shard["node"], str(shard["pid"]))


def _survey(survey: dict[str, Any] | None) -> str:
    if survey is None:
        return "none"
    return f"{time.time() - survey['time']:.0f} s ago"
