"""Names of bandits in a cluster, which are also those of their shards.

A shard has the name ``bandit/generation/place``; rebalancing begins a new generation.
"""

from __future__ import annotations

import re

from ray.util import list_named_actors

from manyarms.cluster._attached import NAMESPACE
from manyarms.errors import DuplicateIdError, InvalidArgumentError

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def claim(name: str | None) -> None:
    """Refuses a name that cannot be used, or that a bandit of the cluster has."""
    if name is None:
        return
    if not _NAME.fullmatch(name):
        raise InvalidArgumentError(
            f"the name {name!r} must have 1 to 64 letters, digits, '_', '.' and '-'")
    if name in shards_by_bandit():
        raise DuplicateIdError(f"the cluster has a bandit named {name} already")


def shard_name(bandit: str, generation: int, place: int) -> str:
    """The name of a shard."""
    return f"{bandit}/{generation}/{place}"


def shards_by_bandit() -> dict[str, list[str]]:
    """The names of the latest shards of all bandits that have names."""
    found: dict[str, dict[int, list[tuple[int, str]]]] = {}
    for actor in list_named_actors(all_namespaces=True):
        parts = str(actor["name"]).split("/")
        if actor["namespace"] != NAMESPACE or len(parts) != 3:
            continue
        bandit, generation, place = parts[0], int(parts[1]), int(parts[2])
        found.setdefault(bandit, {}).setdefault(generation, []).append(
            (place, str(actor["name"])))
    return {bandit: [name for _, name in sorted(generations[max(generations)])]
            for bandit, generations in sorted(found.items())}
