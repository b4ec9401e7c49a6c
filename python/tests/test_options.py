"""Options of searches and policies."""

from __future__ import annotations

import copy
import pathlib
import pickle
import re

import pytest
from random_arms import arms

import manyarms
from manyarms import Bandit, sim

ROOT = pathlib.Path(__file__).parents[2]


def test_searches_and_policies_have_options() -> None:
    for policy in ("ts", "elim"):
        for search in (manyarms.Certified(background=False, check_every=1),
                       manyarms.Scan(), manyarms.Hnsw(shortlist=5),
                       manyarms.Lsh(min_depth=1),
                       manyarms.LshTheory(accuracy=1.0, copies=2)):
            bandit = Bandit(4, policy, search, 1.0)
            bandit.add_arms(range(60), arms(60))
            for _ in range(5):
                bandit.learn(bandit.choose(), 1.0)
            assert type(bandit.search) is type(search)
    assert bandit.stats["arms_scored"] > 0
    assert "elim" in repr(bandit) and "arms=60" in repr(bandit)


@pytest.mark.parametrize(
    "options",
    [
        manyarms.Certified(check_every=10, max_bytes=100_000),
        manyarms.Scan(),
        manyarms.Hnsw(shortlist=5, metric="euclidean"),
        manyarms.Lsh(success=0.8, reduction="paper"),
        manyarms.LshTheory(copies=3, threads=2),
        manyarms.TheoryRadius(1000, delta=0.1),
    ],
)
def test_options_are_values(options: object) -> None:
    assert eval(repr(options), vars(manyarms)) == options
    assert pickle.loads(pickle.dumps(options)) == options
    assert copy.deepcopy(options) == options
    assert len({options, copy.copy(options)}) == 1
    assert options != 1


def test_different_options_differ() -> None:
    assert manyarms.Hnsw(shortlist=5) != manyarms.Hnsw(shortlist=6)
    assert manyarms.Certified(max_bytes=1) != manyarms.Certified()
    assert manyarms.Lsh() != manyarms.LshTheory()


def test_certified_search_has_a_limit_of_memory() -> None:
    assert Bandit(4).search.max_bytes == 0
    search = manyarms.Certified(max_bytes=50_000)
    bandit = Bandit(4, "ts", search)
    bandit.add_arms(range(60), arms(60))
    bandit.learn(bandit.choose(), 1.0)
    loaded = pickle.loads(pickle.dumps(bandit))
    assert loaded.search == search and loaded.search.max_bytes == 50_000
    (row,) = sim.simulate("ts", search, arms=60, steps=20)
    assert row["order_bytes"] == 50_000
    with pytest.raises(TypeError):
        manyarms.Certified(max_bytes=-1)


def documented_defaults() -> list[tuple[str, str, float]]:
    """Policy, option and default, as docs/options.md has them."""
    defaults = []
    for section in (ROOT / "docs" / "options.md").read_text().split("\n## ")[1:]:
        if not section.startswith("policy "):
            continue
        policy = section.split("\n")[0].removeprefix("policy ")
        for line in re.findall(r"^\| `.*", section, re.MULTILINE):
            cells = [cell.strip() for cell in line.split("|")]
            defaults.append((policy, cells[1].strip("`"), float(cells[4])))
    return defaults


def test_defaults_are_the_policies_own() -> None:
    defaults = documented_defaults()
    assert {"ts", "ucb", "elim"} <= {policy for policy, _, _ in defaults}
    for policy, option, default in defaults:
        assert getattr(Bandit(4, policy), option) == default
        assert getattr(Bandit(4, policy, **{option: None}), option) == default
        assert getattr(Bandit(4, policy, **{option: default / 2}), option) == default / 2
        assert f"{default}" in (Bandit.__init__.__doc__ or "")
        (row,) = sim.simulate(policy, "scan", arms=20, steps=10)
        assert row[option] == default
        (row,) = sim.simulate(policy, "scan", arms=20, steps=10, **{option: default / 2})
        assert row[option] == default / 2
