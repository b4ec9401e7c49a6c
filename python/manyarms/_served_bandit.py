"""A bandit of a service, with the verbs of a Population."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from manyarms import _sent
from manyarms._asking import Asking, number_of, reference
from manyarms._core import Certified, Hnsw, Lsh, LshTheory, Scan
from manyarms._requests import json_body
from manyarms._served import (
    ArmsPut,
    ExpectedReward,
    Learned,
    ServedArm,
    ServedDecision,
    Snapshot,
    decisions_of,
    learned_of,
)
from manyarms._types import Features, Ids, ManyRows, OneRow, Row
from manyarms.errors import InvalidArgumentError, NotFoundError

_MOST_ON_A_PAGE = 10_000


class ServedBandit(Asking):
    """A bandit of a service: many learners over one set of arms.

    ``Client.create`` and ``Client.bandit`` return it. Its methods are those of a
    ``Population`` as far as they make sense from a distance. They raise a
    ``ServiceError``, and what they should have changed is then as it was before, unless
    it is an ``UnavailableError`` that is ``uncertain``.
    """

    @property
    def name(self) -> str:
        """The bandit's name in the service."""
        return self._name

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, as the service has them now (docs/service.md)."""
        return dict(self._get()["settings"])

    @property
    def stats(self) -> dict[str, Any]:
        """Counters: arms, learners, open_decisions, choices, rewards, and others."""
        return dict(self._get()["stats"])

    def change(self, **settings: Any) -> dict[str, Any]:
        """Changes settings: reward_wait, default_reward (None: nothing is learned),
        aggregation, mode, probability_draws. Returns all settings."""
        body = json_body(settings)
        answer = self._requests.ask("PATCH", self._path(), body, repeatable=True)
        return dict(answer["settings"])

    def add_arms(
        self, ids: Ids, features: Features, tags: Sequence[Iterable[str]] | None = None, *,
        progress: Callable[[str, int], object] | None = None,
    ) -> ArmsPut:
        """Adds all of the arms, or none if it raises an exception.

        ids: ints or strings; all arms of a bandit have ints, or all have strings.
        features: an array, a list of lists or columns, with a row for each arm.
        tags: for each arm its tags, by which choices can be restricted.
        progress: is called with a stage ("received", "added") and a number of arms.
        Raises ConflictError if an arm is there. This is not repeated if the connection
        is lost, because an arm would then be there; put_arms is.
        """
        return self._send_arms("add", ids, features, tags, progress)

    def put_arms(
        self, ids: Ids, features: Features, tags: Sequence[Iterable[str]] | None = None, *,
        progress: Callable[[str, int], object] | None = None,
    ) -> ArmsPut:
        """Adds arms, or gives new features and tags to those that are there: all of
        them, or none if it raises an exception. Without ``tags`` they have none then.
        Open decisions keep the features by which they were made."""
        return self._send_arms("put", ids, features, tags, progress)

    def remove_arms(self, ids: Ids) -> None:
        """Removes all of the arms, or none if it raises an exception. Rewards of their
        decisions can still be learned."""
        body = json_body({"arms": _sent.as_ids(ids)})
        self._post("remove-arms", body, repeatable=False)

    def arm(self, arm: int | str) -> ServedArm:
        """An arm's features and tags. Raises NotFoundError, a KeyError."""
        return _arm_of(self._get("arms", str(_sent.as_arm(arm))))

    def arms(self) -> Iterator[ServedArm]:
        """All arms, page by page. Those that come or go meanwhile may be left out."""
        start: int | None = 0
        while start is not None:
            page = self._requests.get(self._path("arms"), limit=1_000, **{"from": start})
            yield from map(_arm_of, page["arms"])
            start = page["next"]

    def tags(self) -> dict[str, int]:
        """All tags, with the number of arms that have them."""
        return {one["tag"]: one["arms"] for one in self._get("tags")["tags"]}

    def __len__(self) -> int:
        return int(self.stats["arms"])

    def __contains__(self, arm: object) -> bool:
        try:
            self._get("arms", str(_sent.as_arm(arm)))
        except (NotFoundError, TypeError):
            return False
        return True

    def choose(
        self, learner: int | str = "", *, eligible: Ids | None = None,
        context: Row | None = None, tags: str | None = None, event: str | None = None,
        active: bool = True, own_arm: int | str | None = None,
    ) -> ServedDecision:
        """Chooses an arm for a learner, which begins to exist with that.

        eligible: ids of the arms that may be chosen.
        context: context_dim numbers, which the service keeps with the decision.
        tags: an expression like "shoes and (red or blue) and not sale", which the tags
            of eligible arms meet.
        event: an id of your own, under which the choice is answered again if you ask
            again. If there is none, the client makes one.
        active: False if it is not known yet whether the arm will be shown: there is no
            default reward then, unless ``activate`` is called.
        own_arm: in apprentice mode, the arm that your own logic has chosen.
        """
        choice = self._choice(
            _sent.as_learner(learner), active, event, tags=tags,
            arms=_sent.or_none(_sent.as_eligible, eligible),
            context=_sent.or_none(_sent.as_row, context),
            own_arm=_sent.or_none(_sent.as_arm, own_arm),
        )
        return decisions_of(self._post("choose", json_body(choice)))[0]

    def choose_many(
        self, learner: int | str, count: int, *, eligible: Ids | None = None,
        context: Row | None = None, tags: str | None = None, event: str | None = None,
        active: bool = True,
    ) -> list[ServedDecision]:
        """Chooses the best arms of one draw for a learner, best first, no arm twice, and
        fewer than count if fewer are eligible."""
        choice = self._choice(
            _sent.as_learner(learner), active, event, tags=tags,
            arms=_sent.or_none(_sent.as_eligible, eligible),
            context=_sent.or_none(_sent.as_row, context),
            count=_sent.as_number(count, "count"),
        )
        return decisions_of(self._post("choose", json_body(choice)))

    def choose_for(
        self, learners: Ids, contexts: Features | None = None, *,
        eligible: Ids | None = None, tags: str | None = None,
        events: Sequence[str] | None = None, active: bool = True,
        own_arms: Ids | None = None,
    ) -> list[ServedDecision]:
        """Chooses an arm for each of the learners, with few requests.

        contexts: a row for each choice. events, own_arms: one for each choice.
        eligible, tags, active: hold for all of them.
        Raises BatchError if some choices are refused, whose ``results`` have the others.
        """
        keys = _sent.as_learners(learners)
        rows = None if contexts is None else _sent.as_rows(contexts, "contexts", len(keys))
        none: list[Any] = [None] * len(keys)
        ids = none if events is None else _sent.as_texts(events, "events")
        own = none if own_arms is None else _sent.as_ids(own_arms, "own_arms")
        for name, given in (("events", ids), ("own_arms", own)):
            if len(given) != len(keys):
                raise InvalidArgumentError(
                    f"there are {len(given)} {name} for {len(keys)} learners"
                )
        arms = _sent.or_none(_sent.as_eligible, eligible)
        choices = [
            self._choice(key, active, event, arms=arms, tags=tags, context=row, own_arm=arm)
            for key, row, event, arm in zip(keys, rows or none, ids, own)
        ]
        return self._batches("choices", choices, lambda answer: decisions_of(answer)[0])

    def learn(
        self, decision: ServedDecision | int | str, reward: float, *, id: str | None = None
    ) -> Learned:
        """Learns the reward of a decision: later, in any order.

        decision: or its number, or the id of its event.
        id: of the reward, by which it is learned once however often it is sent. If there
            is none, the client makes one for this call.
        """
        return learned_of(self._post("reward", json_body(self._reward(decision, reward, id))))

    def learn_many(
        self, decisions: Iterable[ServedDecision | int | str], rewards: Iterable[float], *,
        ids: Sequence[str] | None = None,
    ) -> list[Learned]:
        """Learns rewards of decisions of any learners, with few requests.

        Raises BatchError if some rewards are refused, whose ``results`` have the others.
        """
        given, values = list(decisions), list(rewards)
        none: list[Any] = [None] * len(given)
        names = none if ids is None else _sent.as_texts(ids, "ids")
        if not len(given) == len(values) == len(names):
            raise InvalidArgumentError(
                f"there are {len(given)} decisions, {len(values)} rewards and {len(names)} ids"
            )
        sent = [self._reward(*one) for one in zip(given, values, names)]
        return self._batches("rewards", sent, learned_of)

    def activate(self, decision: ServedDecision | int | str) -> Learned:
        """Says that the arm of a decision was shown, so that a missing reward is the
        default reward."""
        return learned_of(self._post("activate", json_body(reference(decision))))

    def dismiss(self, decision: ServedDecision | int | str) -> Learned:
        """Says that the reward of a decision will never come."""
        return learned_of(self._post("dismiss", json_body(reference(decision))))

    def observe(
        self, learner: int | str, arm: int | str, reward: float, *,
        context: Row | None = None, id: str | None = None,
    ) -> None:
        """Learns a reward of an arm without a decision.

        id: of the observation, by which it is learned once however often it is sent. If
            there is none, the client makes one for this call.
        """
        self._observe(learner, {"arm": _sent.as_arm(arm)}, reward, context, id)

    def observe_features(
        self, learner: int | str, features: Row, reward: float, *,
        context: Row | None = None, id: str | None = None,
    ) -> None:
        """Learns a reward that some features had, as ``observe``."""
        of = {"features": _sent.as_row(features, "features")}
        self._observe(learner, of, reward, context, id)

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
        """The rewards that a learner expects of feature vectors: an array for rows, a
        float for a single row."""
        rows = _sent.as_floats(features, "features", 1, 2)
        single = rows.ndim == 1
        body = {"rows": [rows.tolist()] if single else rows.tolist()}
        expected = self._predict(learner, body, context)["expected"]
        return float(expected[0]) if single else np.array(expected, dtype=np.float64)

    def scores(
        self, learner: int | str, ids: Ids, *, context: Row | None = None
    ) -> NDArray[np.float64]:
        """The rewards that a learner expects of arms."""
        views = self._predict(learner, {"arms": _sent.as_ids(ids)}, context)["arms"]
        return np.array([view["expected"] for view in views], dtype=np.float64)

    def uncertainty(
        self, learner: int | str, ids: Ids, *, context: Row | None = None
    ) -> NDArray[np.float64]:
        """The exploration times the width of arms for a learner, as that of a Bandit."""
        views = self._predict(learner, {"arms": _sent.as_ids(ids)}, context)["arms"]
        return np.array([view["uncertainty"] for view in views], dtype=np.float64)

    def best(
        self, learner: int | str = "", count: int = 10, *, context: Row | None = None
    ) -> list[ExpectedReward]:
        """The arms of which a learner expects most, best first. Nothing is chosen."""
        body = {"best": _sent.as_number(count, "count")}
        views = self._predict(learner, body, context)["arms"]
        return [ExpectedReward(v["arm"], v["expected"], v["uncertainty"]) for v in views]

    def decision(self, decision: ServedDecision | int) -> dict[str, Any]:
        """All that the service has of a decision, with its rewards."""
        return dict(self._get("decisions", str(number_of(decision))))

    def evaluate(
        self, policy: str | None = None,
        search: str | Certified | Scan | Hnsw | Lsh | LshTheory | None = None,
        exploration: float | None = None, **options: Any,
    ) -> dict[str, Any]:
        """What another policy would have earned, from the decisions that were made, as
        ``manyarms evaluate --json`` prints it (docs/service.md, docs/evaluation.md). It
        takes the role admin.

        policy, search, exploration: None stands for what this bandit has; so do further
            settings that are missing.
        options: learn_share, draws, uniform_only, level, clip, one_learner,
            default_reward; since and until, in seconds since 1970; and settings.
        """
        body = {"policy": policy, "exploration": exploration} | options
        body |= {} if search is None else _sent.as_search(search)
        given = {name: value for name, value in body.items() if value is not None}
        return dict(self._post("evaluate", json_body(given), slow=True))

    def learners(self) -> Iterator[str]:
        """The keys of all learners, in their order, page by page."""
        page = self._requests.get(self._path("learners"), limit=_MOST_ON_A_PAGE)
        while True:
            yield from page["learners"]
            if page["next"] is None:
                return
            page = self._requests.get(
                self._path("learners"), limit=_MOST_ON_A_PAGE, after=page["next"]
            )

    def knows(self, learner: int | str) -> bool:
        """Whether the learner exists: whether it has chosen or learned."""
        try:
            self.describe(learner)
        except NotFoundError:
            return False
        return True

    def describe(self, learner: int | str) -> dict[str, int]:
        """How often a learner has chosen, how many rewards it has learned, how many
        decisions are pending, and how many are open, that is, still wait for a reward.
        Raises NotFoundError, a KeyError."""
        view = self._get("learners", _sent.as_learner(learner))
        return {name: view[name] for name in ("choices", "rewards", "pending", "open")}

    def forget(self, learner: int | str) -> None:
        """Deletes a learner with its decisions and rewards from the service and its
        store, snapshots included. Raises NotFoundError, a KeyError."""
        self._requests.delete(self._path("learners", _sent.as_learner(learner)))

    def snapshots(self) -> list[Snapshot]:
        """The snapshots of this bandit."""
        return [Snapshot(one["name"], one["time"], one["arms"], one["learners"])
                for one in self._get("snapshots")["snapshots"]]

    def take_snapshot(self, name: str) -> None:
        """Keeps arms and learners as they are, under a name. Raises ConflictError if it
        is in use. Is not repeated."""
        self._requests.ask("PUT", self._path("snapshots", name), repeatable=False, slow=True)

    def restore_snapshot(self, name: str) -> None:
        """Arms and learners become what they were. Is not repeated."""
        path = self._path("snapshots", name, "restore")
        self._requests.ask("POST", path, repeatable=False, slow=True)

    def delete_snapshot(self, name: str) -> None:
        """Deletes a snapshot. Raises NotFoundError."""
        self._requests.delete(self._path("snapshots", name))

    def __repr__(self) -> str:
        return f"<manyarms.ServedBandit {self._name!r} of {self._requests.url}>"


def _arm_of(described: dict[str, Any]) -> ServedArm:
    features = np.array(described["features"], dtype=np.float32)
    return ServedArm(described["arm"], features, described["tags"])
