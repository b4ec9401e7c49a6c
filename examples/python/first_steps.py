"""A reader's taste is learned by showing one of a thousand articles at a time."""

import os
import tempfile

import numpy as np

import manyarms

TASTE = np.array([1, -1, 0.5, 0, 0, 2, -0.5, 1])


def main() -> None:
    rng = np.random.default_rng(1)
    articles = rng.normal(size=(1000, len(TASTE)))

    # The defaults are Thompson sampling and certified search.
    bandit = manyarms.Bandit(dim=len(TASTE), seed=7)
    bandit.add_arms(range(1000), articles)

    best = (articles @ TASTE).max()
    print(f"The best article would bring {best:.2f} on average, the average one 0.")
    rewards = []
    for step in range(1, 1001):
        decision = bandit.choose()
        reward = articles[decision.arm] @ TASTE + rng.normal()
        bandit.learn(decision, reward)
        rewards.append(reward)
        if step % 250 == 0:
            mean = np.mean(rewards[-250:])
            print(f"steps {step - 249} to {step}: mean reward {mean:.2f}")

    # An article is removed while somebody is still reading it. Its reward can be
    # learned all the same.
    late = bandit.choose()
    bandit.remove_arms([late.arm])
    bandit.learn(late, 5.0)
    print(f"{len(bandit)} articles left")

    # A saved bandit can be loaded by another program and decides as the original does.
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bandit.bin")
        bandit.save(path)
        copy = manyarms.Bandit.load(path)
    same = all(bandit.choose() == copy.choose() for _ in range(100))
    print(f"saved, loaded, and the next 100 choices are {'the same' if same else 'others'}")


if __name__ == "__main__":
    main()
