"""One person's taste in movies is learned by recommending: movielens.py FOLDER.

FOLDER holds ratings.dat of MovieLens-1M. The ratings of some users are made into
features of the movies. Then a user who was not among them gets one recommendation
at a time, out of the movies that they have rated, and answers with their stars.
"""

import gzip
import os
import pathlib
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would wait for each other
import numpy as np

import manyarms

DIM = 16
MOVIES = 1000  # the most rated ones
TRAINING = 1500  # users at most, but no more than half of all
HELP = """usage: movielens.py FOLDER

FOLDER must hold ratings.dat of MovieLens-1M, which GroupLens gives away for research
but which may not be passed on. From the repository's root:

    scripts/get-movielens ml-1m
    python examples/python/movielens.py ml-1m"""


def read(folder: pathlib.Path) -> np.ndarray:
    """Rows of user, movie, stars."""
    packed = folder / "ratings.dat.gz"
    plain = folder / "ratings.dat"
    data = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    text = data.decode("latin-1")
    fields = len(text.partition("\n")[0].split("::"))  # the fourth may be a time
    numbers = np.fromstring(text.replace("::", " "), dtype=np.int64, sep=" ")
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


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(HELP, file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    if not any((folder / name).exists() for name in ("ratings.dat", "ratings.dat.gz")):
        print(f"There is no ratings.dat in {folder}.\n\n{HELP}", file=sys.stderr)
        return 2

    stars = matrix(read(folder))
    training = min(TRAINING, len(stars) // 2)
    features = movie_features(stars[:training])
    # Of the other users, take one who has rated much and is hard to please.
    others = stars[training:]
    others = others[np.argsort(-(others > 0).sum(axis=1), kind="stable")[:20]]
    person = min(others, key=lambda row: row[row > 0].mean())
    rated = np.flatnonzero(person)
    given = person[rated]
    print(f"{len(stars)} users, {training} of them to make {DIM} features of each movie.")
    print(f"One of the others has given {len(given)} of them {given.mean():.2f} stars each.")

    bandit = manyarms.Bandit(DIM, "ts", exploration=0.5, seed=1)
    bandit.add_arms(rated, features[rated])
    best = -np.sort(-given)
    chosen: list[float] = []
    print("recommended    mean stars   random   best")
    for first, last in [(1, 10), (11, 25), (26, 50), (51, 100)]:
        while len(chosen) < min(last, len(given)):
            decision = bandit.choose()
            bandit.remove_arms([decision.arm])  # nobody wants the same movie again
            chosen.append(float(person[decision.arm]))
            bandit.learn(decision, chosen[-1] - 3)
        window = slice(first - 1, last)
        means = np.mean(chosen[window]), given.mean(), best[window].mean()
        print("{:3} to {:3}{:15.2f}{:9.2f}{:7.2f}".format(first, last, *means))
    return 0


if __name__ == "__main__":
    sys.exit(main())
