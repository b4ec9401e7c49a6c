"""The adapter as MABWiser's tests expect to find MABWiser's MAB."""

from __future__ import annotations

from typing import Any

import pytest

from manyarms.adapters import mabwiser

OTHER_MODEL = "makes a MAB with a policy that is not linear"


class MAB(mabwiser.MAB):
    """The adapter, with a view of its models where tests look for MABWiser's."""

    made = 0

    def __init__(self, arms: Any, learning_policy: Any, *more: Any, **named: Any) -> None:
        neighborhood = more[0] if more else named.pop("neighborhood_policy", None)
        # The policies' own checks come first, as in MABWiser.
        for policy in (learning_policy, neighborhood):
            if hasattr(policy, "_validate") and not _is_linear(policy):
                policy._validate()
                pytest.skip(OTHER_MODEL)
        MAB.made += 1
        super().__init__(arms, learning_policy, neighborhood, *more[1:], **named)

    @property
    def neighborhood_policy(self) -> None:
        return None

    @property
    def _imp(self) -> Any:
        return _Insides(self)


def leave_linear_policies(items: list[Any]) -> None:
    """Lets tests that try many policies try those that are linear."""
    for item in items:
        for name in ("lps", "nps", "cps"):  # without contexts, and neighborhoods
            if hasattr(item.cls, name):
                setattr(item.cls, name, [])


def _is_linear(policy: Any) -> bool:
    return type(policy).__name__ in ("LinGreedy", "LinTS", "LinUCB")


class _Insides:
    """What tests read of MABWiser's _Linear, in its names."""

    def __init__(self, mab: MAB) -> None:
        model: Any = mab._model
        self.arms = mab.arms
        self.num_features = model.context_dim or None
        self.trained_arms = [arm for arm in mab.arms if arm in mab._taught]
        self.cold_arms = mab.cold_arms
        self.n_jobs = mab.n_jobs
        self.arm_to_expectation = dict.fromkeys(mab.arms, 0)  # as in _Linear
        self.arm_to_status = {
            arm: {
                "is_trained": arm in mab._taught,
                "is_warm": arm in mab._warmed,
                "warm_started_by": mab._warmed.get(arm),
            }
            for arm in mab.arms
        }
        self.arm_to_model = {
            arm: _ArmModel(model._models, model._labels.number(arm)) if model._models else None
            for arm in mab.arms
        }


class _ArmModel:
    def __init__(self, models: Any, number: int) -> None:
        self.beta = models.mean(number)
        self.scaler = _Scaler(models, number)


class _Scaler:
    def __init__(self, models: Any, number: int) -> None:
        scaler = (models._scalers or {}).get(number)
        if scaler is not None:
            self.n_samples_seen_ = scaler.count
            self.mean_ = scaler.mean
