"""For Open Bandit Pipeline (github.com/st-tech/zr-obp): policies for its simulator.

    from obp.simulator import run_bandit_simulation
    from manyarms.adapters.obp import ContextualPolicy, Policy
    policy = Policy(action_context, len_list=3, policy="ucb")
    policy = ContextualPolicy(dim, action_context=action_context, policy="ucb")
    action_dist = run_bandit_simulation(bandit_feedback, policy)

The simulator gives contexts to a ContextualPolicy and none to a Policy, which learns
an action's mean reward over all contexts. ``ContextualPolicy(dim, n_actions)`` has a
model for each action, as OBP's LinUCB and LinTS.
"""

from __future__ import annotations

import importlib
import operator
import secrets
import sys
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyarms._core import Bandit
from manyarms.adapters._locked import Locked
from manyarms.adapters._numbers import (
    MOST_IN_CONTEXTS,
    as_numbers,
    check_contexts,
    checked_rewards,
)
from manyarms.errors import InvalidArgumentError

__all__ = ["ContextualPolicy", "Policy"]


class _Shared(Locked):
    """What policies with and without contexts have in common."""

    def __init__(
        self,
        action_context: ArrayLike,
        len_list: int,
        batch_size: int,
        random_state: int | None,
        options: dict[str, Any],
    ) -> None:
        super().__init__()
        if "seed" in options:
            raise InvalidArgumentError("seed is given, must not be: random_state is the seed")
        self._features = as_numbers(action_context, "action_context", np.float32).copy()
        if self._features.ndim != 2:
            raise InvalidArgumentError(
                "action_context must have a row of features for each action, but has "
                f"{self._features.ndim} dimensions"
            )
        self.n_actions = len(self._features)
        len_list = operator.index(len_list)
        if not 1 <= len_list <= self.n_actions:
            raise InvalidArgumentError(
                f"len_list is {len_list}, must be from 1 to n_actions, {self.n_actions}"
            )
        batch_size = operator.index(batch_size)
        if batch_size < 1:
            raise InvalidArgumentError(f"batch_size is {batch_size}, must be at least 1")
        self.len_list = len_list
        self.batch_size = batch_size
        self.random_state = random_state
        seed = secrets.randbits(64) if random_state is None else random_state
        self._options = {**options, "seed": seed}
        self.initialize()
        self.policy_name = f"manyarms_{self.bandit.policy}"

    def initialize(self) -> None:
        """Forgets all rewards and counts."""
        bandit = Bandit(self._features.shape[1], **self._options)
        bandit.add_arms(range(self.n_actions), self._features)
        with self._lock:
            self.bandit = bandit
            self.n_trial = 0
            self.action_counts = np.zeros(self.n_actions, dtype=int)
            self._actions: list[int] = []
            self._rewards: list[float] = []
            self._contexts: list[NDArray[np.float64]] = []

    def _select(self, context: NDArray[np.float64] | None) -> NDArray[np.int64]:
        bandit = self.bandit  # initialize may replace it meanwhile
        decisions = bandit.choose_many(self.len_list, context=context)
        for decision in decisions:
            bandit.dismiss(decision)  # rewards come by update_params
        return np.array([decision.arm for decision in decisions], dtype=np.int64)

    def _distribution(
        self, context: NDArray[np.float64] | None, n_sim: int
    ) -> NDArray[np.float64]:
        """How often an action was chosen for a place in n_sim lists, as a part of them."""
        if self.bandit.policy == "ucb":  # always chooses the same
            n_sim = 1
        counts = np.zeros((self.n_actions, self.len_list))
        places = np.arange(self.len_list)
        for _ in range(n_sim):
            counts[self._select(context), places] += 1
        return counts / n_sim

    def _update(self, action: int, reward: Any, context: NDArray[np.float64] | None) -> None:
        action = operator.index(action)
        if not 0 <= action < self.n_actions:
            raise InvalidArgumentError(
                f"action is {action}, must be from 0 to {self.n_actions - 1}"
            )
        value = _one_reward(reward)
        given = [] if context is None else [context]
        with self._lock:
            if len(self._actions) + 1 < self.batch_size:
                self._actions.append(action)
                self._rewards.append(value)
                self._contexts += given
            else:
                rows = [*self._contexts, *given]
                self.bandit.observe_many(
                    [*self._actions, action],
                    [*self._rewards, value],
                    contexts=np.array(rows) if rows else None,
                )
                self._actions, self._rewards, self._contexts = [], [], []
            self.n_trial += 1
            self.action_counts[action] += 1


class Policy(_Shared):
    """A policy over the actions 0, 1, ..., n_actions - 1, without contexts.

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
        if options.get("context_dim", 0) != 0:
            raise InvalidArgumentError(
                f"context_dim is {options['context_dim']}, must be 0: ContextualPolicy is "
                "for contexts"
            )
        super().__init__(action_context, len_list, batch_size, random_state, options)
        _register(Policy, "BaseContextFreePolicy")

    @property
    def policy_type(self) -> Any:
        """OBP's PolicyType.CONTEXT_FREE."""
        return _policy_types().CONTEXT_FREE

    def select_action(self, context: None = None) -> NDArray[np.int64]:
        """Returns len_list distinct actions, best first."""
        _refuse(context)
        return self._select(None)

    def update_params(self, action: int, reward: Any, context: None = None) -> None:
        """Learns a reward of an action. It may be a number or an array with one number."""
        _refuse(context)
        self._update(action, reward, None)

    def compute_batch_action_dist(
        self, n_rounds: int = 1, n_sim: int = 100_000
    ) -> NDArray[np.float64]:
        """Estimates the probabilities of actions from n_sim lists.

        The result has the shape (n_rounds, n_actions, len_list).
        """
        _check_counts(n_rounds=n_rounds, n_sim=n_sim)
        return np.tile(self._distribution(None, n_sim), (n_rounds, 1, 1))


