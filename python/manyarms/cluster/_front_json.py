"""JSON of requests and answers at a front end."""

from __future__ import annotations

import json
import secrets
from typing import Any

from manyarms.cluster._http import JSON, Answer

_MOST_ID = 2**64 - 1
_CODES = {
    400: "bad_request", 401: "unauthorized", 403: "forbidden", 404: "not_found",
    405: "method_not_allowed", 408: "timeout", 409: "conflict", 413: "too_large",
    415: "unsupported_media_type", 422: "invalid", 429: "too_many",
    431: "head_too_large", 500: "internal", 503: "unavailable",
}


def parsed(
    body: bytes, content_type: str, *, may_be_missing: bool = False
) -> dict[str, Any] | Answer:
    """The object in a body, or the error that a service would answer."""
    if may_be_missing and not body:
        return {}
    if not is_json(content_type):
        return of_error(415, f"the Content-Type of the body must be {JSON}")
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_unique,
                           parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return of_error(400, f"the body is not JSON: {str(error)[:200]}")
    if not isinstance(value, dict):
        return of_error(422, "the body is not an object")
    return value


def is_json(content_type: str) -> bool:
    """Whether a media type is that of JSON, in letters of any size. Its only parameter
    may be charset=utf-8."""
    kind, _, parameter = content_type.lower().partition(";")
    return kind.strip(" \t") == JSON and parameter.strip(" \t") in (
        "", "charset=utf-8", 'charset="utf-8"')


def learner_of(item: Any) -> str | None:
    """The key of the learner in an item, or None if it has none that is right."""
    learner = item.get("learner", "") if isinstance(item, dict) else None
    if isinstance(learner, bool) or not isinstance(learner, (int, str)):
        return None
    if isinstance(learner, int) and not 0 <= learner <= _MOST_ID:
        return None
    return str(learner)


def decision_of(item: Any) -> int | None:
    """The number of the decision in an item, or None if it has none."""
    decision = item.get("decision") if isinstance(item, dict) else None
    if isinstance(decision, bool) or not isinstance(decision, int):
        return None
    return decision if 0 < decision <= _MOST_ID else None


def with_id(item: dict[str, Any], name: str) -> dict[str, Any]:
    """An item with an id, so that it can be sent again. An empty one is none."""
    return item if item.get(name) not in (None, "") else item | {
        name: secrets.token_urlsafe(12)}


def dumped(value: Any) -> bytes:
    """A value as a body."""
    return json.dumps(value, separators=(",", ":")).encode()


def of_value(value: Any, status: int = 200) -> Answer:
    """An answer."""
    return Answer(status, dumped(value))


def of_error(status: int, message: str) -> Answer:
    """An answer that says what is wrong."""
    return of_value({"error": error(status, message)}, status)


def error(status: int, message: str) -> dict[str, Any]:
    """What is wrong."""
    return {"status": status, "code": _CODES.get(status, "internal"), "message": message}


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key is there twice")
    return value


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")
