"""An adapter for code written for river's bandits (riverml.xyz, river.bandit).

    from manyarms.adapters.river import ContextualPolicy, Policy
    policy = Policy(bandit)                # a manyarms.Bandit with its arms
    arm = policy.pull(arm_ids)
    policy.update(arm, reward)

    policy = ContextualPolicy(bandit)      # one with context_dim=2
    arm = policy.pull(arm_ids, {"age": 0.3, "evening": 1.0})
    policy.update(arm, {"age": 0.3, "evening": 1.0}, reward)

They are policies of river: ``bandit.evaluate``, ``bandit.evaluate_offline`` and
``model_selection`` accept them like river's own.
"""

from __future__ import annotations

import abc
import contextlib
import copy
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from manyarms._core import Bandit
from manyarms.adapters._locked import Locked
from manyarms.adapters._numbers import as_numbers, plain
from manyarms.adapters._untaught import untaught
from manyarms.errors import InvalidArgumentError, UnsupportedError

try:
    from river import bandit as river_bandit
    from river import metrics, proba, stats
except ImportError as error:
    raise ImportError(
        f"manyarms.adapters.river needs river, which cannot be imported: {error} "
        "(pip install river)"
    ) from error

__all__ = ["ContextualPolicy", "Policy"]


_Itself = TypeVar("_Itself", bound="_Shared")


class _Shared(Locked):
    """What policies with and without contexts have in common."""

    bandit: Bandit
    reward_obj: Any
    reward_scaler: Any
    burn_in: int
    _n: int
    _counts: Any
    _rewards: Any

    def __init__(
        self,
        bandit: Bandit,
        reward_obj: Any = None,
        reward_scaler: Any = None,
        burn_in: int = 0,
    ) -> None:
        super().__init__(reward_obj, reward_scaler, burn_in)  # river's own
        self.bandit = bandit
        self._check_options()
        self._check_context_dim(bandit.context_dim)
        self._places: dict[Any, int] = {}  # of names in contexts

    @abc.abstractmethod
    def _check_context_dim(self, dim: int) -> None: ...

    def _check_options(self) -> None:
        if not isinstance(self.bandit, Bandit):
            raise TypeError(
                f"bandit must be a manyarms.Bandit, not {type(self.bandit).__name__}"
            )
        if isinstance(self.burn_in, bool) or not isinstance(self.burn_in, int):
            raise TypeError(f"burn_in must be an int, not {type(self.burn_in).__name__}")
        if self.burn_in < 0:
            raise InvalidArgumentError(f"burn_in is {self.burn_in}, must be at least 0")
        univariate = (stats.base.Univariate, proba.base.Distribution)
        if self.reward_scaler is not None and not isinstance(self.reward_obj, univariate):
            raise InvalidArgumentError(
                "reward_scaler is given, but reward_obj is "
                f"{type(self.reward_obj).__name__}, must be a statistic or a distribution"
            )

    def _choose(self, arm_ids: Any, context: Any) -> Any:
        if self.burn_in > 0:
            burning = self._burning(arm_ids)
            arm_ids = arm_ids if burning is None else [burning]
        decision = self.bandit.choose(eligible=arm_ids, context=context)
        self.bandit.dismiss(decision)  # its reward comes by update
        return decision.arm

    def _burning(self, arm_ids: Any) -> Any:
        """The first arm that was not pulled often enough."""
        if arm_ids is None:
            arm_ids = self.bandit.ids
        arm_ids = plain(arm_ids, "eligible")
        if getattr(arm_ids, "dtype", None) == bool:
            ids = np.asarray(self.bandit.ids)
            if arm_ids.shape != ids.shape:
                return None  # the bandit refuses the mask
            arm_ids = ids[arm_ids]
        for arm in arm_ids:
            if self._counts[arm] < self.burn_in:
                return arm
        return None

    def _learn(self, arm_id: Any, context: Any, reward: tuple[Any, ...], named: Any) -> None:
        with self._lock:
            scaler = copy.deepcopy(self.reward_scaler)
            if scaler is not None:
                scaler._update(y=reward[0])
                reward = (scaler.func(reward[0]),)
            self.bandit.observe(arm_id, self._number(reward, named), context=context)
            self.reward_scaler = scaler
            self._rewards[arm_id].update(*reward, **named)
            self._counts[arm_id] += 1
            self._n += 1

    def _number(self, reward: tuple[Any, ...], named: Any) -> float:
        """A reward as the bandit learns it: of a metric, its value for this sample."""
        if isinstance(self.reward_obj, metrics.base.Metric):
            metric = self.reward_obj.clone()
            metric.update(*reward, **named)
            return float(metric.get() if metric.bigger_is_better else -metric.get())
        if len(reward) != 1 or named:
            raise TypeError(
                f"update takes one reward, not {len(reward) + len(named)} values: "
                f"reward_obj is {type(self.reward_obj).__name__}, not a metric"
            )
        if isinstance(reward[0], (str, bytes)):
            raise TypeError(f"a reward must be a number, not {type(reward[0]).__name__}")
        return float(reward[0])

    def _parameters(
        self, new_params: dict[str, Any] | None, include_attributes: bool
    ) -> dict[str, Any]:
        """What a clone is made from."""
        if include_attributes:
            raise UnsupportedError(
                "include_attributes is True, must be False: copy.deepcopy copies everything"
            )
        params: dict[str, Any] = {
            "bandit": self.bandit,
            "reward_obj": self.reward_obj,
            "reward_scaler": self.reward_scaler,
            "burn_in": self.burn_in,
        }
        new = dict(new_params or {})
        for name in new:
            if name not in params:
                raise InvalidArgumentError(
                    f"there is no parameter '{name}', only {', '.join(params)}"
                )
        params.update(new)
        params["bandit"] = untaught(params["bandit"])
        for name in ("reward_obj", "reward_scaler"):
            if params[name] is not None:
                params[name] = params[name].clone()
        return params

    def clone(
        self: _Itself, new_params: dict[str, Any] | None = None, include_attributes: bool = False
    ) -> _Itself:
        """Returns a policy with the same arms and options that has learned nothing.

        Clones have the same seed and draw the same numbers. copy.deepcopy keeps what
        was learned, too.
        """
        return type(self)(**self._parameters(new_params, include_attributes))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.bandit!r})"


