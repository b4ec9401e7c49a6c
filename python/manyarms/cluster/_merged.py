"""Answers of several partitions put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from manyarms.errors import BatchError, ClusterTimeout, ServiceError

# What all partitions have alike.
_SAME = frozenset({"arms"})


def stats(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counters of all partitions together."""
    return {name: _together(name, [part[name] for part in parts]) for name in parts[0]}


def _together(name: str, values: Sequence[Any]) -> Any:
    if isinstance(values[0], dict):
        return _rewards(values)
    return values[0] if name in _SAME else sum(values)


def _rewards(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean of all rewards, with an interval that adds the variances of the
    partitions' own means."""
    count = sum(part["count"] for part in parts)
    known = [part for part in parts if part["count"] > 0]
    result: dict[str, Any] = {"count": count, "mean": None, "low": None, "high": None}
    if not known:
        return result
    result["mean"] = mean = sum(part["count"] * part["mean"] for part in known) / count
    if all(part["low"] is not None for part in known):
        halves = [part["count"] * (part["high"] - part["low"]) / 2 for part in known]
        half = math.hypot(*halves) / count
        result |= {"low": mean - half, "high": mean + half}
    return result


def outcomes(count: int, ask: Callable[[], list[Any]]) -> list[Any]:
    """The results of a batch, with errors in the places of what was not done."""
    try:
        return ask()
    except BatchError as error:
        return list(error.results)
    except (ClusterTimeout, ServiceError) as error:
        return [error] * count


def checked(what: str, results: list[Any]) -> list[Any]:
    """The results if none is an error; otherwise raises BatchError."""
    refused = [one for one in results if isinstance(one, Exception)]
    if refused:
        raise BatchError(f"{len(refused)} of {len(results)} {what} failed, the first because "
                         f"{refused[0]}", results) from refused[0]
    return results
