"""An adapter for code written for river's bandits (riverml.xyz, river.bandit).

    from manyarms.adapters.river import Policy
    policy = Policy(bandit)                # a manyarms.Bandit with its arms
    arm = policy.pull(arm_ids)
    policy.update(arm, reward)

river's ``bandit.evaluate`` and ``bandit.evaluate_offline`` accept it like river's own
policies without context. river's model selection does not, because it rewards a
policy by a metric of two values.
"""

from __future__ import annotations

import copy
from typing import Any

from manyarms._core import Bandit
from manyarms._types import Ids, Mask
from manyarms.adapters._locked import Locked

__all__ = ["Policy"]


class Policy(Locked):
    """A river policy that uses a manyarms.Bandit.

    bandit: the bandit to use, not a copy; you can still add arms to it, remove them
        or save it. Any thread may call any method at any time.
    """

    def __init__(self, bandit: Bandit) -> None:
        super().__init__()
        self.bandit = bandit
        self._start = copy.deepcopy(bandit)
        self._n = 0  # number of updates, which evaluate_offline reads

    def pull(self, arm_ids: Ids | Mask | None = None, context: Any = None) -> Any:
        """Returns the arm to play among arm_ids, all of which the bandit must have.

        Without arm_ids, all arms are eligible; that is far faster than to list very
        many.
        """
        _refuse(context)
        decision = self.bandit.choose(eligible=arm_ids)
        self.bandit.dismiss(decision)  # its reward comes by update
        return decision.arm

    def update(self, arm_id: int | str, *reward: float) -> None:
        """Learns a reward of any arm that the bandit still has."""
        if len(reward) != 1:
            raise TypeError(
                f"update takes an arm and one reward, not {len(reward)} values: "
                "this policy has no contexts and is not rewarded by metrics"
            )
        with self._lock:
            self.bandit.observe(arm_id, reward[0])
            self._n += 1

    def clone(self, new_params: dict[str, Any] | None = None) -> Policy:
        """Returns a policy that starts with the bandit as it was first given.

        Clones have the same seed and draw the same numbers. ``{"bandit": other}``
        starts with another bandit.
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
