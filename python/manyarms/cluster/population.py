"""Learners of a population in partitions on a Ray cluster."""

from __future__ import annotations

import dataclasses
import heapq
import os
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from manyarms import _sent
from manyarms._asking import number_of
from manyarms._core import Certified, Scan
from manyarms._requests import json_body, path_of
from manyarms._sent import as_search
from manyarms._served import ArmsPut, ExpectedReward, Learned, ServedArm, ServedDecision
from manyarms._served_bandit import ServedBandit
from manyarms._types import Features, Ids, ManyRows, OneRow, Row
from manyarms.cluster import _merged, _numbers
from manyarms.cluster._partitions import Partitions
from manyarms.errors import InvalidArgumentError

_BATCH = 1_000  # choices or rewards that go into one request


class Population:
    """A ``manyarms.Population`` whose learners are divided among partitions: services
    that Ray places, watches and restarts, each over a store of its own.

        shop = cluster.Population("shop", dim=16, store="/mnt/shop", partitions=4)
        shop.add_arms(ids, X)
        d = shop.choose("alice")
        shop.learn(d, reward)

    A learner decides as it would in a ``manyarms.Population`` with the same settings,
    arms and rewards. Whatever has returned is on the disk. If a partition's process or
    node dies, calls wait until it is back, and nothing is applied twice. Any thread may
    use a population at any time, and any number of processes may have one of the same
    name. (docs/cluster-learners.md)

    name: of the population. If it exists, its settings must be the same.
    dim and settings: those of ``Client.create``. None for a population that exists.
    partitions: the number of partitions, for good; None for that with which it was made,
        or 4.
    store: a folder that all nodes see, or the URL of a database of PostgreSQL. None for
        a population that runs on the cluster already.
    address: of a running Ray cluster, such as "auto"; None starts a local one, unless
        this process is attached to one.
    timeout: seconds after which a call gives up waiting for a partition, with a
        ``ClusterTimeout``.
    serve: further options of ``manyarms serve`` for its partitions, which the store keeps:
        they are for partitions that are started from now on. None for those given last.
    """

    def __init__(
        self, name: str, dim: int | None = None, policy: str | None = None,
        search: str | Certified | Scan | None = None, exploration: float | None = None, *,
        partitions: int | None = None, store: str | os.PathLike[str] | None = None,
        address: str | None = None, timeout: float = 60.0, serve: Sequence[str] | None = None,
        **settings: Any,
    ) -> None:
        self._name = name
        self._partitions = Partitions(name, partitions, store, address, timeout, serve)
        self._parts = [ServedBandit(owner, name, _BATCH) for owner in self._partitions.owners]
        if dim is not None:
            given = {"dim": dim, "policy": policy, "exploration": exploration}
            body = given | ({} if search is None else as_search(search)) | settings
            body = {key: value for key, value in body.items() if value is not None}
            self._change("PUT", self._path(), body)
        else:
            self._describe(0)

    @property
    def name(self) -> str:
        """The population's name."""
        return self._name

    @property
    def partitions(self) -> int:
        """The number of partitions."""
        return self._partitions.count

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, as the partitions have them now (docs/service.md)."""
        return dict(self._describe(0)["settings"])

    @property
    def stats(self) -> dict[str, Any]:
        """Counters of all partitions together: arms, learners, choices, rewards, ..."""
        described = self._partitions.each(self._describe)
        return _merged.stats([one["stats"] for one in described.values()])

    def change(self, **settings: Any) -> dict[str, Any]:
        """As that of a ``ServedBandit``, for all partitions."""
        return dict(self._change("PATCH", self._path(), settings)["settings"])

    def add_arms(
        self, ids: Ids, features: Features, tags: Sequence[Iterable[str]] | None = None
    ) -> ArmsPut:
        """Adds all of the arms at all partitions, or none if it raises an exception other
        than ``ClusterTimeout`` or ``UnavailableError``, after which whoever changes arms
        or attaches next completes what was begun."""
        return self._send_arms("add", ids, features, tags)

    def put_arms(
        self, ids: Ids, features: Features, tags: Sequence[Iterable[str]] | None = None
    ) -> ArmsPut:
        """Adds arms, or gives new features and tags to those that are there."""
        return self._send_arms("put", ids, features, tags)

    def update_arms(self, ids: Ids, features: Features) -> None:
        """Gives arms new features. Raises NotFoundError, a KeyError."""
        tags = [self.arm(arm).tags for arm in _sent.as_ids(ids)]
        self._send_arms("put", ids, features, tags if any(tags) else None)

    def remove_arms(self, ids: Ids) -> None:
        """Removes all of the arms, or none if it raises an exception, as ``add_arms``."""
        self._change("POST", self._path("remove-arms"), {"arms": _sent.as_ids(ids)},
                     counted=True)

    def arm(self, arm: int | str) -> ServedArm:
        """An arm's features and tags. Raises NotFoundError, a KeyError."""
        return self._parts[0].arm(arm)

    def arms(self) -> Iterator[ServedArm]:
        """All arms, page by page."""
        return self._parts[0].arms()

    def tags(self) -> dict[str, int]:
        """All tags, with the number of arms that have them."""
        return self._parts[0].tags()

    def __len__(self) -> int:
        return len(self._parts[0])

    def __contains__(self, arm: object) -> bool:
        return arm in self._parts[0]

    def choose(self, learner: int | str = "", **options: Any) -> ServedDecision:
        """As that of a ``ServedBandit``, which has the options."""
        number = self._owner_of(learner)
        return self._outer(number, self._parts[number].choose(learner, **options))

    def choose_many(
        self, learner: int | str, count: int, **options: Any
    ) -> list[ServedDecision]:
        """The best arms of one draw, as that of a ``ServedBandit``."""
        number = self._owner_of(learner)
        decisions = self._parts[number].choose_many(learner, count, **options)
        return [self._outer(number, one) for one in decisions]

    choose_best = choose_many

    def choose_for(
        self, learners: Ids, contexts: Features | None = None, *,
        eligible: Ids | None = None, tags: str | None = None,
        events: Sequence[str] | None = None, active: bool = True,
    ) -> list[ServedDecision]:
        """Chooses an arm for each of the learners, with few requests.

        Raises BatchError if some choices are refused, whose ``results`` have the others.
        """
        keys = _sent.as_learners(learners)
        rows = None if contexts is None else _sent.as_rows(contexts, "contexts", len(keys))
        if events is not None and len(events) != len(keys):
            raise InvalidArgumentError(
                f"there are {len(events)} events for {len(keys)} learners")

        def ask(number: int, places: list[int]) -> list[Any]:
            return _merged.outcomes(len(places), lambda: self._parts[number].choose_for(
                [keys[place] for place in places],
                None if rows is None else [rows[place] for place in places],
                eligible=eligible, tags=tags, active=active,
                events=None if events is None else [events[place] for place in places]))

        return self._divided("choices", [self._partitions.owner_of(key) for key in keys], ask)

    def learn(
        self, decision: ServedDecision | int, reward: float, *, id: str | None = None
    ) -> Learned:
        """Learns the reward of a decision: later, in any order.

        decision: or its number.
        id: of the reward, by which it is learned once however often it is sent. If there
            is none, one is made for this call.
        """
        number, inside = self._inner(decision)
        return self._outer(number, self._parts[number].learn(inside, reward, id=id))

    def learn_for(
        self, decisions: Iterable[ServedDecision | int], rewards: Iterable[float], *,
        ids: Sequence[str] | None = None,
    ) -> list[Learned]:
        """Learns rewards of decisions of any learners, with few requests.

        Raises BatchError if some rewards are refused, whose ``results`` have the others.
        """
        given, values = [self._inner(one) for one in decisions], list(rewards)
        if not len(given) == len(values) == len(values if ids is None else ids):
            raise InvalidArgumentError(
                f"there are {len(given)} decisions, {len(values)} rewards and "
                f"{len(values if ids is None else ids)} ids")

        def ask(number: int, places: list[int]) -> list[Any]:
            return _merged.outcomes(len(places), lambda: self._parts[number].learn_many(
                [given[place][1] for place in places], [values[place] for place in places],
                ids=None if ids is None else [ids[place] for place in places]))

        return self._divided("rewards", [number for number, _ in given], ask)

    learn_many = learn_for

    def activate(self, decision: ServedDecision | int) -> Learned:
        """Says that the arm of a decision was shown."""
        number, inside = self._inner(decision)
        return self._outer(number, self._parts[number].activate(inside))

    def dismiss(self, decision: ServedDecision | int) -> Learned:
        """Says that the reward of a decision will never come."""
        number, inside = self._inner(decision)
        return self._outer(number, self._parts[number].dismiss(inside))

    def observe(
        self, learner: int | str, arm: int | str, reward: float, *,
        context: Row | None = None, id: str | None = None,
    ) -> None:
        """Learns a reward of an arm without a decision, once for each id. If there is
        none, one is made for this call."""
        self._part_of(learner).observe(learner, arm, reward, context=context, id=id)

    def observe_features(
        self, learner: int | str, features: Row, reward: float, *,
        context: Row | None = None, id: str | None = None,
    ) -> None:
        """Learns a reward that some features had, as ``observe``."""
        self._part_of(learner).observe_features(
            learner, features, reward, context=context, id=id)

    @overload
    def predict(
        self, learner: int | str, features: ManyRows, *, context: Row | None = None
    ) -> NDArray[np.float64]: ...
    @overload
    def predict(
        self, learner: int | str, features: OneRow, *, context: Row | None = None
    ) -> float: ...
    def predict(
        self, learner: int | str, features: Any, *, context: Row | None = None
    ) -> Any:
        """The rewards that a learner expects of feature vectors."""
        return self._part_of(learner).predict(learner, features, context=context)

    def scores(
        self, learner: int | str, ids: Ids, *, context: Row | None = None
    ) -> NDArray[np.float64]:
        """The rewards that a learner expects of arms."""
        return self._part_of(learner).scores(learner, ids, context=context)

    def uncertainty(
        self, learner: int | str, ids: Ids, *, context: Row | None = None
    ) -> NDArray[np.float64]:
        """The exploration times the width of arms for a learner."""
        return self._part_of(learner).uncertainty(learner, ids, context=context)

    def best(
        self, learner: int | str = "", count: int = 10, *, context: Row | None = None
    ) -> list[ExpectedReward]:
        """The arms of which a learner expects most, best first. Nothing is chosen."""
        return self._part_of(learner).best(learner, count, context=context)

    def decision(self, decision: ServedDecision | int) -> dict[str, Any]:
        """All that is known of a decision, with its rewards."""
        number, inside = self._inner(decision)
        described = self._parts[number].decision(inside)
        return _numbers.renumber(described, number, self._partitions.count)

    def learners(self) -> Iterator[str]:
        """The keys of all learners, in their order."""
        return heapq.merge(*(part.learners() for part in self._parts))

    def knows(self, learner: int | str) -> bool:
        """Whether the learner exists: whether it has chosen or learned."""
        return self._part_of(learner).knows(learner)

    def describe(self, learner: int | str) -> dict[str, int]:
        """Counters of a learner. Raises NotFoundError, a KeyError."""
        return self._part_of(learner).describe(learner)

    def forget(self, learner: int | str) -> None:
        """Deletes a learner with its decisions and rewards. Raises NotFoundError."""
        self._part_of(learner).forget(learner)

    def close(self) -> None:
        """Closes the connections. The partitions go on, for others and for later."""
        self._partitions.close()

    def stop(self) -> None:
        """Ends the partitions' processes, for everybody: calls raise ``UnavailableError``
        until a population of this name is made with its ``store``. It begins with what
        the stores have."""
        self._partitions.stop()

    def __enter__(self) -> Population:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<manyarms.cluster.Population {self._name!r}>"

    def _path(self, *segments: str) -> str:
        return path_of("bandits", self._name, *segments)

    def _describe(self, number: int) -> dict[str, Any]:
        return dict(self._partitions.owners[number].get(self._path()))

    def _change(
        self, method: str, path: str, body: dict[str, Any], *, counted: bool = False
    ) -> Any:
        return self._partitions.replicated.make(
            method, path, json_body(body), counted=self._path() if counted else "")

    def _send_arms(
        self, mode: str, ids: Ids, features: Features, tags: Sequence[Iterable[str]] | None
    ) -> ArmsPut:
        answer = self._partitions.replicated.make(
            "POST", f"{self._path('arms')}?mode={mode}", _sent.arms_body(ids, features, tags),
            counted=self._path() if mode == "add" else "")
        added = len(_sent.as_ids(ids)) if mode == "add" else answer["added"]
        return ArmsPut(added, answer.get("changed", 0), answer["arms"])

    def _owner_of(self, learner: int | str) -> int:
        return self._partitions.owner_of(_sent.as_learner(learner))

    def _part_of(self, learner: int | str) -> ServedBandit:
        return self._parts[self._owner_of(learner)]

    def _inner(self, decision: ServedDecision | int) -> tuple[int, int]:
        if isinstance(decision, str):
            raise TypeError("a decision must be one, or its number, not an event: the number "
                            "says which partition has it")
        return _numbers.inner(number_of(decision), self._partitions.count)

    @overload
    def _outer(self, partition: int, answer: ServedDecision) -> ServedDecision: ...
    @overload
    def _outer(self, partition: int, answer: Learned) -> Learned: ...
    def _outer(self, partition: int, answer: Any) -> Any:
        count = self._partitions.count
        if isinstance(answer, ServedDecision):
            number = _numbers.outer(answer.id, partition, count)
            return dataclasses.replace(answer, id=number)
        return answer._replace(decision=_numbers.outer(answer.decision, partition, count))

    def _divided(self, what: str, owners: list[int], ask: Any) -> list[Any]:
        """Asks partitions about the places that are theirs, and puts the results in order."""
        places: dict[int, list[int]] = {}
        for place, owner in enumerate(owners):
            places.setdefault(owner, []).append(place)
        results: list[Any] = [None] * len(owners)
        for number, answers in self._partitions.each(ask, places).items():
            for place, answer in zip(places[number], answers):
                results[place] = answer if isinstance(answer, Exception) else self._outer(
                    number, answer)
        return _merged.checked(what, results)
