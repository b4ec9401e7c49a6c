"""Moving from MABWiser: the old program, another import, features, and a Bandit.

There are eighty offers with four features each, and visitors of whom three values are
known. MABWiser has a model for each offer and must try every offer often to learn
about it; manyarms has one model for all. Without features, the adapter has MABWiser's
models and makes its decisions.
"""

import time
from typing import Any

import numpy as np

import manyarms
from manyarms.adapters.mabwiser import MAB, LearningPolicy

try:
    import mabwiser.mab as mabwiser
except ImportError:
    mabwiser = None

OFFERS = [f"offer-{n}" for n in range(80)]
STEPS = 400


class Shop:
    """Visitors and what they spend; the same for each program."""

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.features = rng.normal(size=(len(OFFERS), 4)).astype(np.float32)
        self.visitors = rng.normal(size=(STEPS, 3)).astype(np.float32)
        self.means = self.visitors @ rng.normal(size=(3, 4)) @ self.features.T
        self.noise = rng.normal(size=STEPS)

    def spent(self, visit: int, offer: str) -> float:
        return float(self.means[visit, OFFERS.index(offer)] + self.noise[visit])


def with_mab(shop: Shop, mab: Any) -> list[float]:
    """The old program, which runs with MABWiser's MAB and with ours."""
    rewards = [shop.spent(0, OFFERS[0])]
    mab.fit(OFFERS[:1], rewards, shop.visitors[:1])
    for visit in range(1, STEPS):
        context = shop.visitors[visit : visit + 1]
        offer = mab.predict(context)
        rewards.append(shop.spent(visit, offer))
        mab.partial_fit([offer], [rewards[-1]], context)
    return rewards


def with_bandit(shop: Shop) -> list[float]:
    bandit = manyarms.Bandit(4, "ucb", exploration=1.0, context_dim=3)
    bandit.add_arms(OFFERS, shop.features)
    rewards = [shop.spent(0, OFFERS[0])]
    bandit.observe(OFFERS[0], rewards[0], context=shop.visitors[0])
    for visit in range(1, STEPS):
        decision = bandit.choose(context=shop.visitors[visit])
        rewards.append(shop.spent(visit, decision.arm))
        bandit.learn(decision, rewards[-1])  # the reward could come later, in any order
    return rewards


def main() -> None:
    shop = Shop()
    print(f"The best offers bring {shop.means[-100:].max(axis=1).mean():.2f} in the last 100 visits.")
    print(f"{'':36}mean reward   of the last 100   seconds")
    policy = LearningPolicy.LinUCB(alpha=1.0)
    for name, run in [
        ("before: MABWiser, LinUCB",
         lambda: with_mab(shop, mabwiser.MAB(OFFERS, mabwiser.LearningPolicy.LinUCB(alpha=1.0)))),
        ("same: the adapter, LinUCB", lambda: with_mab(shop, MAB(OFFERS, policy))),
        ("after: the adapter with features", lambda: with_mab(shop, MAB(OFFERS, policy, shop.features))),
        ("after all: manyarms.Bandit, ucb", lambda: with_bandit(shop)),
    ]:
        if name.startswith("before") and mabwiser is None:
            print(f"{name:36}not run: pip install mabwiser")
            continue
        start = time.perf_counter()
        rewards = run()
        seconds = time.perf_counter() - start
        mean, last = np.mean(rewards), np.mean(rewards[-100:])
        print(f"{name:36}{mean:11.2f}{last:18.2f}{seconds:10.3f}")


if __name__ == "__main__":
    main()
