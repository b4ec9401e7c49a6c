"""The interface of a rival, and the facts about it."""

from __future__ import annotations

import dataclasses
from typing import Protocol

import numpy as np


@dataclasses.dataclass(frozen=True)
class Facts:
    """Facts from a library's documentation and source. Those that neither states
    stay blank."""

    name: str
    package: str
    model: str
    note: str
    exact: bool | None
    shared_model: bool
    arms_come_and_go: str = ""
    deletes_for_real: str = ""
    delayed_rewards: str = ""
    save_load: str = ""
    k_best: str = ""
    eligibility: str = ""
    threads: str = ""
    user_context: str = ""  # whether each choice can have its own context
    learners: str = ""  # whether many learners can share the arms
    probabilities: str = ""  # of the chosen arm, for off-policy evaluation
    click_models: str = ""
    forgetting: str = ""
    from_pypi: str = ""
    built: str = ""  # what set-up builds before the first choice
    bytes_per_arm: int = 0  # measured at 10,000 arms, to predict what cannot fit


class Rival(Protocol):
    """The constructor imports the library, not the module. So facts can be read
    without the library, and the import counts neither as set-up nor as memory."""

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        """Adds all arms and builds the index, if there is one."""

    # Optional methods: start_over() forgets all rewards and keeps what set_up
    # built; theta() returns the parameter by which the last arm was chosen.
    # Without start_over(), set_up is repeated before each repetition.

    def choose(self) -> int:
        """Returns the id of the arm to pull."""

    def learn(self, arm: int, reward: float) -> None:
        """Learns the reward of the arm that was chosen last."""

    def remove(self, ids: np.ndarray) -> None:
        """Removes arms in the way the library recommends."""

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        """Adds arms in the way the library recommends."""


class ContextRival(Protocol):
    """A rival whose choices have contexts. The constructor takes a Task."""

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        """Adds all arms."""

    # Optional methods: start_over(), as above; theta() returns the direction by which
    # the last arm was chosen.

    def choose(self, context: np.ndarray) -> int:
        """Returns the id of the arm to pull in this context."""

    def learn(self, arm: int, reward: float) -> None:
        """Learns the reward of the arm that was chosen last, in its context."""


class MustRebuild(Exception):
    """The library has no such call, so a user would have to set up anew."""


class Impossible(Exception):
    """Not possible at all without losing what was learned."""
