"""Many users over the same articles, each with a model of their own.

A population has one set of articles and a learner for each user. Users come back
now and then, in batches, and their rewards come a little later. One bandit for all
users would learn only what they have in common.
"""

import numpy as np

import manyarms

DIM = 8
ARTICLES = 20_000
USERS = 200
BATCHES = 300
TOGETHER = 40  # users who ask at the same time


def main() -> None:
    rng = np.random.default_rng(5)
    features = rng.normal(size=(ARTICLES, DIM)).astype(np.float32)
    in_common = rng.normal(size=DIM)
    tastes = {f"user {i}": in_common + rng.normal(size=DIM) for i in range(USERS)}
    best = {user: (features @ taste).max() for user, taste in tastes.items()}

    shop = manyarms.Population(DIM, exploration=1.0, seed=1)
    one_for_all = manyarms.Bandit(DIM, exploration=1.0, seed=1)
    for one in (shop, one_for_all):
        one.add_arms(range(ARTICLES), features)

    def minutes_read(user: str, article: int) -> float:
        return float(tastes[user] @ features[article] + rng.normal())

    users = sorted(tastes)
    lost = np.zeros((BATCHES, 2))  # compared with always choosing the best article
    for batch in range(BATCHES):
        asking = [users[i] for i in rng.choice(USERS, TOGETHER, replace=False)]
        # On all cores; a user who has never asked before begins here.
        decisions = shop.choose_for(asking)
        same = one_for_all.choose_many(TOGETHER, "draws")
        for user, own, common in zip(asking, decisions, same):
            lost[batch] += best[user] - [tastes[user] @ features[int(own.arm)],
                                         tastes[user] @ features[int(common.arm)]]
        shop.learn_for(asking, decisions,
                       [minutes_read(user, int(d.arm)) for user, d in zip(asking, decisions)])
        one_for_all.learn_many(same, [minutes_read(user, int(d.arm))
                                      for user, d in zip(asking, same)])
        if batch % 100 == 99:
            own, common = lost[batch - 99 : batch + 1].mean(axis=0) / TOGETHER
            print(f"batches {batch - 98} to {batch + 1}: {own:.2f} lost a choice with a model "
                  f"for each user, {common:.2f} with one for all")

    stats = shop.stats
    print(f"{stats['learners']} learners take {stats['learner_bytes'] / 1000:.0f} kB")
    print(f"user 7: {shop.describe('user 7')}")
    shop.forget("user 7")  # a user's right to be forgotten


if __name__ == "__main__":
    main()
