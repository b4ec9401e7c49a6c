"""How long a shared prior takes to be learned, by the number of coefficients."""

import time

import numpy as np

import manyarms

LEARNERS = 1000
REWARDS = 10


def seconds(dim: int, context_dim: int) -> float:
    rng = np.random.default_rng(1)
    population = manyarms.Population(
        dim, context_dim=context_dim, prior=manyarms.SharedPrior(refit_growth=0)
    )
    common = rng.standard_normal(dim)
    for learner in range(LEARNERS):
        taste = common + 0.5 * rng.standard_normal(dim)
        for _ in range(REWARDS):
            x = rng.standard_normal(dim)
            context = rng.standard_normal(context_dim) if context_dim else None
            reward = float(x @ taste + rng.standard_normal())
            population.observe_features(learner, x, reward, context=context)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        population.learn_prior()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


if __name__ == "__main__":
    for dim, context_dim in ((16, 0), (32, 0), (64, 0), (16, 8), (256, 0)):
        coefficients = (dim + 1) * (context_dim + 1) if context_dim else dim
        print(f"{coefficients:4} coefficients: {seconds(dim, context_dim):.3f} s", flush=True)
