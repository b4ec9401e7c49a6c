"""Worlds, tables and pictures."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import matplotlib
import numpy as np
import pandas
import pytest

import manyarms
from manyarms import Bandit, sim


def test_playing_in_python_is_simulating_in_cpp() -> None:
    options = {"arms": 300, "dim": 6, "add": 1, "remove": 1, "every": 5, "seed": 3}
    world = sim.Synthetic(**options, theta_seed=3)
    rows = sim.play(Bandit(6, "ts", "certified", 2.0, seed=3), world, 500)
    (row,) = sim.simulate("ts", "certified", 2.0, steps=500, **options)
    assert rows[-1]["regret"] == pytest.approx(row["regret"], rel=1e-12)
    assert row["curve.step"][-1] == 500
    assert row["curve.regret"][-1] == pytest.approx(row["regret"])
    assert [r["step"] for r in rows] == list(range(1, 501))


def test_worlds_do_not_depend_on_who_plays() -> None:
    one, other = sim.Synthetic(50, 4), sim.Synthetic(50, 4)
    assert one.features([0, 49]).shape == (2, 4)
    np.testing.assert_array_equal(one.features([7]), other.features(np.array([7])))
    for _ in range(25):
        assert one.advance() == other.advance()
    assert one.step == 25
    assert one.reward(3) == other.reward(3)
    assert min(one.regret(arm) for arm in range(52)) == 0
    with pytest.raises(KeyError, match="no arm 99"):
        one.reward(99)
    with pytest.raises(KeyError):
        one.features([0, 99])
    with pytest.raises(TypeError):
        one.features(["a"])
    with pytest.raises(ValueError):
        sim.Synthetic(0)
    with pytest.raises(ValueError, match="already"):
        bandit = Bandit(4)
        bandit.add_arms([1], np.ones((1, 4)))
        sim.play(bandit, other, 5)


def test_rows_are_flat() -> None:
    frame = pandas.DataFrame(sim.simulate(arms=100, steps=50, runs=3))
    assert list(frame["seed"]) == [1, 2, 3]
    assert (frame["latency_us.p50"] > 0).all()


def test_learners_and_contexts() -> None:
    options = {"arms": 500, "dim": 4, "steps": 200, "remove": 1, "every": 3, "seed": 2}
    visits = {"learners": 20, "own_share": 0.3, "zipf": 0.5, "order_budget": 10**6,
              "context_dim": 3, "distinct_contexts": 6}  # fmt: skip
    for kept in (["learners"], ["context_dim"], list(visits)):
        given = {name: visits[name] for name in kept}
        (certified,) = sim.simulate("ts", "certified", **options, **given)
        (scan,) = sim.simulate("ts", "scan", **options, **given)
        assert certified["decision_digest"] == scan["decision_digest"]
        assert certified["regret"] == scan["regret"] > 0
        assert {name: certified[name] for name in kept} == given
        assert ("learners_came" in certified) == ("learners" in kept)
    (shared,) = sim.simulate(learners=20, prior="shared", **options)
    assert shared["prior"] == "shared"
    assert shared["prior_refits"] > 0
    (without,) = sim.simulate(steps=10, context_dim=3, context_constants=False)
    assert without["context_constants"] is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "elim", "learners": 3}, "population cannot use elim"),
        ({"policy": "elim", "context_dim": 3}, "elim"),
        ({"zipf": 2.0}, "zipf is 2, but learners is 0"),
        ({"learners": 3, "own_share": -0.5}, "own_share is -0.5"),
        ({"learners": 3, "order_budget": 0}, "order budget is 0"),
        ({"prior": "shared"}, "the prior is not independent, but learners is 0"),
        ({"distinct_contexts": 3}, "distinct_contexts is 3, but context_dim is 0"),
    ],
)
def test_learners_and_contexts_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(manyarms.Error, match=message):
        sim.simulate(steps=10, **options)


def test_clicks_and_changes() -> None:
    options = {"arms": 300, "dim": 5, "add": 1, "remove": 1, "every": 5, "seed": 3}
    world = {"click_rate": 0.1, "click_spread": 1.5, "turn_every": 150, "drift": 0.001}
    learning = {"rewards": "clicks", "forgetting": 0.99}
    (row,) = sim.simulate("ts", "certified", 1.0, steps=400, **options, **world, **learning)
    assert {name: row[name] for name in (*world, *learning)} == world | learning
    bandit = Bandit(5, "ts", "certified", 1.0, seed=3, **learning)
    rows = sim.play(bandit, sim.Synthetic(**options, **world), 400)
    assert rows[-1]["regret"] == pytest.approx(row["regret"], rel=1e-12)
    assert {played["reward"] for played in rows} == {0.0, 1.0}
    np.testing.assert_array_equal(sim.Synthetic(**options, **world).features(range(9))[:, 4], 1)
    (half,) = sim.simulate(steps=50, half_life=1.0)
    assert half["forgetting"] == 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"click_rate": 1.5}, "click_rate is 1.5"),
        ({"click_rate": 0.1, "noise": 2.0}, "click_rate is 0.1, but noise is 2"),
        ({"click_spread": 2.0}, "click_spread is 2, but click_rate is 0"),
        ({"rewards": "clicks"}, "click_rate is 0"),
        ({"rewards": "ratings"}, "no rewards 'ratings'"),
        ({"drift": -1.0}, "drift is -1"),
        ({"forgetting": 0.9, "half_life": 5.0}, "must be one"),
    ],
)
def test_clicks_and_changes_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(manyarms.Error, match=message):
        sim.simulate(steps=10, **options)


def check_rows(rows: list[dict[str, Any]], out: pathlib.Path) -> None:
    assert {row["settings.bandit.search"] for row in rows} >= {"scan", "hnsw"}
    assert all(row["regret"] > 0 for row in rows)
    assert (out / "report.html").exists()


@pytest.mark.slow
def test_a_table_of_the_paper(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    check_rows(manyarms.reproduce([1], runs=1, quick=True, threads=2, out=out), out)


def test_tables_of_ones_own(tmp_path: pathlib.Path) -> None:
    tests = pathlib.Path(__file__).parents[2] / "tests"
    out = tmp_path / "out"
    rows = manyarms.reproduce(
        [1, 3], runs=1, users=2, experiments=tests / "experiments",
        movielens=tests / "data", out=out,
    )
    check_rows(rows, out)


def test_tables_that_are_not_there() -> None:
    with pytest.raises(manyarms.Error, match="no table '9'"):
        manyarms.reproduce([9])
    with pytest.raises(TypeError, match="list"):
        manyarms.reproduce("1")


def test_pictures() -> None:
    matplotlib.use("agg")
    from manyarms import plots

    rows = sim.simulate(arms=100, steps=300, runs=2) + sim.simulate(
        "ucb", "scan", arms=200, steps=300
    )
    axes = plots.regret(rows)
    assert len(axes.lines) == 3
    assert [t.get_text() for t in axes.get_legend().get_texts()] == [
        "ts × certified",
        "ucb × scan",
    ]
    assert len(plots.latency(rows).lines) == 4
    played = sim.play(Bandit(4), sim.Synthetic(50, 4), 20)
    assert len(plots.regret(played).lines) == 1
    with pytest.raises(ValueError, match="policy"):
        plots.regret([{"a": 1}])


def test_the_program_comes_along() -> None:
    program = pathlib.Path(sys.executable).parent / "manyarms"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert manyarms.__version__ in done.stdout


def test_a_share_of_choices_is_uniform():
    (row,) = sim.simulate(steps=400, arms=50, explore_uniform=0.25)
    assert row["explore_uniform"] == 0.25
    # A binomial number of 400 with the probability 1/4 is within 100 +- 50 but
    # for one in 10^8.
    assert 50 < row["uniform_choices"] < 150
    assert row["decision_digest"] == sim.simulate(
        steps=400, arms=50, explore_uniform=0.25, search="scan")[0]["decision_digest"]
