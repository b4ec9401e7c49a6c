"""river: one Bayesian regression per arm; each call lists its arms."""

from __future__ import annotations

import numpy as np

from ..problem import EXPLORATION, REGULARISATION, constant_context
from ..rival import Facts

FACTS = Facts(
    name="river LinUCBDisjoint",
    package="river",
    model="upper confidence bound, one ridge per arm",
    note="It has no features of arms: every arm gets its own model of a constant "
    "context of one number. Both precisions are divided by the square of the "
    "exploration, which makes its bound of one standard deviation as wide as that of the "
    "others; the bound also contains the noise of a reward. A model is made when its arm is "
    "first seen, so that the first choice does a part of the set-up. Its own documentation "
    "calls it too slow for practice.",
    exact=True,
    shared_model=False,
    arms_come_and_go="yes: a list of arms with every call",
    deletes_for_real="no: the model of an arm stays",
    delayed_rewards="later, by arm and context",
    save_load="pickle",
    k_best="no",
    eligibility="yes: the list of arms",
    user_context="yes",
    learners="a policy for each",
    probabilities="no",
    click_models="no",
    forgetting="yes: smoothing",
    from_pypi="wheels",
    built="nothing: models at the first choice",
    bytes_per_arm=1_200,
)


class River:
    """river's contexts are dictionaries."""

    def __init__(self, dim: int, seed: int) -> None:
        from river import bandit

        scale = EXPLORATION**-2
        self.policy = bandit.LinUCBDisjoint(
            alpha=REGULARISATION * scale, beta=scale, seed=seed
        )
        self.context = dict(enumerate(constant_context()[0].tolist()))

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.ids = ids.tolist()

    def choose(self) -> int:
        return self.policy.pull(self.ids, self.context)

    def learn(self, arm: int, reward: float) -> None:
        self.policy.update(arm, self.context, reward)

    def remove(self, ids: np.ndarray) -> None:
        gone = set(ids.tolist())
        self.ids = [arm for arm in self.ids if arm not in gone]

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.ids += ids.tolist()
