"""A world made of MovieLens-1M: movies with features, users with tastes.

The ratings of most users (the crowd) are factorised, which gives the movies their
features. The other users, of whom the factorisation knows nothing, are players: the
taste of a player is fitted to the player's own ratings, and their spread around it is
the noise.
"""

import dataclasses
import gzip
import os
import pathlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the matrices are small
import numpy as np

DIM = 16
FACTORS = DIM - 2  # beside a constant and the movie's mean
CROWD_RATINGS = 50  # of the crowd, which a movie must have
PLAYER_RATINGS = 100  # which a user must have given to be a player
SHRINKAGE = 10  # ratings that pull the mean of a movie or a user towards 0
FACTOR_RIDGE = 0.05  # times the number of ratings
ROUNDS = 10
TASTE_RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)


def read(folder: pathlib.Path) -> np.ndarray:
    """Rows of user, movie, stars."""
    packed, plain = folder / "ratings.dat.gz", folder / "ratings.dat"
    data = plain.read_bytes() if plain.exists() else gzip.decompress(packed.read_bytes())
    text = data.decode("latin-1")
    fields = len(text.partition("\n")[0].split("::"))  # the fourth may be a time
    numbers = np.array(text.replace("::", " ").split(), dtype=np.int64)
    return numbers.reshape(-1, fields)[:, :3]


class Groups:
    """The rows that belong to each of several users, or to each of several movies."""

    def __init__(self, labels: np.ndarray, count: int) -> None:
        self.order = np.argsort(labels, kind="stable")
        self.ends = np.cumsum(np.bincount(labels, minlength=count))

    def __getitem__(self, index: int) -> np.ndarray:
        return self.order[self.ends[index - 1] if index else 0 : self.ends[index]]

    def __len__(self) -> int:
        return len(self.ends)


def means(groups: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """Of each group, as if it had SHRINKAGE zeros more."""
    return (np.bincount(groups, values, count)
            / (np.bincount(groups, minlength=count) + SHRINKAGE))


def ridge(rows: np.ndarray, values: np.ndarray, strength: float) -> np.ndarray:
    gram = rows.T @ rows
    gram[np.diag_indices_from(gram)] += strength
    return np.linalg.solve(gram, rows.T @ values)


def factorise(user: np.ndarray, movie: np.ndarray, values: np.ndarray,
              rng: np.random.Generator) -> np.ndarray:
    """Factors of the movies, by alternating least squares."""
    by_user, by_movie = Groups(user, user.max() + 1), Groups(movie, movie.max() + 1)
    movies = rng.normal(scale=0.1, size=(len(by_movie), FACTORS))
    users = np.zeros((len(by_user), FACTORS))
    for _ in range(ROUNDS):
        for groups, ours, theirs, partner in ((by_user, users, movies, movie),
                                              (by_movie, movies, users, user)):
            for i in range(len(groups)):
                rows = groups[i]
                if len(rows):
                    ours[i] = ridge(theirs[partner[rows]], values[rows],
                                    FACTOR_RIDGE * len(rows))
    return movies


@dataclasses.dataclass
class Player:
    taste: np.ndarray
    residuals: np.ndarray  # of the player's ratings, which are the noise


@dataclasses.dataclass
class World:
    users: np.ndarray  # who plays: first the earlier ones, then the new ones
    features: np.ndarray  # a row for each movie
    earlier: list[Player]
    new: list[Player]
    noise: float  # its standard deviation, of the earlier players' ratings
    taste_ridge: float
    explained: float  # share of the variance of earlier players' held-out ratings


def likes_what_is_liked() -> np.ndarray:
    """The taste of somebody of whom nothing is known: the movie's mean."""
    return np.eye(DIM)[1]


def fit_taste(rows: np.ndarray, values: np.ndarray, strength: float) -> np.ndarray:
    start = likes_what_is_liked()
    return start + ridge(rows, values - rows @ start, strength)


def held_out(features: np.ndarray, ratings: list[tuple[np.ndarray, np.ndarray]],
             strength: float) -> np.ndarray:
    """Errors on every fifth rating, of tastes fitted to the others."""
    errors = []
    for movies, values in ratings:
        test = np.arange(len(movies)) % 5 == 0
        taste = fit_taste(features[movies[~test]], values[~test], strength)
        errors.append(values[test] - features[movies[test]] @ taste)
    return np.concatenate(errors)


def make_world(ratings: np.ndarray, earlier: int, new: int, seed: int) -> World:
    """Who is in the crowd, who plays earlier and who is new is drawn by the seed."""
    rng = np.random.default_rng(seed)
    ratings = ratings[rng.permutation(len(ratings))]
    users, user, counts = np.unique(ratings[:, 0], return_inverse=True, return_counts=True)
    eager = np.flatnonzero(counts >= PLAYER_RATINGS)
    if len(eager) < earlier + new:
        raise SystemExit(f"{earlier + new} players are wanted, but only {len(eager)} users "
                         f"have given {PLAYER_RATINGS} ratings or more")
    players = rng.permutation(eager)[: earlier + new]
    in_crowd = np.ones(len(users), dtype=bool)
    in_crowd[players] = False

    crowd = in_crowd[user]
    known, movie, popularity = np.unique(ratings[crowd, 1], return_inverse=True,
                                         return_counts=True)
    kept = known[popularity >= CROWD_RATINGS]
    has_features = np.isin(ratings[:, 1], kept)
    user, ratings, crowd = user[has_features], ratings[has_features], crowd[has_features]
    movie = np.searchsorted(kept, ratings[:, 1])
    mean = ratings[crowd, 2].mean()
    stars = ratings[:, 2] - mean

    # Generous users must not count as good movies, nor good movies as generosity.
    u, m, s = user[crowd], movie[crowd], stars[crowd]
    offsets = np.zeros(len(kept))
    generosity = np.zeros(len(users))
    for _ in range(5):
        offsets = means(m, s - generosity[u], len(kept))
        generosity = means(u, s - offsets[m], len(users))
    factors = factorise(u, m, s - offsets[m] - generosity[u], rng)
    factors /= np.sqrt(np.mean(factors**2))
    features = np.column_stack([np.ones(len(kept)), offsets, factors])

    by_user = Groups(user, len(users))

    def rated(who: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(movie[by_user[i]], stars[by_user[i]]) for i in who]

    # Ridge and noise come from the earlier players alone.
    before = rated(players[:earlier])
    errors = {strength: held_out(features, before, strength) for strength in TASTE_RIDGES}
    strength = min(errors, key=lambda it: float(np.mean(errors[it] ** 2)))
    variance = np.concatenate([values for _, values in before]).var()

    def player(movies: np.ndarray, values: np.ndarray) -> Player:
        taste = fit_taste(features[movies], values, strength)
        residuals = values - features[movies] @ taste
        return Player(taste, residuals - residuals.mean())

    everybody = [player(*one) for one in rated(players)]
    noise = np.concatenate([one.residuals for one in everybody[:earlier]]).std()
    return World(users[players], features.astype(np.float32), everybody[:earlier],
                 everybody[earlier:], float(noise), strength,
                 float(1 - np.mean(errors[strength] ** 2) / variance))
