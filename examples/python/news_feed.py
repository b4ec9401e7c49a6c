"""News: what readers click depends on the hour, their device and their favourite section.

Articles come and go, and clicks come late or never. Nobody reports that a reader did
not click. So a decision waits for its click with its context, and after a while its
reward is zero. An article that was never on the screen says nothing about the reader,
so its decision is dismissed.
"""

import heapq

import numpy as np

import manyarms

DIM = 8  # features of an article
SECTIONS = 3
CONTEXT_DIM = 3 + SECTIONS
STEPS = 6000
PATIENCE = 80  # steps to wait for a click
SLOWEST = 60  # steps that a click may take


def reader(rng: np.random.Generator) -> np.ndarray:
    """The context of a choice. As a cosine and a sine, 23 o'clock is close to 0."""
    hour = 2 * np.pi * rng.integers(24) / 24
    phone, section = rng.integers(2), np.eye(SECTIONS)[rng.integers(SECTIONS)]
    return np.array([np.cos(hour), np.sin(hour), phone, *section])


class Feed:
    """A bandit, the rewards that are still to come, and how it did."""

    def __init__(self, uses_context: bool) -> None:
        self.bandit = manyarms.Bandit(DIM, context_dim=CONTEXT_DIM, exploration=0.3, seed=5)
        self.uses_context = uses_context
        self.waiting: dict[int, int] = {}  # by decision, the step in which it was shown
        self.to_come: list[tuple[int, int]] = []  # step of arrival, decision
        self.rates: list[float] = []  # the click rates of what was shown
        self.clicks = self.late = self.expired = self.dismissed = 0

    def show(self, step: int, context: np.ndarray, rate_of: dict, rng: np.random.Generator) -> None:
        # In a context of zeros only the constants are left: all readers are alike.
        decision = self.bandit.choose(context=context if self.uses_context else 0 * context)
        self.rates.append(rate_of[decision.arm])
        if rng.random() < 0.1:  # the reader left before it was on the screen
            self.bandit.dismiss(decision)
            self.dismissed += 1
            return
        self.waiting[decision.id] = step
        if rng.random() < rate_of[decision.arm]:
            heapq.heappush(self.to_come, (step + int(rng.integers(1, SLOWEST)), decision.id))

    def learn(self, step: int) -> None:
        while self.to_come and self.to_come[0][0] <= step:
            _, clicked = heapq.heappop(self.to_come)
            self.bandit.learn(clicked, 1.0)  # even if the article is gone by now
            self.late += step - self.waiting.pop(clicked)
            self.clicks += 1
        for old in [d for d, since in self.waiting.items() if since <= step - PATIENCE]:
            self.bandit.learn(old, 0.0)
            del self.waiting[old]
            self.expired += 1


def main() -> None:
    rng = np.random.default_rng(3)
    taste = rng.normal(size=(CONTEXT_DIM + 1, DIM)) / 3
    articles: dict[str, np.ndarray] = {}
    random_rates, published = [], 0
    told, blind = feeds = Feed(True), Feed(False)

    for step in range(1, STEPS + 1):
        if step == 1 or step % 20 == 0:  # five new articles replace the oldest five
            names = [f"article-{published + n}" for n in range(300 if step == 1 else 5)]
            rows, oldest = rng.normal(size=(len(names), DIM)), list(articles)[:5]
            published += len(names)
            articles = dict([*articles.items()][5:]) | dict(zip(names, rows))
            for feed in feeds:
                feed.bandit.remove_arms(oldest)
                feed.bandit.add_arms(names, rows)
        context = reader(rng)
        liking = np.array(list(articles.values())) @ (np.append(context, 1) @ taste)
        rates = 1 / (1 + np.exp(3 - liking))
        random_rates.append(rates.mean())
        for feed in feeds:
            feed.show(step, context, dict(zip(articles, rates)), rng)
            feed.learn(step)
        if step % 1500 == 0:
            a, b, c = (100 * np.mean(r[-1500:]) for r in (told.rates, blind.rates, random_rates))
            print(f"steps {step - 1499} to {step}: {a:.0f} % would click, without contexts "
                  f"{b:.0f} %, of random articles {c:.0f} %")
    print(f"{told.clicks} clicks came, {told.late / told.clicks:.0f} steps late on average\n"
          f"{told.expired} decisions got no click and counted as zero, "
          f"{told.dismissed} were dismissed\n{published} articles in all, "
          f"{len(told.bandit)} now; {told.bandit.pending} decisions pending")


if __name__ == "__main__":
    main()
