"""How well a policy would have done, from a log of choices that another one made.

    from manyarms import evaluation
    evaluation.snips(rewards, logged, target)   # from arrays of probabilities
    manyarms.evaluate(log, bandit)              # a policy that learns from the log
    evaluation.replay(log, bandit)              # on choices that were uniform

docs/evaluation.md says what each estimator assumes, when its interval can be
trusted, and how to log so that evaluation works.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyarms import _core
from manyarms._evaluation_columns import Column, array_of, rows_of
from manyarms.errors import InvalidArgumentError, UnknownIdError

__all__ = [
    "Estimate",
    "Evaluation",
    "Replayed",
    "Weights",
    "direct",
    "dr",
    "evaluate",
    "ips",
    "mean_reward",
    "replay",
    "snips",
    "weights",
]


Log: TypeAlias = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@dataclasses.dataclass(frozen=True)
class Estimate:
    """An estimated mean reward, its standard error, and its confidence interval."""

    value: float
    standard_error: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True)
class Weights:
    """What intervals can be judged by: weights are target / logged probabilities."""

    mean: float  #: close to 1 if probabilities are right
    largest: float  #: before clipping
    #: the number of choices of the target itself that would tell as much
    effective_sample_size: float
    clipped: int  #: number of weights


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """How well a policy would have done in place of the one that made a log."""

    learned: int  #: choices
    evaluated: int  #: choices
    passed_over: int  #: choices that were not uniform, and so not evaluated
    restricted: int  #: choices from some of the arms only, and so not evaluated
    certain: int  #: evaluated choices that were logged with probability 1
    weights: Weights
    logged: Estimate  #: the mean reward of the choices as they were made
    ips: Estimate
    snips: Estimate
    dr: Estimate  #: with the predictions of the policy itself
    direct: Estimate
    #: what to know before trusting the estimates, in words
    notes: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Replayed:
    """How well a policy learned on the uniform choices of a log."""

    offered: int  #: uniform choices
    matches: int  #: choices in which the policy chose the logged arm
    passed_over: int  #: choices that were not uniform
    restricted: int  #: choices from some of the arms only, and so not replayed
    reward: Estimate  #: the mean over the matches


def ips(rewards: ArrayLike, logged: ArrayLike, target: ArrayLike, *,
        level: float = 0.95, clip: float | None = None) -> Estimate:
    """Inverse propensity: the mean of weight times reward.

    rewards: those of the logged choices.
    logged: the probabilities with which they were made.
    target: the probabilities with which the target policy would have made them.
    level: of the confidence interval.
    clip: weights above this count as this, which biases the estimate.
    """
    return Estimate(*_core.inverse_propensity(
        _numbers(rewards, "rewards"), _numbers(logged, "logged"),
        _numbers(target, "target"), level, _bound(clip)))


def snips(rewards: ArrayLike, logged: ArrayLike, target: ArrayLike, *,
          level: float = 0.95, clip: float | None = None) -> Estimate:
    """Self-normalised: ``ips`` divided by the mean weight. Arguments as in ``ips``."""
    return Estimate(*_core.self_normalised(
        _numbers(rewards, "rewards"), _numbers(logged, "logged"),
        _numbers(target, "target"), level, _bound(clip)))


def dr(rewards: ArrayLike, logged: ArrayLike, target: ArrayLike,
       logged_predictions: ArrayLike, target_predictions: ArrayLike, *,
       level: float = 0.95, clip: float | None = None) -> Estimate:
    """Doubly robust: a model's expectation plus its weighted errors.

    logged_predictions: what the model expects of the logged arms.
    target_predictions: what it expects of the target's choice, on average over the
        target's probabilities. The model must not have learned these rewards.
    The other arguments are those of ``ips``.
    """
    return Estimate(*_core.doubly_robust(
        _numbers(rewards, "rewards"), _numbers(logged, "logged"),
        _numbers(target, "target"),
        _numbers(logged_predictions, "logged_predictions"),
        _numbers(target_predictions, "target_predictions"), level, _bound(clip)))


def direct(target_predictions: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The mean of a model's expectations. The interval says nothing of its errors."""
    return Estimate(*_core.direct_method(
        _numbers(target_predictions, "target_predictions"), level))


def mean_reward(rewards: ArrayLike, *, level: float = 0.95) -> Estimate:
    """How well the policy did that made the choices."""
    return Estimate(*_core.mean_reward(_numbers(rewards, "rewards"), level))


def weights(logged: ArrayLike, target: ArrayLike, *,
            clip: float | None = None) -> Weights:
    """What the intervals of ``ips``, ``snips`` and ``dr`` can be judged by."""
    probabilities = _numbers(logged, "logged")
    return Weights(*_core.weight_summary(
        np.zeros(len(probabilities)), probabilities, _numbers(target, "target"), 0.95,
        _bound(clip)))


