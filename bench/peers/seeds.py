"""Compares the rewards of two rivals over many worlds.

A single world says little about rewards, because each rival draws its own random
numbers. Prints a row of JSON with the mean difference and the half width of its
95 % interval.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json

import numpy as np
from scipy import stats

from .context_problem import Task
from .measure import step_through
from .parts import PARTS, Part

FIRST = 1001  # seeds from here on were not used to choose any setting


def total(part: Part, rival: str, arms: int, task: Task) -> tuple[float, float]:
    """Returns the total reward and regret in the world of this seed."""
    problem = part.make_problem(arms, task.dim, task.steps, task.seed)
    player = part.make_rival(part.rivals[rival][1], task)
    player.set_up(problem.ids, problem.arms)
    trace = step_through(player, problem, float("inf"))
    return float(np.sum(trace.rewards)), float(problem.gaps(trace.arms).sum())


def compare(
    part: str, pair: list[str], arms: int, dim: int, steps: int, seeds: int
) -> dict[str, object]:
    chosen = PARTS[part]
    totals = np.array(
        [[total(chosen, rival, arms, Task(dim, seed, steps)) for rival in pair]
         for seed in range(FIRST, FIRST + seeds)]
    )
    ours, theirs = totals[:, 0], totals[:, 1]
    differences = (ours - theirs)[:, 0]
    error = float(differences.std(ddof=1) / np.sqrt(seeds))
    return {
        "kind": "seeds", "arms": arms, "dim": dim, "steps": steps, "seeds": seeds,
        "first_seed": FIRST,
        "pair": pair,
        "versions": [importlib.metadata.version(chosen.rivals[rival][0].package)
                     for rival in pair],
        "rewards": [float(ours[:, 0].mean()), float(theirs[:, 0].mean())],
        "regrets": [float(ours[:, 1].mean()), float(theirs[:, 1].mean())],
        "difference": float(differences.mean()),
        "half_width": float(stats.t.ppf(0.975, seeds - 1)) * error,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=PARTS, default="arms")
    parser.add_argument("--pair", nargs=2, metavar="RIVAL",
                        default=["manyarms", "numpy"])
    parser.add_argument("--arms", type=int, default=100_000)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    print(json.dumps(compare(**vars(arguments))))


if __name__ == "__main__":
    main()
