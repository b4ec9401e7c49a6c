"""bayesianbandits: one Bayesian regression over products of contexts and features."""

from __future__ import annotations

import numpy as np

from ..context_problem import Task, with_constant
from ..problem import EXPLORATION, REGULARISATION
from ..rival import Facts

FACTS = Facts(
    name="bayesianbandits",
    package="bayesianbandits",
    model="Thompson sampling, c'Mx",
    note="LipschitzContextualAgent, which shares one regression among all arms. A featurizer, "
    "by its interface, makes the products of the context and the features of every arm at "
    "every choice. Both precisions are divided by the square of the exploration, which gives "
    "exactly the posterior of the others. At set-up the arms are put into its list directly, "
    "as in the part without contexts.",
    exact=True,
    shared_model=True,
    built="a list of arms",
    bytes_per_arm=4_500,
)


class BayesianBandits:
    """Features are stored in the order of the agent's arms."""

    def __init__(self, task: Task) -> None:
        import bayesianbandits

        self.library = bayesianbandits
        self.seed = task.seed

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        library = self.library
        self.features = with_constant(arms.astype(np.float64))
        tokens = ids.tolist()
        self.rows = {arm: row for row, arm in enumerate(tokens)}
        scale = EXPLORATION**-2
        learner = library.NormalRegressor(alpha=REGULARISATION * scale, beta=scale)
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
            """A choice has one context, so each arm has one row."""

            def transform(self, X: np.ndarray, *, action_tokens: list) -> np.ndarray:
                features = rival.features
                if len(action_tokens) < len(features):
                    features = features[[rival.rows[token] for token in action_tokens]]
                products = X[0, np.newaxis, :, np.newaxis] * features[:, np.newaxis, :]
                return products.reshape(len(features), -1)

        return Featurizer()

    def choose(self, context: np.ndarray) -> int:
        self.context = np.append(context.astype(np.float64), 1.0)[np.newaxis]
        (arm,) = self.agent.pull(self.context)
        return arm

    def learn(self, arm: int, reward: float) -> None:
        self.agent.update(self.context, np.array([reward]))
