"""News: articles come and go, and clicks come late or never.

Nobody reports that a reader did not click. So a decision waits for its click, and
after a while its reward is zero. An article that was never on the screen says
nothing about the reader, so its decision is dismissed.
"""

import heapq

import numpy as np

import manyarms

DIM = 8
STEPS = 6000
PATIENCE = 80  # steps to wait for a click
SLOWEST = 60  # steps that a click may take


def click_rate(articles: np.ndarray, taste: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(3 - articles @ taste))


def main() -> None:
    rng = np.random.default_rng(3)
    taste = rng.normal(size=DIM) / 3
    features: dict[str, np.ndarray] = {}
    published = 0

    bandit = manyarms.Bandit(DIM + 1, exploration=0.3, seed=5)

    def publish(count: int) -> None:
        nonlocal published
        names = [f"article-{published + n}" for n in range(count)]
        published += count
        rows = rng.normal(size=(count, DIM))
        # The weight of a constant feature becomes the click rate that articles share.
        bandit.add_arms(names, np.hstack([rows, np.ones((count, 1))]))
        features.update(zip(names, rows))

    publish(300)
    clicks_to_come: list[tuple[int, int]] = []  # step of arrival, decision
    waiting: dict[int, int] = {}  # by decision, the step in which it was shown
    clicks = late = expired = dismissed = 0
    shown_rates, random_rates = [], []

    for step in range(1, STEPS + 1):
        if step % 20 == 0:  # five new articles replace the oldest five
            oldest = list(features)[:5]
            bandit.remove_arms(oldest)
            for name in oldest:
                del features[name]
            publish(5)

        decision = bandit.choose()
        rate = click_rate(features[decision.arm], taste)
        shown_rates.append(rate)
        random_rates.append(click_rate(np.array(list(features.values())), taste).mean())
        if rng.random() < 0.1:  # the reader left before it was on the screen
            bandit.dismiss(decision)
            dismissed += 1
        else:
            waiting[decision.id] = step
            if rng.random() < rate:
                arrival = step + int(rng.integers(1, SLOWEST))
                heapq.heappush(clicks_to_come, (arrival, decision.id))

        while clicks_to_come and clicks_to_come[0][0] <= step:
            _, clicked = heapq.heappop(clicks_to_come)
            bandit.learn(clicked, 1.0)  # even if the article is gone by now
            late += step - waiting.pop(clicked)
            clicks += 1
        for old in [d for d, since in waiting.items() if since <= step - PATIENCE]:
            bandit.learn(old, 0.0)
            del waiting[old]
            expired += 1

        if step % 1500 == 0:
            ours, chance = np.mean(shown_rates[-1500:]), np.mean(random_rates[-1500:])
            print(
                f"steps {step - 1499} to {step}: {100 * ours:.0f} % would click, "
                f"of random articles {100 * chance:.0f} %"
            )

    print(f"{clicks} clicks came, {late / clicks:.0f} steps late on average")
    print(f"{expired} decisions got no click and counted as zero, {dismissed} were dismissed")
    print(f"{published} articles in all, {len(bandit)} now; {bandit.pending} decisions pending")


if __name__ == "__main__":
    main()
