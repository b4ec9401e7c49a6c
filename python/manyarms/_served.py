"""What a service answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ServedDecision:
    """A choice of an arm by a service. Its reward can be learned by any client."""

    id: int
    """The decision's number, which no other decision of the service has."""
    arm: int | str
    """The arm's id, an int or a string as it was added."""
    score: float
    """The number by which the arm was chosen; 0 if it was drawn uniformly."""
    eligible: int
    """The number of arms that were eligible."""
    uniform: bool
    """Whether the arm was drawn uniformly among them (explore_uniform)."""
    learner: str
    """Who chose."""
    event: str
    """The id under which the service answers this choice again."""
    rank: int = 0
    """The place in a slate, from 0 on."""
    probability: float | None = None
    """With which the arm was chosen, if the bandit has probability_draws, or
    explore_uniform and the arm was drawn so."""
    policy_arm: int | str | None = None
    """In apprentice mode, what the policy would have chosen."""
    time: float | None = None
    """When, in seconds since 1970."""
    repeated: bool = field(default=False, compare=False)
    """Whether the service had answered this event before."""


class Learned(NamedTuple):
    """What became of a reward."""

    decision: int
    """The decision's number."""
    learned: bool
    """Whether the reward was learned now."""
    reason: str = ""
    """Why it was not: "waiting" (it counts when the wait is over), "late" (it was
    logged and is not learned), "repeated" (the service has it already)."""


class ServedArm(NamedTuple):
    """An arm as a service has it."""

    arm: int | str
    features: NDArray[np.float32]
    tags: list[str]


class ExpectedReward(NamedTuple):
    """What a learner expects of an arm."""

    arm: int | str
    expected: float
    uncertainty: float


class Snapshot(NamedTuple):
    """A state of a bandit that was kept under a name."""

    name: str
    time: float
    arms: int
    learners: int


class ArmsPut(NamedTuple):
    """What became of arms that were sent."""

    added: int
    changed: int
    arms: int
    """How many the bandit has now."""


def decisions_of(answer: dict[str, Any]) -> list[ServedDecision]:
    """The decisions in an answer to one choice."""
    rows = answer.get("decisions")
    if rows is None:
        return [_decision(answer, answer)]
    return [_decision(answer, row) for row in rows]


def _decision(answer: dict[str, Any], row: dict[str, Any]) -> ServedDecision:
    return ServedDecision(
        id=row["decision"],
        arm=row["arm"],
        score=row["score"],
        eligible=row["eligible"],
        uniform=row["uniform"],
        learner=answer["learner"],
        event=answer.get("event") or "",
        rank=row.get("rank", 0),
        probability=row.get("probability"),
        policy_arm=row.get("policy_arm"),
        time=row.get("time", answer.get("time")),
        repeated=answer.get("repeated", False),
    )


def learned_of(answer: dict[str, Any]) -> Learned:
    """What became of a reward, from an answer."""
    return Learned(answer["decision"], answer["learned"], answer.get("reason") or "")
