"""bayesianbandits: one Bayesian regression for all arms."""

from __future__ import annotations

import numpy as np

from ..problem import EXPLORATION, REGULARISATION
from ..rival import Facts

FACTS = Facts(
    name="bayesianbandits",
    package="bayesianbandits",
    model="Thompson sampling, shared ridge",
    note="LipschitzContextualAgent with a featurizer that follows its interface. Both "
    "precisions are divided by the square of the exploration, which gives exactly the "
    "posterior of the others. At set-up the arms are put into its list directly, because its "
    "constructor compares each arm with all before it, which takes about 1 ms an arm at "
    "10,000 arms and grows with their number.",
    exact=True,
    shared_model=True,
    arms_come_and_go="yes, each in time linear in the number of arms",
    deletes_for_real="yes",
    delayed_rewards="later, by arm",
    save_load="joblib",
    k_best="yes",
    threads="no",
    user_context="yes",
    learners="an agent for each",
    probabilities="no",
    click_models="yes: BayesianGLM",
    forgetting="yes: decay",
    from_pypi="wheels",
    built="a list of arms",
    bytes_per_arm=1500,
)


class BayesianBandits:
    """Features are stored in the order of the agent's arms, so that a choice among
    all arms does not have to gather them."""

    def __init__(self, dim: int, seed: int) -> None:
        import bayesianbandits

        self.library = bayesianbandits
        self.seed = seed
        self.context = np.zeros((1, 1))

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        library = self.library
        self.features = arms.astype(np.float64)
        self.rows = {arm: row for row, arm in enumerate(ids.tolist())}
        scale = EXPLORATION**-2
        learner = library.NormalRegressor(alpha=REGULARISATION * scale, beta=scale)
        tokens = ids.tolist()
        self.agent = library.LipschitzContextualAgent(
            arms=[library.Arm(tokens[0], learner=None)],
            policy=library.ThompsonSampling(),
            arm_featurizer=self.featurizer(),
            learner=learner,
            random_seed=self.seed,
        )
        self.agent.arms.extend(library.Arm(t, learner=learner) for t in tokens[1:])

    def featurizer(self) -> object:
        rival = self

        class Featurizer(self.library.ArmFeaturizer):
            def transform(self, X: np.ndarray, *, action_tokens: list) -> np.ndarray:
                if len(action_tokens) == len(rival.rows):
                    return rival.features
                return rival.features[[rival.rows[token] for token in action_tokens]]

        return Featurizer()

    def choose(self) -> int:
        (arm,) = self.agent.pull(self.context)
        return arm

    def learn(self, arm: int, reward: float) -> None:
        self.agent.update(self.context, np.array([reward]))

    def remove(self, ids: np.ndarray) -> None:
        for arm in ids.tolist():
            self.agent.remove_arm(arm)
        gone = sorted(self.rows.pop(arm) for arm in ids.tolist())
        self.features = np.delete(self.features, gone, axis=0)
        self.rows = {arm: row for row, arm in enumerate(self.rows)}

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        for arm in ids.tolist():
            self.rows[arm] = len(self.rows)
            self.agent.add_arm(self.library.Arm(arm, learner=None))
        self.features = np.concatenate([self.features, arms])
