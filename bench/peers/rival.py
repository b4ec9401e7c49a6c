"""What a rival has to offer, and what it says about itself."""

from __future__ import annotations

import dataclasses
from typing import Protocol

import numpy as np


@dataclasses.dataclass(frozen=True)
class Facts:
    """From documentation and source; what these do not say stays blank."""

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
    user_context: str = ""  # with each choice
    probabilities: str = ""  # of the chosen arm, for off-policy evaluation
    click_models: str = ""
    forgetting: str = ""
    from_pypi: str = ""
    built: str = ""  # by set-up, before the first choice
    bytes_per_arm: int = 0  # as measured at 10,000, to predict what cannot fit


class Rival(Protocol):
    """A library is imported by the constructor, not by the module: facts can be
    read where it is not installed, and neither set-up nor memory contain it."""

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        """Takes all arms and builds what has to be built."""

    # Optional: start_over() forgets all rewards and keeps what set-up built;
    # theta() is the parameter by which the last arm was chosen. Without the
    # first, set-up is done anew before stepping once more.

    def choose(self) -> int:
        """The id of the arm to pull."""

    def learn(self, arm: int, reward: float) -> None:
        """The reward of the arm that was chosen last."""

    def remove(self, ids: np.ndarray) -> None:
        """Takes arms out in the way the library recommends."""

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        """Puts arms in in the way the library recommends."""


class MustRebuild(Exception):
    """The library has no such call: one sets up everything anew."""


class Impossible(Exception):
    """Not even by setting up anew without losing what was learned."""
