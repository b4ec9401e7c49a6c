"""For code written for river's bandits (riverml.xyz, river.bandit).

    from manyarms.adapters.river import Policy
    policy = Policy(bandit)                # a manyarms.Bandit with its arms
    arm = policy.pull(arm_ids)
    policy.update(arm, reward)

river's ``bandit.evaluate`` and ``bandit.evaluate_offline`` take it as they take
their own policies that have no context. Its model selection does not: there a
policy is rewarded by a metric of two values.
"""

from __future__ import annotations

import copy
from typing import Any

from manyarms._core import Bandit
from manyarms._types import Ids, Mask

__all__ = ["Policy"]


class Policy:
    """A bandit as a policy of river's.

    bandit: is used as it is, and can be used beside the policy: add arms to it,
        remove them, save it.
    """

    def __init__(self, bandit: Bandit) -> None:
        self.bandit = bandit
        self._start = copy.deepcopy(bandit)
        self._n = 0  # updates; evaluate_offline reads it

    def pull(self, arm_ids: Ids | Mask | None = None, context: Any = None) -> Any:
        """The arm to play, among these, all of which the bandit must have.

        Without arm_ids among all arms; with very many that is far faster.
        """
        _refuse(context)
        decision = self.bandit.choose(eligible=arm_ids)
        self.bandit.dismiss(decision)  # its reward comes by update
        return decision.arm

    def update(self, arm_id: int | str, *reward: float) -> None:
        """Learns a reward of an arm, which may be any, but must be there still."""
        if len(reward) != 1:
            raise TypeError(
                f"update takes an arm and one reward, not {len(reward)} values: "
                "this policy has no contexts and is not rewarded by metrics"
            )
        self.bandit.observe(arm_id, reward[0])
        self._n += 1

    def clone(self, new_params: dict[str, Any] | None = None) -> Policy:
        """A policy that begins with the bandit as it was handed over.

        Copies have the same seed and draw alike. ``{"bandit": other}`` begins
        with another bandit.
        """
        params = dict(new_params or {})
        start = params.pop("bandit", self._start)
        if params:
            raise ValueError(
                f"this policy has no parameter '{next(iter(params))}', only 'bandit'"
            )
        return Policy(copy.deepcopy(start))

    def __repr__(self) -> str:
        return f"Policy({self.bandit!r})"


def _refuse(context: Any) -> None:
    if context is not None:
        raise ValueError(
            "a context cannot be used: here features belong to arms, not to rounds"
        )
