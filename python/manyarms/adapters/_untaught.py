"""Bandits that begin again."""

from __future__ import annotations

from typing import Any

from manyarms._core import Bandit
from manyarms.errors import UnknownIdError

# Of a bandit, each of which is also a property of it.
OPTIONS = (
    "dim",
    "policy",
    "search",
    "exploration",
    "accuracy",
    "norm_bound",
    "curvature",
    "shortest",
    "regularisation",
    "prior",
    "negative_rewards",
    "rewards",
    "forgetting",
    "explore_uniform",
    "context_dim",
    "context_constants",
    "seed",
    "max_pending",
)


def untaught(bandit: Bandit, **changes: Any) -> Bandit:
    """Returns a bandit with the same arms and options that has learned nothing.

    changes: options that are to be different.

    With negative_rewards, features may differ in their last bit.
    """
    options: dict[str, Any] = {name: getattr(bandit, name) for name in OPTIONS}
    fresh = Bandit(**(options | changes))
    while True:
        ids = bandit.ids
        try:
            features = bandit.features(ids)
            break
        except UnknownIdError:  # another thread has removed an arm meanwhile
            continue
    if len(ids) > 0:
        fresh.add_arms(ids, features)
    return fresh
