"""Measures how much longer a step takes from Python than in C++, and the time of
slates and of choices among eligible arms.

Both play the same world and make the same decisions. A Python loop times each
choose and learn; manyarms.sim.simulate times them inside the library. They take
turns, and medians over the rounds are compared. Means include the first choices,
which scan; their number depends on when the second thread has made an order.

`make bench-python` runs this.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from manyarms import Bandit, sim

MASK = (1 << 64) - 1


def digest(arms: list[int]) -> str:
    """FNV-1a, as in the library's rows."""
    value = 0xCBF29CE484222325
    for arm in arms:
        for shift in range(0, 64, 8):
            value = ((value ^ (arm >> shift & 0xFF)) * 0x100000001B3) & MASK
    return f"{value:016x}"


def play(arms: int, dim: int, steps: int) -> tuple[Bandit, list[float], list[float], str]:
    """Returns the bandit, the times of choose and learn, and the decisions' digest."""
    world = sim.Synthetic(arms, dim, add=0, seed=1)
    bandit = Bandit(dim, seed=1)
    ids = range(arms)
    bandit.add_arms(ids, world.features(ids))
    clock = time.perf_counter
    chooses, learns, chosen = [], [], []
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
        learns.append(end - before_learning)
        chosen.append(decision.arm)
    return bandit, chooses, learns, digest(chosen)


def median_us(work: Callable[[], object], rounds: int = 200) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e6 * statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arms", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=16)
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = []
    for _ in range(options.rounds):
        bandit, chooses, learns, decisions = play(options.arms, options.dim, options.steps)
        (row,) = sim.simulate(arms=options.arms, dim=options.dim, steps=options.steps,
                              add=0, seed=1)
        if decisions != row["decision_digest"]:
            raise SystemExit("the decisions differ, so the times cannot be compared")
        rows.append((1e6 * (sum(chooses) + sum(learns)) / options.steps,
                     1e6 * row["run_seconds"] / options.steps,
                     1e6 * statistics.median(chooses), row["latency_us.p50"],
                     1e6 * statistics.median(learns)))
        print("mean step {:.2f} us from Python, {:.2f} in C++; median choose {:.2f} and "
              "{:.2f} us, median learn {:.2f} us from Python".format(*rows[-1]), flush=True)
    step, cpp_step, choose, cpp_choose, learn = (
        statistics.median(column) for column in zip(*rows))
    print(f"{options.arms:,} arms, {options.dim} features, {options.steps:,} steps, "
          f"medians of {options.rounds} rounds, same decisions: mean step {step:.2f} us "
          f"from Python, {cpp_step:.2f} in C++; median choose {choose:.2f} and "
          f"{cpp_choose:.2f} us, median learn {learn:.2f} us from Python")

    rng = np.random.default_rng(1)
    mask = rng.random(options.arms) < 1 / 3
    few = rng.choice(options.arms, 100, replace=False)
    many = rng.choice(options.arms, options.arms // 100, replace=False)
    every = range(options.arms)
    print(f"after that, medians: one of a range of all arms "
          f"{median_us(lambda: bandit.choose(eligible=every)):.1f} us; 100 best of all arms "
          f"{median_us(lambda: bandit.choose_many(100)):.1f} us; one of 100 ids "
          f"{median_us(lambda: bandit.choose(eligible=few)):.1f} us; one of a hundredth of "
          f"the arms by ids {median_us(lambda: bandit.choose(eligible=many)):.0f} us; one of "
          f"a third by a mask {median_us(lambda: bandit.choose(eligible=mask)):.0f} us")


if __name__ == "__main__":
    main()
