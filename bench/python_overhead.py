"""What a step costs from Python beyond what it costs in C++.

The same world, the same decisions: choose and learn are timed one by one in a
Python loop, and inside the library by manyarms.sim.simulate. Both take turns;
medians of the rounds are compared, early steps apart from the rest, because the
first choices scan and take milliseconds.

Run by `make bench-python`.
"""

from __future__ import annotations

import argparse
import statistics
import time

from manyarms import Bandit, sim


def python_run(arms: int, dim: int, steps: int) -> tuple[float, list[float], int]:
    """Seconds of a step, single times of choose, and a sum of the arms chosen."""
    world = sim.Synthetic(arms, dim, add=0, seed=1)
    bandit = Bandit(dim, seed=1)
    ids = range(arms)
    bandit.add_arms(ids, world.features(ids))
    clock = time.perf_counter
    chooses, total, chosen = [], 0.0, 0
    for _ in range(steps):
        world.advance()
        start = clock()
        decision = bandit.choose()
        middle = clock()
        reward = world.reward(decision.arm)
        before_learning = clock()
        bandit.learn(decision, reward)
        end = clock()
        chooses.append(middle - start)
        total += middle - start + end - before_learning
        chosen += decision.arm
    return total / steps, chooses, chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = []
    for _ in range(options.rounds):
        step, chooses, _ = python_run(options.arms, options.dim, options.steps)
        (row,) = sim.simulate(arms=options.arms, dim=options.dim, steps=options.steps,
                              add=0, seed=1)
        cpp_step = row["run_seconds"] / options.steps
        rows.append((1e6 * step, 1e6 * cpp_step,
                     1e6 * statistics.median(chooses), row["latency_us.p50"]))
        print("choose and learn {:.2f} us from Python, {:.2f} in C++; median choose "
              "{:.2f} and {:.2f} us".format(*rows[-1]), flush=True)
    medians = [statistics.median(column) for column in zip(*rows)]
    print(f"{options.arms:,} arms, {options.dim} features, {options.steps:,} steps, "
          f"medians of {options.rounds} rounds: a step {medians[0]:.2f} us from Python, "
          f"{medians[1]:.2f} in C++, {medians[0] - medians[1]:.2f} more; a median choice "
          f"{medians[2]:.2f} and {medians[3]:.2f} us")


if __name__ == "__main__":
    main()
