"""Over many worlds: does exact search by ours bring what NumPy's brings?

One world says little of rewards, because both draw random numbers of their own.
Prints a row of JSON with mean and standard error of the difference.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

from .measure import step_through
from .problem import make_problem
from .rivals import RIVALS

PAIR = ("manyarms", "numpy")


def total(rival: str, arms: int, dim: int, steps: int, seed: int) -> tuple[float, float]:
    """Sums of rewards and of regrets in the world of this seed."""
    problem = make_problem(arms, dim, steps, seed)
    player = RIVALS[rival][1](dim, seed)
    player.set_up(problem.ids, problem.arms)
    trace = step_through(player, problem, float("inf"))
    regret = float((problem.best - problem.means[trace.arms].astype(float)).sum())
    return float(np.sum(trace.rewards)), regret


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    shape = (arguments.arms, arguments.dim, arguments.steps)
    totals = np.array(
        [[total(rival, *shape, seed) for rival in PAIR]
         for seed in range(1, arguments.seeds + 1)]
    )
    ours, theirs = totals[:, 0], totals[:, 1]
    differences = ours - theirs
    error = differences.std(axis=0, ddof=1) / np.sqrt(arguments.seeds)
    print(json.dumps({
        "kind": "seeds", **vars(arguments), "pair": PAIR,
        "rewards": [float(ours[:, 0].mean()), float(theirs[:, 0].mean())],
        "regrets": [float(ours[:, 1].mean()), float(theirs[:, 1].mean())],
        "difference": float(differences[:, 0].mean()),
        "standard_error": float(error[0]),
    }))


if __name__ == "__main__":
    main()
