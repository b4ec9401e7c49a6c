"""Requests about one bandit, as a ServedBandit makes them."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from manyarms import _sent
from manyarms._requests import Requests, error_from, json_body, path_of
from manyarms._served import ArmsPut, ServedDecision
from manyarms._types import Features, Ids, Row
from manyarms.errors import BatchError, ServiceError, UnavailableError


class Asking:
    """Makes requests about one bandit of a service."""

    def __init__(self, requests: Requests, name: str, batch: int) -> None:
        self._requests = requests
        self._name = name
        self._batch = batch

    def _path(self, *segments: str) -> str:
        return path_of("bandits", self._name, *segments)

    def _get(self, *segments: str) -> Any:
        return self._requests.get(self._path(*segments))

    def _post(
        self, verb: str, body: Any, *, repeatable: bool = True, slow: bool = False
    ) -> Any:
        return self._requests.ask(
            "POST", self._path(verb), body, repeatable=repeatable, slow=slow
        )

    def _new_id(self) -> str | None:
        """An id that no other request has; none is needed if nothing is repeated."""
        return secrets.token_urlsafe(12) if self._requests.retries > 0 else None

    def _send_arms(
        self, mode: str, ids: Ids, features: Features,
        tags: Sequence[Iterable[str]] | None, progress: Callable[[str, int], object] | None,
    ) -> ArmsPut:
        last: dict[str, Any] = {}

        def take(line: dict[str, Any]) -> bool:
            last.clear()
            last.update(line)
            if progress is not None and line["stage"] in ("received", "added"):
                progress(line["stage"], line["arms"])
            return line["stage"] in ("done", "failed")

        self._requests.ask(
            "POST", f"{self._path('arms')}?mode={mode}&progress=true",
            _sent.arms_body(ids, features, tags), repeatable=mode == "put", slow=True,
            on_line=take,
        )
        if last["stage"] == "failed":
            error = error_from(last["error"])
            if isinstance(error, UnavailableError):
                error.uncertain = True  # it may become durable later
            raise error
        return ArmsPut(last["added"], last["changed"], last["arms"])

    def _choice(self, learner: str, active: bool, event: str | None,
                **restricted: Any) -> dict[str, Any]:
        """A choice as it is sent, with those of its fields that are given."""
        event = self._new_id() if event is None else event
        fields = {"event": event, "active": None if active else False} | restricted
        given = {name: value for name, value in fields.items() if value is not None}
        return {"learner": learner} | given

    def _reward(
        self, decision: ServedDecision | int | str, reward: float, id: str | None
    ) -> dict[str, Any]:
        sent = reference(decision) | {"reward": float(reward)}
        id = self._new_id() if id is None else id
        return sent if id is None else sent | {"id": id}

    def _observe(
        self, learner: int | str, of: dict[str, Any], reward: float, context: Row | None,
        id: str | None,
    ) -> None:
        body = {"learner": _sent.as_learner(learner), "reward": float(reward)} | of
        if context is not None:
            body["context"] = _sent.as_row(context)
        id = self._new_id() if id is None else id
        self._post("observe", json_body(body if id is None else body | {"id": id}))

    def _predict(
        self, learner: int | str, body: dict[str, Any], context: Row | None
    ) -> dict[str, Any]:
        body = {"learner": _sent.as_learner(learner)} | body
        if context is not None:
            body["context"] = _sent.as_row(context)
        return dict(self._post("predict", json_body(body)))

    def _batches(
        self, verb: str, items: list[dict[str, Any]], made_of: Callable[[Any], Any]
    ) -> list[Any]:
        results: list[Any] = []
        for start in range(0, len(items), self._batch):
            body = json_body({verb: items[start : start + self._batch]})
            try:
                answers = self._post(verb, body)["results"]
            except ServiceError as error:
                if not results:
                    raise
                results += [error] * (len(items) - start)
                break
            results += [error_from(answer["error"]) if "error" in answer else made_of(answer)
                        for answer in answers]
        refused = [result for result in results if isinstance(result, ServiceError)]
        if refused:
            raise BatchError(
                f"{len(refused)} of {len(items)} {verb} failed, the first because "
                f"{refused[0]}", results,
            ) from refused[0]
        return results


def number_of(decision: ServedDecision | int) -> int:
    """The number of a decision."""
    if isinstance(decision, ServedDecision):
        return decision.id
    return _sent.as_number(decision, "a decision")


def reference(decision: ServedDecision | int | str) -> dict[str, Any]:
    """A decision by its number, or by its event."""
    if isinstance(decision, str):
        return {"event": str(decision)}
    return {"decision": number_of(decision)}
