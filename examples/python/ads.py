"""Adverts of which only some may be shown to each request.

An advert is eligible if the request comes from a country that it is made for, and
if some of its budget is left. The eligible arms are passed with each choice, as
ids or as a boolean mask; arms are neither added nor removed for that.
"""

import numpy as np

import manyarms

DIM = 6
ADS = 400
COUNTRIES = ["at", "de", "es", "fr", "it"]
SLATE = 3
REQUESTS = 4000


def main() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(ADS, DIM)) / np.sqrt(DIM)
    rates = np.clip(0.15 + 0.15 * features @ rng.normal(size=DIM), 0.01, 0.9)
    targets = rng.random((ADS, len(COUNTRIES))) < 0.3  # where each may be shown
    budgets = rng.integers(5, 60, size=ADS)  # clicks that each has paid for

    bandit = manyarms.Bandit(DIM + 1, exploration=0.2, seed=4)
    ids = 1000 + np.arange(ADS)  # your own ids
    # The weight of a constant feature becomes the click rate that adverts have in common.
    bandit.add_arms(ids, np.hstack([features, np.ones((ADS, 1))]))

    # If few adverts are eligible, pass their ids.
    spanish = ids[targets[:, COUNTRIES.index("es")]][:5]
    decision = bandit.choose(eligible=spanish)
    print(f"one of {spanish.tolist()}: {decision.arm}")
    bandit.dismiss(decision)  # nobody saw it, so no reward will come

    # If many are eligible, pass a mask: one value for each arm, in the order of bandit.ids.
    place = bandit.ids - 1000
    clicks = shown = chance = wrong = 0
    for request in range(1, REQUESTS + 1):
        country = int(rng.integers(len(COUNTRIES)))
        mask = (targets[:, country] & (budgets > 0))[place]
        if not mask.any():
            continue
        slate = bandit.choose_many(SLATE, eligible=mask)  # the top 3, no advert twice
        chance += rates[place[mask]].mean() * len(slate)
        rewards = []
        for decision in slate:
            ad = decision.arm - 1000
            wrong += not targets[ad, country] or budgets[ad] <= 0
            clicked = rng.random() < rates[ad]
            budgets[ad] -= clicked
            rewards.append(float(clicked))
        bandit.learn_many(slate, rewards)
        clicks += sum(rewards)
        shown += len(slate)
        if request % 1000 == 0:
            print(
                f"requests to {request}: {100 * clicks / shown:.1f} % clicked, "
                f"by chance {100 * chance / shown:.1f} %; "
                f"{(budgets == 0).sum()} budgets spent"
            )
            clicks = shown = chance = 0

    print(f"{wrong} adverts shown outside their target or beyond their budget")
    print(f"lowest budget left: {budgets.min()}")


if __name__ == "__main__":
    main()
