"""The study of priors on MovieLens, with ratings that are made up."""

from __future__ import annotations

import json
import pathlib
import runpy
import sys
from typing import Any

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
EARLIER, NEW = 20, 10


def made_up_ratings() -> np.ndarray:
    """A hundred users with tastes in three dimensions, 300 movies, half rated."""
    rng = np.random.default_rng(8)
    tastes, movies = rng.normal(size=(100, 3)), rng.normal(size=(300, 3))
    liked = 0.7 * tastes @ movies.T + rng.normal(scale=0.8, size=300)
    stars = np.clip(np.rint(3 + liked + rng.normal(scale=0.5, size=liked.shape)), 1, 5)
    user, movie = np.nonzero(rng.random(stars.shape) < 0.5)
    return np.column_stack([user + 1, 2 * movie + 7, stars[user, movie].astype(int)])


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "learners"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import study  # type: ignore[import-not-found]

    monkeypatch.setattr(study.movies, "CROWD_RATINGS", 20)
    monkeypatch.setattr(study, "EARLIER", EARLIER)
    monkeypatch.setattr(study, "EARLIER_CHOICES", 20)
    monkeypatch.setattr(study, "NEW", NEW)
    # Fewer regularisations, to save time.
    monkeypatch.setattr(study, "WAYS", [way for way in study.WAYS if way.regularisation <= 3])
    return study


def test_features_know_nothing_of_players(study: Any) -> None:
    def world(ratings: np.ndarray) -> Any:
        return study.movies.make_world(ratings, EARLIER, NEW, 1)

    ratings = made_up_ratings()
    first = world(ratings)
    assert len(set(first.users)) == EARLIER + NEW
    new = np.isin(ratings[:, 0], first.users[EARLIER:])
    earlier = np.isin(ratings[:, 0], first.users[:EARLIER])
    for changed, same_features, same_noise in ((new, True, True), (earlier, True, False),
                                               (~new & ~earlier, False, False)):
        other = ratings.copy()
        other[changed, 2] = 6 - other[changed, 2]
        second = world(other)
        np.testing.assert_array_equal(second.users, first.users)
        assert np.array_equal(second.features, first.features) == same_features
        assert (second.noise == first.noise) == same_noise
    another = study.movies.make_world(ratings, EARLIER, NEW, 2)
    assert set(another.users) != set(first.users)


def test_tastes_are_those_of_the_ratings(study: Any) -> None:
    ratings = made_up_ratings()
    world = study.movies.make_world(ratings, EARLIER, NEW, 1)
    assert world.features.shape == (300, 16) and np.all(world.features[:, 0] == 1)
    assert world.explained > 0.5
    # Rounding to whole stars and the noise.
    assert 0.4 < world.noise < 0.8
    for user, player in zip(world.users, [*world.earlier, *world.new], strict=True):
        own = ratings[ratings[:, 0] == user]
        said = world.features[np.searchsorted(np.unique(ratings[:, 1]), own[:, 1])] @ player.taste
        assert np.corrcoef(said, own[:, 2])[0, 1] > 0.6
        assert abs(player.residuals.mean()) < 1e-9 and len(player.residuals) == len(own)


def test_study_and_page(study: Any, tmp_path: pathlib.Path,
                        monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "ratings.dat", "w", encoding="latin-1") as file:
        file.writelines("::".join(map(str, row)) + "\n" for row in made_up_ratings())
    rows = tmp_path / "rows.jsonl"
    monkeypatch.setattr(
        sys, "argv", ["study.py", str(tmp_path), "--splits", "2", "--rows", str(rows)])
    assert study.main() == 0
    page = ROOT / "scripts" / "learners-page"
    monkeypatch.setattr(sys, "argv", [str(page), "--rows", str(rows), "--docs", str(tmp_path)])
    runpy.run_path(str(page), run_name="__main__")
    text = (tmp_path / "learners.md").read_text(encoding="utf-8")
    assert "Means over 2 splits" in text and "nan" not in text
    assert (tmp_path / "plots" / "learners.svg").exists()
    # The table is computed from the rows.
    found = runpy.run_path(str(page))
    shared = found["Rows"]([json.loads(line) for line in rows.read_text().splitlines()])
    values = found["at"](shared.of("shared"), 100)
    assert f"{np.mean(values):.1f} ± {12.706 * np.std(values, ddof=1) / np.sqrt(2):.1f}" in text
