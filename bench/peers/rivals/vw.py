"""Vowpal Wabbit's exploration among actions with features of their own."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..rival import Facts

FACTS = Facts(
    name="Vowpal Wabbit, SquareCB",
    package="vowpalwabbit",
    model="SquareCB, shared linear model by gradient steps",
    note="cb_explore_adf --squarecb --no_predict with gamma_scale = 10 for each arm. "
    "Tried with three other seeds, 500 steps among 1,000 arms and 200 among 10,000: "
    "its default of 10 is as good as random; 1, 10 or 100 for each arm and epsilon "
    "0.05 differ less from each other than from world to world. Examples are parsed once and used again; the chosen one is parsed again "
    "with its label, since labels cannot be taken off. Learning is given all "
    "actions, as in its tutorials.",
    exact=None,
    shared_model=True,
    arms_come_and_go="all actions come with every call",
    deletes_for_real="keeps none",
    delayed_rewards="later, with all actions; joining is the caller's",
    save_load="the model",
    k_best="probabilities of all actions",
    eligibility="send only the eligible",
    threads="no",
    bytes_per_arm=33_000,
)


class VowpalWabbit:
    """Costs are rewards turned round; the arm is drawn from the probabilities."""

    def __init__(self, dim: int, seed: int) -> None:
        import vowpalwabbit

        self.library = vowpalwabbit
        self.seed = seed
        self.generator = np.random.default_rng(seed)

    def exploration(self, count: int) -> str:
        return f"--squarecb --no_predict --gamma_scale {10 * count}"

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.workspace = self.library.Workspace(
            f"--cb_explore_adf {self.exploration(len(ids))} --noconstant --quiet "
            f"--random_seed {self.seed}"
        )
        self.ids = ids.tolist()
        self.lines = [as_text(row) for row in arms]
        self.examples = self.workspace.parse(self.lines)
        self.labelled = []  # examples must outlive the workspace's use of them

    def choose(self) -> int:
        shares = np.asarray(self.workspace.predict(self.examples))
        sums = shares.cumsum()
        self.chosen = int(sums.searchsorted(self.generator.random() * sums[-1]))
        self.chosen = min(self.chosen, len(shares) - 1)
        self.probability = shares[self.chosen]
        return self.ids[self.chosen]

    def learn(self, arm: int, reward: float) -> None:
        label = f"0:{-reward:.6g}:{self.probability:.6g} "
        (example,) = self.workspace.parse([label + self.lines[self.chosen]])
        plain = self.examples[self.chosen]
        self.examples[self.chosen] = example
        self.workspace.learn(self.examples)
        self.examples[self.chosen] = plain
        self.labelled.append(example)

    def remove(self, ids: np.ndarray) -> None:
        gone = set(ids.tolist())
        rows = [row for row, arm in enumerate(self.ids) if arm not in gone]
        self.ids = [self.ids[row] for row in rows]
        self.lines = [self.lines[row] for row in rows]
        self.examples = [self.examples[row] for row in rows]

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        lines = [as_text(row) for row in arms]
        self.ids += ids.tolist()
        self.lines += lines
        self.examples += self.workspace.parse(lines)


def as_text(features: np.ndarray) -> str:
    return "|a " + " ".join(f"{i}:{v:.6g}" for i, v in enumerate(features.tolist()))


LARGE_FACTS = dataclasses.replace(
    FACTS,
    name="Vowpal Wabbit, large action space",
    model="SquareCB among 20 actions of a spanner, shared linear model",
    note="As above with --large_action_space (marked experimental): max_actions 20 "
    "and gamma_scale 10, its defaults.",
)


class LargeActionSpace(VowpalWabbit):
    def exploration(self, count: int) -> str:
        return "--large_action_space --squarecb --no_predict"
