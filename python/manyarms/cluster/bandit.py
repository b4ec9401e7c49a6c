"""A bandit whose arms live in shards on a Ray cluster."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, TypeAlias, TypeVar, Union

import numpy as np
import ray
from numpy.typing import NDArray

from manyarms import _types
from manyarms._core import Decision, ShardedBandit
from manyarms.cluster import _attached, _loading, _names, _saved
from manyarms.cluster._buckets import BUCKETS, Ids, range_of, shards_of
from manyarms.cluster._change import Change, Features
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._given import (
    as_ids, as_mask, as_number, as_rows, as_shards, as_timeout,
)
from manyarms.cluster._ledger import Ledger
from manyarms.cluster._shards import Shared, Shards
from manyarms.cluster._sources import File
from manyarms.cluster._survey import Survey
from manyarms.cluster._traffic import Traffic
from manyarms.errors import Error, InvalidArgumentError


_Chosen = TypeVar("_Chosen")
_Decisions: TypeAlias = Union[Sequence[Union[Decision, int]], "NDArray[np.integer]"]
_Rewards: TypeAlias = Union[Sequence[float], "NDArray[np.floating]"]


@dataclass(frozen=True)
class _Some:
    """The arms that may be chosen: of these ids, of this mask, or all."""

    ids: Ids | None = None
    mask: NDArray[np.bool_] | None = None

    @property
    def arms(self) -> dict[str, Any]:
        """The same for the learner, which does not know the order of masks."""
        if self.mask is not None:
            return {"eligible": int(self.mask.sum())}
        return {"among": self.ids}


class Bandit:
    """A ``manyarms.Bandit`` whose arms live in shards: processes of a Ray cluster.

    It makes the decisions of a ``manyarms.Bandit`` with the same options, arms and
    rewards, to the last bit, mostly without asking a shard. Ids of arms are ints.

    Any thread may call any method; calls take turns. After an exception the bandit is
    as it was before, a ``ClusterTimeout`` included.

    Parameters are those of ``manyarms.Bandit``, except for explore_uniform, the policy
    'elim' and searches that are not exact, which are refused, and

    shards: the number of shards.
    address: of a running Ray cluster, such as "auto"; None starts a local one, unless
        this process is attached to one.
    timeout: seconds after which a call gives up waiting for a shard, with a
        ``ClusterTimeout``.
    name: under which ``manyarms cluster status`` shows the bandit.
    """

    def __init__(
        self, dim: int, policy: Any = "ts", search: Any = "certified",
        exploration: Any = None, *, shards: int = 4, address: str | None = None,
        timeout: float = 60.0, name: str | None = None, **options: Any,
    ) -> None:
        learner = ShardedBandit(dim, policy, search, exploration, **options)
        self._begin(learner, Ledger(dim), (shards, address, timeout, name))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, shards: int = 4, address: str | None = None,
        timeout: float = 60.0, name: str | None = None,
    ) -> Bandit:
        """Reads a file that ``save`` has written, and makes shards with its arms. The
        files that were loaded must be where they were, and as they were."""
        learner, ledger = _saved.read(path)
        bandit = cls.__new__(cls)
        bandit._begin(learner, ledger, (shards, address, timeout, name))
        try:
            bandit._shards.bring_back(
                range(shards), Deadline(bandit._timeout, for_each_step=True))
        except BaseException:
            bandit.close()
            raise
        return bandit

    def _begin(self, learner: ShardedBandit, ledger: Ledger,
               cluster: tuple[int, str | None, float, str | None]) -> None:
        shards, address, timeout, name = cluster
        count = as_shards(shards, BUCKETS)
        self._timeout = as_timeout(timeout)
        self._name = name
        self._learner = learner
        self._options = learner.options
        self._traffic = Traffic()
        self._lock = threading.RLock()  # around everything
        self._moving = threading.Lock()  # around loading and rebalancing
        self._survey: Survey | None = None
        self._changes: list[Change] | None = None  # since a rebalancing has begun
        self._owns_cluster = _attached.attach(address)
        try:
            _names.claim(name)
            self._generation = 0
            self._shards = self._new_shards(count, ledger)
        except BaseException:
            if self._owns_cluster:
                ray.shutdown()
            raise

    def _new_shards(self, count: int, ledger: Ledger) -> Shards:
        names = [self._name and _names.shard_name(self._name, self._generation, place)
                 for place in range(count)]
        self._generation += 1
        return Shards(self._options, names, ledger, self._traffic)

    # Arms.

    def add_arms(self, ids: _types.Ids, features: _types.Features) -> None:
        """Adds all of the arms, or none if it raises an exception."""
        self._change("add", ids, features)

    def update_arms(self, ids: _types.Ids, features: _types.Features) -> None:
        """Gives new features to all of the arms, or to none if it raises an exception.
        Pending decisions keep the features by which they were made."""
        self._change("update", ids, features)

    def remove_arms(self, ids: _types.Ids) -> None:
        """Removes all of the arms, or none if it raises an exception. Rewards of their
        decisions can still be learned."""
        numbers = as_ids(ids)
        self._change("remove", numbers, np.empty((len(numbers), 0), np.float32))

    def load_arms(
        self, files: Sequence[File], *, progress: Callable[[int, int], object] | None = None,
    ) -> int:
        """Adds the arms of files, which the shards read themselves, and returns their
        number. All or none are added, as in ``add_arms``.

        files: Parquet files with columns ``arm`` and ``features`` (lists), or pairs of
            .npy files, ids and features. Every node must see them at the same path, and
            they must stay as they are: a shard that was lost reads them again.
        progress: is called with the number of rows that all shards have read, and their
            number in the end; by default there is a line on a terminal.
        """
        with self._moving, self._lock:
            deadline = Deadline(self._timeout, for_each_step=True)
            arms = _loading.load(self._shards, files, deadline, progress)
            self._abandon_survey()
            self._learner.loaded(arms)
            return arms

    def __len__(self) -> int:
        return self._shards.ledger.arms

    def __contains__(self, arm: object) -> bool:
        try:
            ids = as_ids([arm])
        except (TypeError, ValueError):
            return False
        with self._lock:
            (answer,) = self._ask_for("contains", ids).values()
            return bool(answer[0])

    @property
    def ids(self) -> NDArray[np.int64] | NDArray[np.uint64]:
        """The ids of all arms, in an order that changes only when arms are added or
        removed; masks have the same order. It is not the order of ``manyarms.Bandit``."""
        with self._lock:
            parts = self._shards.call_all("ids", Deadline(self._timeout))
        ids = np.concatenate(parts)
        return ids if len(ids) and ids.max() > np.iinfo(np.int64).max else ids.astype(np.int64)

    def features(self, ids: _types.Ids) -> Features:
        """The features of arms, a row for each."""
        with self._lock:
            return self._features(as_ids(ids))

    # Choices.

    def choose(
        self, *, eligible: _types.Ids | _types.Mask | None = None,
        context: _types.Row | None = None,
    ) -> Decision:
        """Chooses an arm.

        eligible: ids of the arms that may be chosen, or a boolean array with a value
            for every arm in the order of ``ids``.
        context: context_dim numbers.
        """
        with self._lock:
            if self._survey is not None and self._survey.over:
                self._end_survey()
            if eligible is not None:
                return self._best(1, eligible, context)[0]
            decision = self._learner.choose(context)
            if decision is not None:
                return decision
            return self._asking(lambda: self._learner.choose(context), 1, _Some())

    def choose_many(
        self, count: int, mode: Literal["best", "draws"] = "best", *,
        eligible: _types.Ids | _types.Mask | None = None, context: _types.Row | None = None,
        contexts: _types.Features | None = None,
    ) -> list[Decision]:
        """Chooses several arms, without learning in between.

        mode: 'best' is for the top k: the best arms of one draw, best first, no arm
            twice, and fewer than count if fewer are eligible. 'draws' is for count
            users: count choices one after another, each with a new draw of 'ts'.
        context: that of all choices.
        contexts: with 'draws', a row for each choice.
        """
        number = as_number(count, "count")
        if mode not in ("best", "draws"):
            raise InvalidArgumentError(f"there is no mode '{mode}', only 'best' and 'draws'")
        if mode == "best" and contexts is not None:
            raise InvalidArgumentError(
                "contexts given with mode 'best', which has one context; must be mode 'draws'")
        with self._lock:
            if self._survey is not None and self._survey.over:
                self._end_survey()
            if mode == "best":
                return self._best(number, eligible, context)
            return self._draws(number, eligible, context, contexts)

    # Learning.

    def learn(self, decision: Decision | int, reward: float) -> None:
        """Learns the reward of a decision, which may be given by its id, once and in any
        order."""
        with self._lock:
            self._learner.learn(decision, reward)

    def learn_many(self, decisions: _Decisions, rewards: _Rewards) -> None:
        """Learns the rewards of all of the decisions, or of none if it raises an exception."""
        with self._lock:
            self._learner.learn_many(decisions, rewards)

    def dismiss(self, decision: Decision | int) -> None:
        """Forgets a decision whose reward will never come."""
        with self._lock:
            self._learner.dismiss(decision)

    def observe(self, arm: int, reward: float, *, context: _types.Row | None = None) -> None:
        """Learns a reward of an arm without a decision."""
        contexts = None if context is None else np.asarray(context)[np.newaxis]
        self.observe_many([arm], [reward], contexts=contexts)

    def observe_many(self, arms: _types.Ids, rewards: _Rewards, *,
                     contexts: _types.Features | None = None) -> None:
        """Learns rewards of arms without decisions: all of them, or none if it raises an
        exception. An arm may occur more than once. contexts has a row for each reward."""
        ids = as_ids(arms)
        with self._lock:
            sent = self._ask_for("send", np.unique(ids)).values()
            self._learner.observe_arms(list(sent), ids, rewards, contexts=contexts)

    def observe_features(self, features: _types.Row, reward: float, *,
                         context: _types.Row | None = None) -> None:
        """Learns a reward of features, for instance of an arm that was removed."""
        with self._lock:
            self._learner.observe(features, reward, context=context)

    def forget(self, share: float) -> None:
        """Forgets this share, between 0 and 1, of what was learned. 'ts' and 'ucb' only."""
        with self._lock:
            self._learner.forget(share)

    def predict(self, features: Any, *, context: Any = None, contexts: Any = None) -> Any:
        """The expected rewards of rows of features, as an array; for a single row, a
        float."""
        with self._lock:
            return self._learner.predict(features, context=context, contexts=contexts)

    def scores(self, ids: _types.Ids, *, context: Any = None) -> NDArray[np.float64]:
        """The expected rewards of arms."""
        with self._lock:
            rows = self._features(as_ids(ids))
            return np.asarray(self._learner.predict(rows, context=context))

    def uncertainty(self, ids: _types.Ids, *, context: Any = None) -> NDArray[np.float64]:
        """The exploration times the width of arms, as ``manyarms.Bandit.uncertainty`` is."""
        with self._lock:
            return self._learner.uncertainty(self._features(as_ids(ids)), context=context)

    @property
    def mean(self) -> NDArray[np.float64]:
        """What was learned, as ``manyarms.Bandit.mean`` is."""
        with self._lock:
            return self._learner.mean

    @property
    def pending(self) -> int:
        """The number of decisions whose reward may still be learned."""
        return int(self._learner.pending)

    # The cluster.

    @property
    def name(self) -> str | None:
        """The name under which ``manyarms cluster status`` shows the bandit."""
        return self._name

    @property
    def timeout(self) -> float:
        """The seconds after which a call gives up waiting for a shard. It can be set."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._timeout = as_timeout(seconds)

    @property
    def stats(self) -> dict[str, Any]:
        """Counters of the choices and their cost, and below ``messages`` the messages of
        each kind with their bytes. Asks no shard."""
        with self._lock:
            return {**self._learner.stats, "arms": len(self),
                    "restores": sum(self._shards.restores), "messages": self._traffic.counts()}

    def describe_shards(self) -> list[dict[str, Any]]:
        """What each shard has: arms, bytes, the number of its last change, its node and
        process, how often it was made from files and changes, its last survey."""
        with self._lock:
            return self._shards.describe(Deadline(self._timeout))

    def rebalance(self, shards: int | None = None) -> None:
        """Spreads the arms over new shards, after nodes have joined or to have another
        number of shards. Other threads can choose and change arms meanwhile, with the
        same decisions. After an exception everything is as it was.

        The new shards are made from files and changes as a lost shard is, so that for a
        while the cluster has all arms twice.
        """
        with self._moving:
            with self._lock:
                count = as_shards(self._shards.count if shards is None else shards, BUCKETS)
                new = self._new_shards(count, self._shards.ledger.copy())
                self._changes = []
            try:
                deadline = Deadline(self._timeout, for_each_step=True)
                new.bring_back(range(count), deadline)
                with self._lock:
                    self._abandon_survey()
                    for change in self._changes:
                        new.commit(change, new.prepare(change, deadline), deadline)
                    old, self._shards = self._shards, new
                    self._changes = None
            except BaseException:
                self._changes = None
                new.close()
                raise
            old.close()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what was learned, pending decisions, the arms that were added or changed
        and the names of the files that were loaded to a file, whole or not at all."""
        with self._lock:
            _saved.write(path, self._learner, self._shards.ledger)

    def close(self) -> None:
        """Ends the shards, and the local cluster if this bandit has started it."""
        with self._lock:
            self._abandon_survey()
            self._shards.close()
            if self._owns_cluster:
                ray.shutdown()
                self._owns_cluster = False

    def __enter__(self) -> Bandit:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return (f"<manyarms.cluster.Bandit policy='{self._options['policy']}' "
                f"dim={self._options['dim']} arms={len(self)} shards={self._shards.count}>")

    # What these consist of.

    def _change(self, kind: Literal["add", "remove", "update"], ids: Any, features: Any) -> None:
        numbers = as_ids(ids)
        rows = as_rows(features, len(numbers), 0 if kind == "remove" else self._options["dim"])
        change = Change(kind, numbers, rows)
        with self._lock:
            deadline = Deadline(self._timeout)
            concerned = self._shards.prepare(change, deadline)
            if kind == "add":
                self._learner.added(numbers, rows)
            elif kind == "update":
                self._learner.updated(numbers, rows)
            else:
                self._learner.removed(numbers)
            if self._changes is not None:
                self._changes.append(change)
            self._shards.commit(change, concerned, deadline)

    def _best(self, count: int, eligible: Any, context: Any) -> list[Decision]:
        some = self._some(eligible)
        return self._asking(
            lambda: self._learner.choose_best(count, context=context, **some.arms), count, some)

    def _draws(self, count: int, eligible: Any, context: Any, contexts: Any) -> list[Decision]:
        some = self._some(eligible)
        try:
            return self._asking(
                lambda: self._learner.choose_draws(
                    count, context=context, contexts=contexts, **some.arms), 1, some)
        except BaseException:
            self._learner.drop_draws()
            raise

    def _some(self, eligible: Any) -> _Some:
        if eligible is None:
            return _Some()
        mask = as_mask(eligible)
        if mask is None:
            return _Some(ids=as_ids(eligible, "eligible"))
        if len(mask) != len(self):
            raise InvalidArgumentError(
                f"the mask has {len(mask)} values; must have one for each of the "
                f"{len(self)} arms")
        return _Some(mask=mask)

    def _asking(self, choose: Callable[[], _Chosen | None], count: int, some: _Some) -> _Chosen:
        """Chooses, and asks the shards when the learner cannot know the answer."""
        deadline = Deadline(self._timeout)
        while (chosen := choose()) is None:
            question = Shared(self._learner.question())
            given = {shard: (question, count, *eligible)
                     for shard, eligible in self._eligible(some)}
            answers = self._shards.call("top", given, deadline)
            self._learner.answer([answers[shard] for shard in sorted(answers)])
        if self._survey is None and self._learner.wants_survey():
            self._begin_survey()
        return chosen

    def _eligible(
        self, some: _Some,
    ) -> Iterator[tuple[int, tuple[Ids | None, NDArray[np.uint8] | None]]]:
        """The shards to ask, and which of their arms are eligible."""
        shards = self._shards.count
        if some.ids is not None:
            places = shards_of(some.ids, shards)
            for shard in np.unique(places):
                yield int(shard), (some.ids[places == shard], None)
            return
        begin = 0
        counts = self._shards.ledger.counts
        for shard in range(shards):
            if some.mask is None:
                yield shard, (None, None)
                continue
            buckets = range_of(shard, shards)
            end = begin + int(counts[buckets.start:buckets.stop].sum())
            yield shard, (None, np.packbits(some.mask[begin:end]))
            begin = end

    def _ask_for(self, kind: str, ids: Ids) -> dict[int, Any]:
        places = shards_of(ids, self._shards.count)
        given = {int(shard): (ids[places == shard],) for shard in np.unique(places)}
        return self._shards.call(kind, given, Deadline(self._timeout))

    def _features(self, ids: Ids) -> Features:
        places = shards_of(ids, self._shards.count)
        rows = np.empty((len(ids), self._options["dim"]), np.float32)
        for shard, answer in self._ask_for("features", ids).items():
            rows[places == shard] = answer
        return rows

    def _begin_survey(self) -> None:
        request = Shared(self._learner.survey_request())
        self._survey = Survey([
            self._shards.begin("survey", shard, request) for shard in range(self._shards.count)])

    def _end_survey(self) -> None:
        assert self._survey is not None
        answers = self._survey.answers()
        self._survey = None
        if answers is None:
            self._learner.abandon_survey()
            return
        for answer in answers:
            self._traffic.received("survey", answer)
        try:
            self._learner.adopt(answers)
        except Error as error:  # choices are exact without it
            self._learner.abandon_survey()
            warnings.warn(f"a survey is of no use: {error}", RuntimeWarning, stacklevel=3)

    def _abandon_survey(self) -> None:
        if self._survey is not None:
            self._survey = None
            self._learner.abandon_survey()
