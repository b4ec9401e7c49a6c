"""Regret of new users with independent, pooled and shared learning: study.py FOLDER.

FOLDER holds ratings.dat of MovieLens-1M (scripts/get-movielens). Each split draws
anew who has made the features of the movies, who played earlier and who is new.
Rows go to docs/learners.jsonl when all splits are done; scripts/learners-page makes
docs/learners.md from them.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import sys
import time

import movies
import numpy as np

import manyarms

ROOT = pathlib.Path(__file__).resolve().parents[2]
EARLIER, EARLIER_CHOICES = 300, 100
NEW, NEW_CHOICES = 100, 1000
REGULARISATIONS = (1.0, 3.0, 10.0, 30.0, 100.0)  # 1 is the default


@dataclasses.dataclass(frozen=True)
class Way:
    """How users are learned."""

    name: str
    regularisation: float = 1.0
    pooled: bool = False  # one learner for all users
    prior: str = "independent"
    exploration: float = 1.0  # times the noise's standard deviation
    plays_earlier: bool = False  # independent learners gain nothing from others


WAYS = (
    *(Way("independent", regularisation) for regularisation in REGULARISATIONS),
    Way("pooled", pooled=True, plays_earlier=True),
    Way("shared", prior="shared", plays_earlier=True),
    Way("given", prior="given"),
    # What less exploration changes, for all alike.
    *(Way(name, pooled=name == "pooled", prior="shared" if name == "shared" else "independent",
          exploration=factor, plays_earlier=name != "independent")
      for factor in (0.5, 0.25) for name in ("independent", "pooled", "shared")),
)


def given_prior(world: movies.World) -> manyarms.Prior:
    """The mean and covariance of the tastes of earlier users, which nobody knows who
    has only seen their rewards."""
    tastes = np.array([one.taste for one in world.earlier])
    covariance = np.cov(tastes.T) / world.noise**2
    return manyarms.Prior(tastes.mean(axis=0), np.linalg.inv(covariance))


class Play:
    """Users choose in turns; all ways see the same noise."""

    def __init__(self, world: movies.World, way: Way, seed: int) -> None:
        self.world, self.way, self.seed = world, way, seed
        prior = given_prior(world) if way.prior == "given" else way.prior
        self.population = manyarms.Population(
            movies.DIM, "ts", exploration=way.exploration * world.noise,
            regularisation=way.regularisation, prior=prior, seed=seed)
        self.population.add_arms(range(len(world.features)), world.features)
        self.learning_seconds = 0.0
        self.longest_learning = 0.0

    def run(self, players: list[movies.Player], choices: int, first_key: int) -> np.ndarray:
        """The regret of each choice: a row for each player."""
        keys = np.arange(first_key, first_key + len(players), dtype=np.uint64)
        if self.way.pooled:
            keys[:] = 0
        tastes = np.array([one.taste for one in players])
        expected = tastes @ self.world.features.T.astype(float)
        best = expected.max(axis=1)
        rng = np.random.default_rng([self.seed, first_key])
        noise = np.array([rng.choice(one.residuals, choices) for one in players])
        regret = np.empty((len(players), choices))
        rows = np.arange(len(players))
        for step in range(choices):
            decisions = self.population.choose_for(keys)
            values = expected[rows, [int(one.arm) for one in decisions]]
            regret[:, step] = best - values
            start = time.perf_counter()
            self.population.learn_for(keys, decisions, values + noise[:, step])
            took = time.perf_counter() - start
            self.learning_seconds += took
            self.longest_learning = max(self.longest_learning, took)
        return regret


def curve_steps() -> list[int]:
    steps = np.unique(np.rint(np.geomspace(1, NEW_CHOICES, 40)).astype(int))
    return sorted({*steps.tolist(), 20, 100, 1000})


def measure(world: movies.World, way: Way, split: int) -> dict[str, object]:
    play = Play(world, way, split)
    start = time.perf_counter()
    if way.plays_earlier:
        play.run(world.earlier, EARLIER_CHOICES, 1)
    refits_before = play.population.stats["prior_refits"]
    regret = play.run(world.new, NEW_CHOICES, 1 + EARLIER)
    seconds = time.perf_counter() - start
    total = np.cumsum(regret.mean(axis=0))
    steps = curve_steps()
    return {
        "way": way.name, "regularisation": way.regularisation,
        "exploration": way.exploration, "split": split,
        "earlier": EARLIER, "earlier_choices": EARLIER_CHOICES, "new": NEW,
        "movies": len(world.features), "dim": movies.DIM, "noise": world.noise,
        "taste_ridge": world.taste_ridge, "explained": world.explained,
        "steps": steps, "regret": [round(float(total[step - 1]), 4) for step in steps],
        "refits_before": refits_before,
        "refits": play.population.stats["prior_refits"],
        "learning_seconds": round(play.learning_seconds, 3),
        "longest_learning": round(play.longest_learning, 5),
        "seconds": round(seconds, 2), "version": manyarms.__version__,
        "cores": os.cpu_count(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="with ratings.dat of MovieLens-1M")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--rows", type=pathlib.Path, default=ROOT / "docs" / "learners.jsonl")
    arguments = parser.parse_args()
    if not any((arguments.folder / name).exists() for name in ("ratings.dat", "ratings.dat.gz")):
        parser.error(f"there is no ratings.dat in {arguments.folder}; "
                     "scripts/get-movielens fetches it")
    ratings = movies.read(arguments.folder)
    rows = []
    for split in range(1, arguments.splits + 1):
        start = time.perf_counter()
        world = movies.make_world(ratings, EARLIER, NEW, split)
        print(f"split {split} of {arguments.splits}: {len(world.features)} movies, made in "
              f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
        for way in WAYS:
            rows.append(measure(world, way, split))
            at = dict(zip(rows[-1]["steps"], rows[-1]["regret"]))
            print(f"  {way.name}, regularisation {way.regularisation:g}, exploration "
                  f"{way.exploration:g}: regret {at[20]:.2f} after 20 choices, "
                  f"{at[100]:.2f} after 100, {at[1000]:.2f} after 1,000; "
                  f"{rows[-1]['seconds']} s", file=sys.stderr)
    arguments.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
