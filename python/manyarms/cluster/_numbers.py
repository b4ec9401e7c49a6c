"""Numbers of decisions, which say in which partition a decision was made."""

from __future__ import annotations

from typing import Any


def outer(number: int, partition: int, partitions: int) -> int:
    """The number that clients see, of a decision that its partition knows by another."""
    return number * partitions + partition


def inner(number: int, partitions: int) -> tuple[int, int]:
    """The partition of a decision, and its number there."""
    inside, partition = divmod(number, partitions)
    return partition, inside


def renumber(answer: dict[str, Any], partition: int, partitions: int) -> dict[str, Any]:
    """A partition's answer as clients see it. It is changed in place."""
    for row in (answer, *answer.get("decisions", ())):
        if "decision" in row:
            row["decision"] = outer(row["decision"], partition, partitions)
    return answer
