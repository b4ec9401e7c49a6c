"""Vowpal Wabbit's exploration among actions with features."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..rival import Facts

FACTS = Facts(
    name="Vowpal Wabbit, explore first",
    package="vowpalwabbit",
    model="100 steps at random, then the best; shared linear model by gradient steps",
    note="--cb_explore_adf --first 100, chosen in a trial over six worlds of other seeds (101 "
    "to 106) with 1,000 arms and 2,000 steps. Its mean regret there was 2,700 (standard error "
    "700, from 900 to 5,100); with --first 50 it was 6,400, with --epsilon 0.05, the default, "
    "4,200 (300), with --epsilon 0.01 and 0.2 10,700 and 6,400, and with --squarecb and a "
    "gamma_scale of 10 for each arm 13,200. With --epsilon a choice takes as long and learning "
    "takes six tenths as long. Examples are parsed once and used again; the chosen one is "
    "parsed again with its label, because labels cannot be removed. Learning gets all actions, "
    "as in its tutorials.",
    exact=None,
    shared_model=True,
    arms_come_and_go="all actions come with every call",
    deletes_for_real="keeps none",
    delayed_rewards="later, with all actions, which the caller must keep",
    save_load="the model",
    k_best="probabilities of all actions",
    eligibility="yes: send only the eligible actions",
    threads="no",
    user_context="yes",
    learners="in one model, by interactions with the user (-q)",
    probabilities="yes",
    click_models="yes: --loss_function logistic",
    forgetting="by a constant learning rate",
    from_pypi="wheels",
    built="examples, parsed from text",
    bytes_per_arm=33_000,
)


class VowpalWabbit:
    """A cost is minus the reward. The arm is drawn from the returned probabilities."""

    def __init__(self, dim: int, seed: int) -> None:
        import vowpalwabbit

        self.library = vowpalwabbit
        self.seed = seed
        self.generator = np.random.default_rng(seed)

    def exploration(self) -> str:
        return "--first 100"

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.workspace = self.library.Workspace(
            f"--cb_explore_adf {self.exploration()} --noconstant --quiet "
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


def as_text(features: np.ndarray, namespace: str = "a") -> str:
    return f"|{namespace} " + " ".join(
        f"{i}:{v:.6g}" for i, v in enumerate(features.tolist()))


LARGE_FACTS = dataclasses.replace(
    FACTS,
    name="Vowpal Wabbit, large action space",
    model="SquareCB among 20 actions of a spanner, shared linear model",
    note="As above with --large_action_space (marked experimental): max_actions 20 "
    "and gamma_scale 10, its defaults.",
)


class LargeActionSpace(VowpalWabbit):
    def exploration(self) -> str:
        return "--large_action_space --squarecb --no_predict"