class ContextualPolicy(_Shared):
    """A policy over the actions 0, 1, ..., n_actions - 1 with a context in each round.

    dim: number of values of a context.
    n_actions: number of actions.
    action_context: a row of features for each action. The model is bilinear in context
        and features (manyarms.Bandit, context_dim). None: each action has a model of
        its own, as OBP's LinUCB, and dim * n_actions may be at most 4096.

    The other parameters are those of Policy.
    """

    def __init__(
        self,
        dim: int,
        n_actions: int | None = None,
        *,
        action_context: ArrayLike | None = None,
        len_list: int = 1,
        batch_size: int = 1,
        random_state: int | None = 1,
        **options: Any,
    ) -> None:
        if "context_dim" in options:
            raise InvalidArgumentError(
                "context_dim is given, must not be: dim is the number of values of a context"
            )
        options["context_dim"] = self.dim = operator.index(dim)
        if self.dim < 1:
            raise InvalidArgumentError(f"dim is {dim}, must be at least 1")
        if n_actions is not None:
            n_actions = operator.index(n_actions)
            if n_actions < 1:
                raise InvalidArgumentError(f"n_actions is {n_actions}, must be at least 1")
        if action_context is None:
            if n_actions is None:
                raise TypeError("n_actions or action_context must be given")
            action_context = np.eye(n_actions, dtype=np.float32)
            options.setdefault("context_constants", False)
        super().__init__(action_context, len_list, batch_size, random_state, options)
        if n_actions not in (None, self.n_actions):
            raise InvalidArgumentError(
                f"n_actions is {n_actions}, must be the {self.n_actions} of action_context"
            )
        _register(ContextualPolicy, "BaseContextualPolicy")

    @property
    def policy_type(self) -> Any:
        """OBP's PolicyType.CONTEXTUAL."""
        return _policy_types().CONTEXTUAL

    def select_action(self, context: ArrayLike) -> NDArray[np.int64]:
        """Returns len_list distinct actions, best first. context has the shape (1, dim)."""
        return self._select(self._row(context))

    def update_params(self, action: int, reward: Any, context: ArrayLike) -> None:
        """Learns a reward of an action. It may be a number or an array with one number."""
        self._update(action, reward, self._row(context))

    def compute_batch_action_dist(
        self, context: ArrayLike, n_sim: int = 1_000
    ) -> NDArray[np.float64]:
        """Estimates the probabilities of actions from n_sim lists for each context.

        context has the shape (n_rounds, dim), the result (n_rounds, n_actions, len_list).
        """
        _check_counts(n_sim=n_sim)
        rows = as_numbers(context, "context")
        if rows.ndim != 2:
            raise InvalidArgumentError(
                f"context must have a row for each round, but has {rows.ndim} dimensions"
            )
        if rows.shape[1] != self.dim:
            raise InvalidArgumentError(
                f"context has the shape {rows.shape}, must have ({len(rows)}, {self.dim})"
            )
        check_contexts(rows, MOST_IN_CONTEXTS)
        result = np.empty((len(rows), self.n_actions, self.len_list))
        for place, row in enumerate(rows):
            result[place] = self._distribution(row, n_sim)
        return result

    def _row(self, context: ArrayLike) -> NDArray[np.float64]:
        row = as_numbers(context, "context")
        if row.shape not in ((1, self.dim), (self.dim,)):
            raise InvalidArgumentError(
                f"context has the shape {row.shape}, must have (1, {self.dim})"
            )
        check_contexts(row.reshape(1, -1), MOST_IN_CONTEXTS)
        return row.reshape(-1).copy()  # for the caller may change his


def _policy_types() -> Any:
    try:
        types = importlib.import_module("obp.policy.policy_type")
    except ImportError as error:
        raise ImportError(
            "policy_type needs Open Bandit Pipeline, which cannot be imported: "
            f"{error} (pip install obp)"
        ) from error
    return types.PolicyType


def _register(policy: type, base: str) -> None:
    """Makes it a policy of OBP, if OBP is imported already."""
    bases = sys.modules.get("obp.policy.base")
    if bases is not None:
        getattr(bases, base).register(policy)


def _one_reward(reward: Any) -> float:
    """A number, or an array with one number."""
    values = checked_rewards(as_numbers([reward], "reward").reshape(-1))
    if len(values) != 1:
        raise InvalidArgumentError(f"reward has {len(values)} values, must be one")
    return float(values[0])


def _check_counts(**counts: int) -> None:
    for name, count in counts.items():
        if operator.index(count) < 1:
            raise InvalidArgumentError(f"{name} is {count}, must be at least 1")


def _refuse(context: Any) -> None:
    if context is not None:
        raise InvalidArgumentError(
            "context is given, must be None: ContextualPolicy is for contexts"
        )