class Policy(_Shared, river_bandit.base.Policy):
    """A river policy that uses a manyarms.Bandit.

    bandit: the bandit to use, not a copy; you can still add arms to it, remove them
        or save it. Any thread may call any method at any time.
    reward_obj: what ``ranking`` compares arms by; stats.Mean() if None. If it is a
        metric, a reward is the metric's value for the one sample given to update,
        negative if smaller is better.
    reward_scaler: applied to rewards before anything learns them.
    burn_in: the number of times that each arm is pulled first.
    """

    def _check_context_dim(self, dim: int) -> None:
        if dim > 0:
            raise UnsupportedError(
                f"the bandit's context_dim is {dim}, must be 0: ContextualPolicy is for "
                "bandits with contexts"
            )

    def _pull(self, arm_ids: Any) -> Any:
        return self._choose(arm_ids, None)

    def pull(self, arm_ids: Any = None) -> Any:
        """Returns the arm to play among arm_ids, all of which the bandit must have.

        Without arm_ids, all arms are eligible.
        """
        return self._choose(arm_ids, None)

    def update(self, arm_id: int | str, *reward: Any, **named: Any) -> None:
        """Learns a reward of any arm that the bandit still has."""
        self._learn(arm_id, None, reward, named)


class ContextualPolicy(_Shared, river_bandit.base.ContextualPolicy):
    """A river policy for contexts that uses a manyarms.Bandit with context_dim.

    Its parameters are those of Policy. A context is a dict from names to numbers, or a
    row of numbers. Names get their places in the order in which they first occur, up
    to context_dim of them; a name that is missing has the value 0. ``context_names``
    has the names so far.
    """

    def _check_context_dim(self, dim: int) -> None:
        if dim == 0:
            raise UnsupportedError(
                "the bandit's context_dim is 0, must be at least 1: Policy is for bandits "
                "without contexts"
            )

    @property
    def context_names(self) -> list[Any]:
        return list(self._places)

    def _pull(self, arm_ids: Any, context: Any = None) -> Any:
        with self._row(context) as row:
            return self._choose(arm_ids, row)

    def pull(self, arm_ids: Any = None, context: Any = None) -> Any:
        """Returns the arm to play among arm_ids, all of which the bandit must have.

        Without arm_ids, all arms are eligible.
        """
        with self._row(context) as row:
            return self._choose(arm_ids, row)

    def update(self, arm_id: int | str, context: Any, *reward: Any, **named: Any) -> None:
        """Learns a reward that any arm that the bandit still has got in a context."""
        with self._row(context) as row:
            self._learn(arm_id, row, reward, named)

    @contextlib.contextmanager
    def _row(self, context: Any) -> Iterator[Any]:
        """Gives a context as a row. New names get their places if nothing fails meanwhile."""
        if not isinstance(context, Mapping):
            yield context
            return
        places = self._places
        if all(name in places for name in context):
            yield self._filled(context, places)
            return
        with self._lock:  # so that no other name gets the same place
            places = self._with_new_names(context)
            yield self._filled(context, places)
            self._places = places  # a reader has the old or the new ones

    def _with_new_names(self, context: Mapping[Any, Any]) -> dict[Any, int]:
        places = dict(self._places)
        dim = self.bandit.context_dim
        for name in context:
            if name not in places and len(places) == dim:
                raise InvalidArgumentError(
                    f"a context has a value {name!r}, but the names so far are "
                    f"{', '.join(map(repr, self._places)) or 'none'} and context_dim is {dim}"
                )
            places.setdefault(name, len(places))
        return places

    def _filled(self, context: Mapping[Any, Any], places: dict[Any, int]) -> NDArray[np.float64]:
        values = as_numbers(list(context.values()), "context")
        if values.ndim != 1:
            raise TypeError("context must have one number for each name")
        row: NDArray[np.float64] = np.zeros(self.bandit.context_dim)
        row[[places[name] for name in context]] = values
        return row
