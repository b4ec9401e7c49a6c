"""Tastes in movies are learned by recommending: movielens.py FOLDER.

The ratings of some users are made into features of the movies. Other users are
learners of a population: they get one recommendation at a time, out of the movies
they have rated, and answer with stars. The last begin with what others have taught.
"""

import argparse
import gzip
import os
import pathlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would wait for each other
import numpy as np

import manyarms

DIM = 16
MOVIES = 1000  # the most rated ones
TRAINING = 1500  # users at most, but no more than half of all
USERS, EARLIER_CHOICES = 300, 20  # a third of these is new
WINDOWS = [(1, 5), (6, 10), (11, 25), (26, 50)]
HELP = """movielens.py FOLDER

FOLDER holds ratings.dat of MovieLens-1M, which may not be passed on. To fetch it:
    scripts/get-movielens ml-1m
    python examples/python/movielens.py ml-1m"""


def read(folder: pathlib.Path) -> np.ndarray:
    """Rows of user, movie, stars."""
    packed, plain = folder / "ratings.dat.gz", folder / "ratings.dat"
    data = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    fields = len(data.partition(b"\n")[0].split(b"::"))  # the fourth may be a time
    numbers = np.array(data.replace(b"::", b" ").split(), dtype=np.int64)
    return numbers.reshape(-1, fields)[:, :3]


def matrix(ratings: np.ndarray) -> np.ndarray:
    """Stars by user and movie, for the movies with most ratings; 0 if not rated."""
    _, user, sizes = np.unique(ratings[:, 0], return_inverse=True, return_counts=True)
    _, movie, counts = np.unique(ratings[:, 1], return_inverse=True, return_counts=True)
    stars = np.zeros((len(sizes), len(counts)), dtype=np.float32)
    stars[user, movie] = ratings[:, 2]
    return stars[:, np.argsort(-counts, kind="stable")[:MOVIES]]


def movie_features(stars: np.ndarray) -> np.ndarray:
    """DIM - 1 right singular vectors of stars minus 3, and a constant."""
    centred = np.where(stars > 0, stars - 3, 0)
    _, values, movies = np.linalg.svd(centred, full_matrices=False)
    scaled = (movies.T * values)[:, : DIM - 1] / values[0] * np.sqrt(stars.shape[1])
    padding = np.zeros((len(scaled), DIM - 1 - scaled.shape[1]))  # if there are fewer
    return np.hstack([scaled, padding, np.ones((len(scaled), 1))])


def recommend(population: manyarms.Population, user: int, given: np.ndarray, count: int) -> list:
    """The stars of movies that are recommended to a user, one after the other."""
    left, stars = np.flatnonzero(given), []
    while len(stars) < count and len(left):
        decision = population.choose(user, eligible=left)
        left = left[left != decision.arm]  # nobody wants the same movie again
        stars.append(float(given[int(decision.arm)]))
        population.learn(user, decision, stars[-1] - 3)
    return stars


def main() -> None:
    parser = argparse.ArgumentParser(usage=HELP)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    if not any((folder / name).exists() for name in ("ratings.dat", "ratings.dat.gz")):
        parser.error(f"there is no ratings.dat in {folder}")
    stars = matrix(read(folder))
    training = min(TRAINING, len(stars) // 2)
    features = movie_features(stars[:training])
    by_ratings = training + np.argsort(-(stars[training:] > 0).sum(axis=1), kind="stable")
    users = by_ratings[:USERS].tolist()
    new, earlier = users[::3], users[1::3] + users[2::3]
    print(f"{len(stars)} users, {training} of them to make {DIM} features of each movie; "
          f"{len(new)} new users come after {len(earlier)} others.")

    columns = []
    for prior in ("shared", "independent"):
        population = manyarms.Population(DIM, exploration=0.5, prior=prior, seed=1)
        population.add_arms(range(len(features)), features)
        for user in earlier:
            recommend(population, user, stars[user], EARLIER_CHOICES)
        columns.append([recommend(population, user, stars[user], WINDOWS[-1][1]) for user in new])
    rated = [stars[user][stars[user] > 0] for user in new]
    columns += [[np.full(len(row), row.mean()) for row in rated], [-np.sort(-row) for row in rated]]
    print("mean stars   shared prior   independent   random   best")
    for first, last in WINDOWS:
        means = [np.concatenate([row[first - 1 : last] for row in rows]).mean() for rows in columns]
        print("{:3} to {:3}{:16.2f}{:14.2f}{:9.2f}{:7.2f}".format(first, last, *means))


if __name__ == "__main__":
    main()
