"""Vowpal Wabbit: products of a context and the features of actions by -q."""

from __future__ import annotations

import numpy as np

from ..context_problem import Task
from ..rival import Facts
from ..rivals.vw import as_text

FACTS = Facts(
    name="Vowpal Wabbit, explore first",
    package="vowpalwabbit",
    model="300 steps at random, then the best; c'Mx by gradient steps",
    note="--cb_explore_adf --first 300 -q ca: the context is the shared example, and -q adds "
    "its products with the features of each action. The exploration was chosen in a trial over "
    "four worlds of other seeds (101 to 104) with 1,000 arms and 2,000 steps: mean regret was "
    "8,900 with --first 300, 11,700 with 100, 9,900 with 500, 14,400 with --epsilon 0.05, "
    "12,300 with --epsilon 0.2, and 17,400 with --squarecb and a gamma_scale of 1,000; ours "
    "was 2,600. Examples of actions are parsed once and used again.",
    exact=None,
    shared_model=True,
    built="examples, parsed from text",
    bytes_per_arm=33_000,
)


class VowpalWabbit:
    """A cost is minus the reward. The arm is drawn from the returned probabilities."""

    exploration = "--first 300"

    def __init__(self, task: Task) -> None:
        import vowpalwabbit

        self.library = vowpalwabbit
        self.seed = task.seed
        self.generator = np.random.default_rng(task.seed)

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.workspace = self.library.Workspace(
            f"--cb_explore_adf {self.exploration} -q ca --quiet "
            f"--random_seed {self.seed}"
        )
        self.ids = ids.tolist()
        self.lines = [as_text(row) for row in arms]
        self.examples = self.workspace.parse(self.lines)
        self.used = []  # examples must outlive the workspace's use of them

    def choose(self, context: np.ndarray) -> int:
        line = "shared " + as_text(context, "c")
        (self.shared,) = self.workspace.parse([line])
        self.used.append(self.shared)
        shares = np.asarray(self.workspace.predict([self.shared, *self.examples]))
        sums = shares.cumsum()
        self.chosen = int(sums.searchsorted(self.generator.random() * sums[-1]))
        self.chosen = min(self.chosen, len(shares) - 1)
        self.probability = shares[self.chosen]
        return self.ids[self.chosen]

    def learn(self, arm: int, reward: float) -> None:
        label = f"0:{-reward:.6g}:{self.probability:.6g} "
        (example,) = self.workspace.parse([label + self.lines[self.chosen]])
        self.used.append(example)
        examples = [self.shared, *self.examples]
        examples[1 + self.chosen] = example
        self.workspace.learn(examples)
