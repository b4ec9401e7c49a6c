"""A shop that asks a service, from several processes, for many visitors.

    manyarms serve --data shop.db &
    python examples/python/served_shop.py

Each process of a shop has a client of its own. Visitors come back and meet another
process; their models are in the service. Purchases come later than visits, in batches,
and only purchases are sent: of visits without one, the service learns a reward of 0
when the wait is over. One visit in ten gets an offer by chance, to compare with.
"""

import concurrent.futures
import sys
import time

import numpy as np

import manyarms

DIM = 8
OFFERS = 5_000
VISITORS = 60
PROCESSES = 3
ROUNDS = 30  # of each process
TOGETHER = 40  # visits in a request
WAIT = 3.0  # seconds that a visit waits for a purchase


def world() -> tuple[np.ndarray, np.ndarray]:
    """Features of offers, and what visitors like."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(OFFERS, DIM)).astype(np.float32) / np.sqrt(DIM)
    return np.column_stack([features, np.ones(OFFERS, np.float32)]), rng.normal(size=(VISITORS, DIM))


def serve_visits(url: str, number: int) -> tuple[int, int]:
    """What one process of the shop does. Returns visits and purchases."""
    features, tastes = world()
    rng = np.random.default_rng(number)
    purchases = 0
    with manyarms.Client(url) as client:
        shop = client.bandit("offers")
        for _ in range(ROUNDS):
            visitors = rng.integers(VISITORS, size=TOGETHER)
            decisions = shop.choose_for([f"visitor {v}" for v in visitors], tags="in-stock")
            liking = [tastes[v] @ features[int(d.arm), :DIM] for v, d in zip(visitors, decisions)]
            bought = rng.random(TOGETHER) < 1 / (1 + np.exp(2.0 - 1.5 * np.array(liking)))
            sold = [d for d, yes in zip(decisions, bought) if yes]
            shop.learn_many(sold, [1.0] * len(sold))
            purchases += len(sold)
            time.sleep(0.02)
    return ROUNDS * TOGETHER, purchases


def main() -> None:
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:7420"
    features, _ = world()
    with manyarms.Client(url) as client:
        if "offers" in client:
            client.delete("offers")  # of an earlier run
        shop = client.create(
            "offers", DIM + 1, exploration=1.0, rewards="clicks", explore_uniform=0.1,
            arms="numbers", reward_wait=WAIT, default_reward=0.0,
        )
        stock = [["in-stock"] if i % 10 else ["sold-out"] for i in range(OFFERS)]
        print(shop.put_arms(range(OFFERS), features, tags=stock))

        with concurrent.futures.ProcessPoolExecutor(PROCESSES) as processes:
            done = list(processes.map(serve_visits, [url] * PROCESSES, range(PROCESSES)))
        visits, purchases = np.sum(done, axis=0)
        print(f"{visits} visits, {purchases} purchases")

        while (stats := shop.stats)["open_decisions"] > 0:
            time.sleep(0.1)  # the last visits wait for their purchases
        print(f"{stats['rewards']} rewards learned, {stats['default_rewards']} of them by default")
        for name in ("policy", "uniform"):
            mean, low, high = (100 * stats[name][key] for key in ("mean", "low", "high"))
            print(f"{name}: {mean:.1f} % buy, 95 % interval {low:.1f} to {high:.1f}")
        print(f"visitor 7: {shop.describe('visitor 7')}, best offer {shop.best('visitor 7', 1)[0]}")
        shop.forget("visitor 7")  # a visitor's right to be forgotten
        print(f"{shop.stats['learners']} visitors are known")


if __name__ == "__main__":
    main()
