"""Adverts that are clicked or not, by people whose tastes drift.

Three bandits see the same visitors: one that takes clicks for ordinary rewards, one
with a logistic model of them, and one that also forgets. What is good in spring is
not what is good in autumn, and only the last one follows.
"""

import numpy as np

import manyarms

DIM = 8
ADS = 3000
VIEWS = 24_000  # two seasons, of which the second has other tastes
SPREAD = 0.7  # standard deviation of the log-odds of adverts
USUAL = -3.0  # log-odds of the usual advert


def click_rates(features: np.ndarray, taste: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(USUAL + features @ taste)))


def main() -> None:
    rng = np.random.default_rng(5)
    features = rng.normal(size=(ADS, DIM))
    spring, autumn = rng.normal(size=(2, DIM))
    spring *= SPREAD / np.linalg.norm(spring)
    autumn *= SPREAD / np.linalg.norm(autumn)

    # The weight of a constant feature becomes the log-odds that adverts have in common.
    rows = np.hstack([features, np.ones((ADS, 1))])
    bandits = {
        "linear": manyarms.Bandit(DIM + 1, exploration=0.2, seed=1),
        "logistic": manyarms.Bandit(DIM + 1, rewards="clicks", exploration=1.0, seed=1),
        "forgetting": manyarms.Bandit(
            DIM + 1, rewards="clicks", exploration=1.0, half_life=1500, seed=1
        ),
    }
    for bandit in bandits.values():
        bandit.add_arms(range(ADS), rows)

    clicks = dict.fromkeys(bandits, 0)
    best = 0.0
    for view in range(1, VIEWS + 1):
        # From a third of the time on, tastes move towards those of autumn.
        season = np.clip(2.5 * (view / VIEWS - 1 / 3), 0, 1)
        if view % 100 == 1:
            rates = click_rates(features, (1 - season) * spring + season * autumn)
        best += rates.max()
        visitor = rng.random()
        for name, bandit in bandits.items():
            decision = bandit.choose()
            clicked = visitor < rates[decision.arm]
            bandit.learn(decision, float(clicked))
            clicks[name] += clicked
        if view % 4000 == 0:
            shares = ", ".join(f"{name} {100 * n / 4000:.1f} %" for name, n in clicks.items())
            print(f"views to {view}: {shares}; the best advert {100 * best / 4000:.1f} %")
            clicks = dict.fromkeys(bandits, 0)
            best = 0.0

    # Predictions are probabilities.
    arm = int(np.argmax(rates))
    predicted = bandits["forgetting"].predict(rows[arm])
    print(f"best advert: clicked by {100 * rates[arm]:.0f} %, predicted {100 * predicted:.0f} %")


if __name__ == "__main__":
    main()
