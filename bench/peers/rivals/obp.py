"""Open Bandit Pipeline: one ridge regression per arm; the number of arms is fixed."""

from __future__ import annotations

import numpy as np

from ..problem import constant_context
from ..rival import Facts, Impossible

FACTS = Facts(
    name="Open Bandit Pipeline LinTS",
    package="obp",
    model="Thompson sampling, one ridge per arm",
    note="It has no features of arms: every arm gets its own model of a constant "
    "context of one number. Exploration and regularisation are 1 and cannot be set. "
    "Version 0.4.1, because 0.5 asks for a Python older than 3.11.",
    exact=True,
    shared_model=False,
    arms_come_and_go="no: the number of arms is fixed",
    deletes_for_real="no",
    delayed_rewards="later, by arm and context",
    save_load="pickle",
    k_best="yes",
    eligibility="no",
    user_context="yes",
    learners="a policy for each, with arms of its own",
    probabilities="of policies without context; estimators for logs",
    click_models="yes: LogisticTS and others",
    forgetting="no",
    from_pypi="wheels",
    built="a model for each arm",
    bytes_per_arm=3_000,
)


class OpenBanditPipeline:
    """batch_size 1 applies each update at once, before the next choice."""

    def __init__(self, dim: int, seed: int) -> None:
        from obp.policy import LinTS

        self.make = LinTS
        self.context = constant_context()
        self.seed = seed

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.policy = self.make(
            dim=self.context.shape[1],
            n_actions=len(ids),
            len_list=1,
            batch_size=1,
            random_state=self.seed,
        )

    def choose(self) -> int:
        return int(self.policy.select_action(self.context)[0])

    def learn(self, arm: int, reward: float) -> None:
        self.policy.update_params(arm, reward, self.context)

    def remove(self, ids: np.ndarray) -> None:
        raise Impossible("the number of arms is fixed when the policy is made")

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        raise Impossible("the number of arms is fixed when the policy is made")
