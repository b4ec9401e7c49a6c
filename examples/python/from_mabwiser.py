"""Moving from MABWiser: first the old program, then the adapter, then a Bandit.

There are eighty offers with four features each. MABWiser has a model for each
offer and must try every offer to learn about it; manyarms has one model for all.
"""

import time
from collections.abc import Callable

import numpy as np

import manyarms
from manyarms.adapters.mabwiser import MAB, LearningPolicy

try:
    import mabwiser.mab as mabwiser
except ImportError:
    mabwiser = None

OFFERS = [f"offer-{n}" for n in range(80)]
STEPS = 200


def before(features: np.ndarray, reward_of: Callable[[str], float]) -> list[float]:
    mab = mabwiser.MAB(OFFERS, mabwiser.LearningPolicy.LinUCB(alpha=1.0))
    mab.fit(OFFERS[:1], [reward_of(OFFERS[0])], [[1]])
    rewards = []
    for _ in range(STEPS):
        offer = mab.predict([[1]])
        rewards.append(reward_of(offer))
        mab.partial_fit([offer], [rewards[-1]], [[1]])
    return rewards


def after(features: np.ndarray, reward_of: Callable[[str], float]) -> list[float]:
    mab = MAB(OFFERS, LearningPolicy.LinUCB(alpha=1.0), features)  # features are new
    mab.fit(OFFERS[:1], [reward_of(OFFERS[0])])  # there are no contexts any more
    rewards = []
    for _ in range(STEPS):
        offer = mab.predict()
        rewards.append(reward_of(offer))
        mab.partial_fit([offer], [rewards[-1]])
    return rewards


def after_all(features: np.ndarray, reward_of: Callable[[str], float]) -> list[float]:
    bandit = manyarms.Bandit(features.shape[1], "ucb", exploration=1.0)
    bandit.add_arms(OFFERS, features)
    bandit.observe(OFFERS[0], reward_of(OFFERS[0]))
    rewards = []
    for _ in range(STEPS):
        decision = bandit.choose()
        rewards.append(reward_of(decision.arm))
        bandit.learn(decision, rewards[-1])  # the reward could come later, in any order
    return rewards


def main() -> None:
    features = np.random.default_rng(1).normal(size=(len(OFFERS), 4))
    means = dict(zip(OFFERS, features @ [1.0, -0.5, 0.3, 0.8]))
    print(f"The best offer brings {max(means.values()):.2f} on average.")
    print(f"{'':34}mean reward   of the last 50   seconds")
    for name, run in [
        ("before: MABWiser, LinUCB", before),
        ("after: the adapter, LinUCB", after),
        ("after all: manyarms.Bandit, ucb", after_all),
    ]:
        if run is before and mabwiser is None:
            print(f"{name:34}not run: pip install mabwiser")
            continue
        noise = np.random.default_rng(2)
        start = time.perf_counter()
        rewards = run(features, lambda offer: means[offer] + noise.normal())
        seconds = time.perf_counter() - start
        mean, last = np.mean(rewards), np.mean(rewards[-50:])
        print(f"{name:34}{mean:11.2f}{last:17.2f}{seconds:10.3f}")


if __name__ == "__main__":
    main()
