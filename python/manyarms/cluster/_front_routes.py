"""The routes of a front end: those of a service, as far as a cluster has them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from manyarms._core import version
from manyarms.cluster import _front_json as _json
from manyarms.cluster._forwarding import Forwarding
from manyarms.cluster._front_items import Items
from manyarms.cluster._front_shared import Shared
from manyarms.cluster._http import Answer
from manyarms.cluster._tokens import Role

_READY_SECONDS = 2.0
_MOST_BODY: dict[Role | None, int] = {
    None: 0, "read": 16 << 20, "decide": 16 << 20, "admin": 256 << 20}


class Asked(NamedTuple):
    """A request, with what the route's pattern has found in its path."""

    method: str
    target: str
    path: str
    body: bytes
    content_type: str
    found: re.Match[str]


Handle = Callable[[Asked], Awaitable[Answer]]


class Route(NamedTuple):
    """How a request is answered. Without a role everybody may ask."""

    method: str
    path: str
    role: Role | None
    handle: Handle
    pattern: re.Pattern[str]

    @property
    def most_body(self) -> int:
        """The bytes that the body of a request may have."""
        return _MOST_BODY[self.role]


class Routes:
    """Finds what answers a request."""

    def __init__(
        self, parts: list[Forwarding], items: Items, shared: Shared,
        metrics: Callable[[], Awaitable[Answer]],
    ) -> None:
        first = parts[0]

        def item(id_name: str | None, *, may_be_missing: bool = False) -> Handle:
            return lambda asked: items.of_learner(
                asked.target, asked.body, asked.content_type, id_name,
                may_be_missing=may_be_missing)

        def about(id_name: str | None) -> Handle:
            return lambda asked: items.of_decision(
                asked.target, asked.body, asked.content_type, id_name)

        def change(asked: Asked) -> Awaitable[Answer]:
            return shared.change(asked.method, asked.target, asked.body, asked.content_type)

        def create(asked: Asked) -> Awaitable[Answer]:
            return shared.change(asked.method, asked.target, asked.body, asked.content_type,
                                 creates=True)

        def remove(asked: Asked) -> Awaitable[Answer]:
            return shared.change(asked.method, asked.target, asked.body, asked.content_type,
                                 removes=True)

        def copy(asked: Asked) -> Awaitable[Answer]:
            return first.ask(asked.method, asked.target)

        def learner(asked: Asked) -> Awaitable[Answer]:
            return items.learner(asked.method, asked.target, asked.found[1])

        async def value(answer: Answer) -> Answer:
            return answer

        self._routes = [
            _route("POST", "/v1/bandits/{}/choose", "decide",
                   item("event", may_be_missing=True)),
            _route("POST", "/v1/bandits/{}/reward", "decide", about("id")),
            _route("POST", "/v1/bandits/{}/choices", "decide", lambda asked: items.choices(
                asked.target, asked.body, asked.content_type)),
            _route("POST", "/v1/bandits/{}/rewards", "decide", lambda asked: items.rewards(
                asked.target, asked.body, asked.content_type)),
            _route("POST", "/v1/bandits/{}/activate", "decide", about(None)),
            _route("POST", "/v1/bandits/{}/dismiss", "decide", about(None)),
            _route("POST", "/v1/bandits/{}/observe", "decide", item("id")),
            _route("POST", "/v1/bandits/{}/predict", "read", item(None)),
            _route("GET", "/v1/bandits/{}/decisions/()", "read", lambda asked: items.decision(
                asked.path.rpartition("/")[0] + "/", asked.found[1])),
            _route("GET", "/v1/bandits/{}/arms", "read", copy),
            _route("POST", "/v1/bandits/{}/arms", "admin", lambda asked: shared.put_arms(
                asked.target, asked.body, asked.content_type)),
            _route("POST", "/v1/bandits/{}/remove-arms", "admin", remove),
            _route("GET", "/v1/bandits/{}/arms/{}", "read", copy),
            _route("PUT", "/v1/bandits/{}/arms/{}", "admin", change),
            _route("DELETE", "/v1/bandits/{}/arms/{}", "admin", change),
            _route("GET", "/v1/bandits/{}/tags", "read", copy),
            _route("GET", "/v1/bandits/{}/learners", "read",
                   lambda asked: shared.learners(asked.target)),
            _route("GET", "/v1/bandits/{}/learners/()", "read", learner),
            _route("DELETE", "/v1/bandits/{}/learners/()", "admin", learner),
            _route("GET", "/v1/bandits", "read", lambda asked: shared.bandits()),
            _route("PUT", "/v1/bandits/{}", "admin", create),
            _route("GET", "/v1/bandits/{}", "read", lambda asked: shared.bandit(asked.target)),
            _route("PATCH", "/v1/bandits/{}", "admin", change),
            _route("DELETE", "/v1/bandits/{}", "admin", change),
            _route("GET", "/v1", "read", lambda asked: value(
                _json.of_value({"version": version}))),
            _route("GET", "/healthz", None, lambda asked: value(
                _json.of_value({"status": "ok"}))),
            _route("GET", "/readyz", None, lambda asked: shared.ready(_READY_SECONDS)),
            _route("GET", "/metrics", "read", lambda asked: metrics()),
        ]

    def find(self, method: str, path: str) -> tuple[Route, re.Match[str]] | Answer:
        """The route of a request, with what it has found in the path, or an error."""
        there = False
        for route in self._routes:
            found = route.pattern.fullmatch(path)
            if found is None:
                continue
            if route.method == method or (route.method, method) == ("GET", "HEAD"):
                return route, found
            there = True
        if there:
            return _json.of_error(405, f"{path} has no method {method}")
        return _json.of_error(404, f"the front end of a cluster has no route {path}")


def _route(method: str, path: str, role: Role | None, handle: Handle) -> Route:
    pattern = path.replace("()", "([^/]*)").replace("{}", "[^/]+")
    return Route(method, path.replace("()", "{}"), role, handle, re.compile(pattern))