def evaluate(log: Log, bandit: _core.Bandit | _core.Population, *,
             learn_share: float = 0.5, draws: int = 1000, uniform_only: bool = False,
             level: float = 0.95, clip: float | None = None,
             default_reward: float | None = None,
             ignore_torn_tail: bool = False) -> Evaluation:
    """Evaluates a policy on a log that another policy made.

    The policy learns the first choices, then stays as it is, and is asked what it
    would have done in the others.

    log: the path of a log (docs/log.md), or columns of equal length, as a dict or a
        data frame, such as those of manyarms.read_log: arm (ids) and reward (NaN
        where none came: the choice is left out); and as far as there are any:
        probability (NaN where it is not known), uniform (whether the arm was drawn
        uniformly), eligible (from how many arms the choice was made; 0: not known;
        without the column, from all), context (rows), learner, features (rows: the
        arms' at the time) and line. Choices are taken in the order of their lines,
        which is that in which they were made; without this column, in the order
        given.
    bandit: its options and its arms are those of the policy; what it has learned is
        not used, and it stays as it is. If a log says when arms came, the bandit
        need not have any; otherwise its arms are those before the log began. The
        learners of a Population are those of the log; to a Bandit, all are one.
    learn_share: the share of the log that is learned.
    draws: how often a policy that draws at random is asked for each choice. Few draws
        make intervals longer, not wrong.
    uniform_only: evaluate only choices that were drawn uniformly.
    level: of the confidence intervals.
    clip: weights above this count as this, which biases the estimates.
    default_reward, ignore_torn_tail: of the log at a path: what choices without a
        reward had (without it they are left out), and whether a last line without an
        end is left out.
    """
    features = _core.all_features(bandit)
    if isinstance(log, (str, os.PathLike)):
        result = _core.evaluate_file(
            bandit, bandit.ids, features, log, default_reward, ignore_torn_tail,
            learn_share, draws, uniform_only, level, _bound(clip))
    else:
        _refuse_file_options(default_reward, ignore_torn_tail)
        result = _core.evaluate_columns(
            bandit, features, _columns(log, bandit), learn_share, draws, uniform_only,
            level, _bound(clip))
    for name in ("logged", "ips", "snips", "dr", "direct"):
        result[name] = Estimate(*result[name])
    result["weights"] = Weights(*result["weights"])
    return Evaluation(**result)


def replay(log: Log, bandit: _core.Bandit | _core.Population, *, level: float = 0.95,
           default_reward: float | None = None,
           ignore_torn_tail: bool = False) -> Replayed:
    """Replays the uniform choices of a log (Li, Chu, Langford and Wang, 2011).

    The policy chooses in each of them. Where it chooses the logged arm, it learns the
    reward, and the reward counts. Arguments are those of ``evaluate``.
    """
    features = _core.all_features(bandit)
    if isinstance(log, (str, os.PathLike)):
        result = _core.replay_file(
            bandit, bandit.ids, features, log, default_reward, ignore_torn_tail, level)
    else:
        _refuse_file_options(default_reward, ignore_torn_tail)
        result = _core.replay_columns(bandit, features, _columns(log, bandit), level)
    result["reward"] = Estimate(*result["reward"])
    return Replayed(**result)


def _refuse_file_options(default_reward: float | None, ignore_torn_tail: bool) -> None:
    if default_reward is not None or ignore_torn_tail:
        raise InvalidArgumentError(
            "default_reward and ignore_torn_tail are for the path of a log, not for columns")


def _bound(clip: float | None) -> float:
    return math.inf if clip is None else clip


def _numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InvalidArgumentError(
            f"{name} has {array.ndim} dimensions, must be a list of numbers")
    return array


_KNOWN = ("arm", "reward", "probability", "uniform", "eligible", "context", "learner",
          "line", "features")
#: Other columns of manyarms.read_log, which are not looked at.
_OTHERS = ("decision", "score", "time", "policy")


def _columns(log: Mapping[str, Any], bandit: _core.Bandit | _core.Population) -> tuple[Any, ...]:
    """The columns for C++, with arms by their places among the ids."""
    if not hasattr(log, "keys"):
        raise TypeError("log must be a path, or columns as a dict or a data frame, not "
                        f"{type(log).__name__}")
    names = list(log.keys())
    for name in names:
        if name not in _KNOWN + _OTHERS:
            raise InvalidArgumentError(
                f"the log has a column '{name}', may have {', '.join(_KNOWN + _OTHERS)}")
    for name in ("arm", "reward"):
        if name not in names:
            raise InvalidArgumentError(f"the log has no column '{name}'")
    ids = bandit.ids
    count = len(array_of(log["arm"], "arm"))

    def column(name: str, default: Any) -> Column:
        array = array_of(log[name], name) if name in names else np.full(count, default)
        if array.shape != (count,):
            raise InvalidArgumentError(
                f"column '{name}' has the shape {array.shape}, must have ({count},)")
        return Column(name, array, lines)

    def rows(name: str) -> NDArray[np.float32]:
        if name not in names:
            return np.zeros((count, 0), dtype=np.float32)
        return rows_of(log[name], name, count)

    lines = np.arange(1, count + 1, dtype=np.uint64)
    if "line" in names:
        lines = column("line", 0).whole_numbers(least=1)
    rewards = column("reward", 0).numbers()
    learners = column("learner", 0).keys() if "learner" in names else []
    all_columns = (
        lines, _places_of(column("arm", 0), ids), rewards,
        column("probability", np.nan).numbers(), column("uniform", False).flags(),
        column("eligible", len(ids)).whole_numbers(least=0), rows("context"),
        rows("features"))
    # As in a log: no reward came of it.
    there = ~np.isnan(rewards)
    return (*(np.ascontiguousarray(values[there]) for values in all_columns),
            [key for key, kept in zip(learners, there) if kept])


def _places_of(arms: Column, ids: Any) -> NDArray[np.uint64]:
    places = {arm: row for row, arm in enumerate(
        ids.tolist() if isinstance(ids, np.ndarray) else ids)}
    found = np.empty(len(arms.values), dtype=np.uint64)
    for i, arm in enumerate(arms.values.tolist()):
        if arm not in places:
            raise UnknownIdError(f"line {arms.lines[i]}: there is no arm {arm!r}")
        found[i] = places[arm]
    return found
