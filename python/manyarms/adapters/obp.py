"""For Open Bandit Pipeline (github.com/st-tech/zr-obp): a policy for its simulator.

    from obp.simulator import run_bandit_simulation
    from manyarms.adapters.obp import Policy
    policy = Policy(action_context, len_list=3, policy="ucb")
    action_dist = run_bandit_simulation(bandit_feedback, policy)

Features belong to actions here, not to rounds, so the policy declares itself
context-free, and the simulator gives it no contexts. It learns an action's mean
reward over all contexts; the influence of a context is noise to it.
"""

from __future__ import annotations

import copy
import importlib
import operator
import secrets
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyarms._core import Bandit
from manyarms.adapters._locked import Locked

__all__ = ["Policy"]

# The library's bound on rewards. It is checked here because the library sees a
# reward only when the batch is full.
_MOST = 1e9


class Policy(Locked):
    """A policy over the actions 0, 1, ..., n_actions - 1.

    action_context: a row of features for each action, as in OBP's synthetic datasets.
    len_list: number of actions in a list, the best by one draw.
    batch_size: number of rewards that are learned at a time.
    random_state: seed; equal seeds make equal decisions. None draws a seed from the
        system, as in OBP.
    options: other options of manyarms.Bandit, such as policy and exploration.

    ``bandit`` is the manyarms.Bandit inside; initialize replaces it. Any thread may
    call any method at any time.
    """

    def __init__(
        self,
        action_context: ArrayLike,
        *,
        len_list: int = 1,
        batch_size: int = 1,
        random_state: int | None = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        rows = np.asarray(action_context, dtype=np.float32)
        if rows.ndim != 2:
            raise ValueError(
                "action_context must have a row of features for each action, but has "
                f"{rows.ndim} dimensions"
            )
        self.n_actions = len(rows)
        if not 1 <= len_list <= self.n_actions:
            raise ValueError(
                f"len_list is {len_list}, must be from 1 to n_actions, {self.n_actions}"
            )
        batch_size = operator.index(batch_size)
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, must be at least 1")
        self.len_list = len_list
        self.batch_size = batch_size
        self.random_state = random_state
        seed = secrets.randbits(64) if random_state is None else random_state
        self._untaught = Bandit(rows.shape[1], seed=seed, **options)
        self._untaught.add_arms(range(self.n_actions), rows)
        self.policy_name = f"manyarms_{self._untaught.policy}"
        self.initialize()

    @property
    def policy_type(self) -> Any:
        """OBP's PolicyType.CONTEXT_FREE."""
        try:
            types = importlib.import_module("obp.policy.policy_type")
        except ImportError as error:
            raise ImportError(
                "policy_type needs Open Bandit Pipeline, which cannot be imported: "
                f"{error} (pip install obp)"
            ) from error
        return types.PolicyType.CONTEXT_FREE

    def initialize(self) -> None:
        """Forgets all rewards and counts."""
        with self._lock:
            self.bandit = copy.deepcopy(self._untaught)
            self.n_trial = 0
            self.action_counts = np.zeros(self.n_actions, dtype=int)
            self._actions: list[int] = []
            self._rewards: list[float] = []

    def select_action(self, context: Any = None) -> NDArray[np.int64]:
        """Returns len_list distinct actions, best first."""
        _refuse(context)
        bandit = self.bandit  # initialize may replace it meanwhile
        decisions = bandit.choose_many(self.len_list)
        for decision in decisions:
            bandit.dismiss(decision)  # rewards come by update_params
        return np.array([decision.arm for decision in decisions], dtype=np.int64)

    def update_params(self, action: int, reward: Any, context: Any = None) -> None:
        """Learns a reward of an action. It may be a number or an array with one number."""
        _refuse(context)
        action = operator.index(action)
        if not 0 <= action < self.n_actions:
            raise ValueError(
                f"action is {action}, must be from 0 to {self.n_actions - 1}"
            )
        value = float(np.asarray(reward).item())
        if not abs(value) <= _MOST:
            raise ValueError(
                f"reward is {value}, must be finite and at most {_MOST:g} in magnitude"
            )
        with self._lock:
            self._actions.append(action)
            self._rewards.append(value)
            self.n_trial += 1
            self.action_counts[action] += 1
            if len(self._actions) == self.batch_size:
                actions, rewards = self._actions, self._rewards
                self._actions, self._rewards = [], []
                self.bandit.observe_many(actions, rewards)


def _refuse(context: Any) -> None:
    if context is not None:
        raise ValueError(
            "a context cannot be used: here features belong to actions "
            "(action_context), not to rounds"
        )
