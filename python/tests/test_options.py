"""Options of searches and policies."""

from __future__ import annotations

import copy
import pickle

import pytest
from random_arms import arms

import manyarms
from manyarms import Bandit


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
        manyarms.Certified(check_every=10),
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
    assert manyarms.Lsh() != manyarms.LshTheory()
