"""What callers see of shards that die or do not answer, and of wrong arguments."""

from __future__ import annotations

import os
import pathlib
import signal
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import ray
from files_of_arms import write_npy
from pairs import DIM, Pair
from ray.exceptions import NodeDiedError, OutOfMemoryError

import manyarms
from manyarms import cluster
from manyarms.cluster._deadline import Deadline
from manyarms.errors import (
    ClusterTimeout, CorruptFileError, DuplicateIdError, InvalidArgumentError, NoArmsError,
    UnknownIdError, UnsupportedError,
)


@pytest.fixture
def pair(nodes: Any) -> Iterator[Pair]:
    pair = Pair(1_000, seed=5)
    with pair.many:
        yield pair
        pair.check()


def test_processes_that_are_killed_again_and_again(pair: Pair) -> None:
    for step in range(200):
        if step % 20 == 10:
            shards = pair.many.describe_shards()
            os.kill(shards[pair.random.integers(len(shards))]["pid"], signal.SIGKILL)
        if step % 5 == 0:
            pair.change(3)
        pair.step()
        pair.slate(2)


def test_a_shard_that_does_not_answer(nodes: Any) -> None:
    rows = np.random.default_rng(1).standard_normal((100, DIM)).astype(np.float32)
    one = manyarms.Bandit(DIM, seed=2)
    one.add_arms(range(100), rows)
    with cluster.Bandit(DIM, seed=2, shards=2, timeout=120) as bandit:
        bandit.add_arms(range(100), rows)
        process = bandit.describe_shards()[1]["pid"]
        bandit.timeout = 2
        os.kill(process, signal.SIGSTOP)
        try:
            began = time.monotonic()
            with pytest.raises(ClusterTimeout, match="shard 1 of 2 did not answer within 2 s"):
                bandit.choose()
            assert time.monotonic() - began < 30  # and not 120
            with pytest.raises(ClusterTimeout):
                bandit.add_arms(range(100, 200), rows)
            with pytest.raises(ClusterTimeout):
                bandit.ids
        finally:
            os.kill(process, signal.SIGCONT)
            bandit.timeout = 120
        assert len(bandit) == 100
        assert bandit.pending == 0
        for _ in range(20):
            expected = one.choose()
            assert bandit.choose() == expected
            one.learn(expected, 0.5)
            bandit.learn(expected.id, 0.5)
        bandit.add_arms(range(100, 200), rows)
        assert len(bandit) == len(bandit.ids) == 200


class FailingGet:
    """Ray's get, which sometimes reports a shard that was lost."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *losses: Exception) -> None:
        self.losses = list(losses)
        self._get = ray.get
        monkeypatch.setattr(ray, "get", self)

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self.losses:
            raise self.losses.pop()
        return self._get(*args, **options)


def test_shards_that_are_lost_in_other_ways(
    pair: Pair, monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing = FailingGet(monkeypatch)
    for loss in (OutOfMemoryError("too many arms"), NodeDiedError("a node died")):
        some = pair.random.choice(pair.one.ids, 50, replace=False)
        failing.losses = [loss]
        pair.slate(3, eligible=some)
        assert not failing.losses
    rows = np.ones((2, DIM), np.float32)
    (prepared, lost) = (pair.many._shards.prepare, OutOfMemoryError("too many arms"))

    def lost_at_the_commit(*args: Any) -> Any:
        concerned = prepared(*args)
        failing.losses = [lost]
        return concerned

    monkeypatch.setattr(pair.many._shards, "prepare", lost_at_the_commit)
    for bandit in (pair.one, pair.many):
        bandit.add_arms([8_000, 8_001], rows)
    assert not failing.losses
    assert len(pair.many) == len(pair.one) == 1_002
    pair.step()


def test_a_shard_that_is_lost_whenever_it_takes_its_arms(
    nodes: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = np.random.default_rng(1).standard_normal((100, DIM)).astype(np.float32)
    files = [write_npy(tmp_path, "arms", np.arange(100), rows)]
    with cluster.Bandit(DIM, shards=2, timeout=120) as bandit:
        bandit.add_arms([1_000], rows[:1])
        begin = bandit._shards.begin

        def begin_and_die(kind: str, shard: int, *args: Any) -> Any:
            if kind == "load" and shard == 1:
                os.kill(bandit._shards.describe(Deadline(120))[1]["pid"], signal.SIGKILL)
            return begin(kind, shard, *args)

        monkeypatch.setattr(bandit._shards, "begin", begin_and_die)
        with pytest.raises(ClusterTimeout, match="shard 1 of 2 was lost 5 times"):
            bandit.load_arms(files)
        monkeypatch.undo()
        assert len(bandit) == len(bandit.ids) == 1
        assert bandit.load_arms(files) == 100
        assert bandit.choose().eligible == 101


def test_draws_that_cannot_all_be_made(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    some = pair.random.choice(pair.one.ids, 50, replace=False)
    call = pair.many._shards.call
    calls = []

    def no_third_answer(kind: str, *args: Any) -> Any:
        calls.append(kind)
        if len(calls) == 3:
            raise ClusterTimeout("shard 1 did not answer")
        return call(kind, *args)

    monkeypatch.setattr(pair.many._shards, "call", no_third_answer)
    with pytest.raises(ClusterTimeout):
        pair.many.choose_many(5, "draws", eligible=some)
    monkeypatch.undo()
    assert pair.many.pending == 0
    pair.draws(5, eligible=some)


def test_a_refused_change_changes_nothing(pair: Pair) -> None:
    rows = np.ones((3, DIM), np.float32)
    bad = rows.copy()
    bad[2, 1] = np.nan
    for error, change in (
            (DuplicateIdError, lambda bandit: bandit.add_arms([5_000, 5_001, 17], rows)),
            (DuplicateIdError, lambda bandit: bandit.add_arms([5_000, 5_001, 5_000], rows)),
            (InvalidArgumentError, lambda bandit: bandit.add_arms([5_000, 5_001, 5_002], bad)),
            (InvalidArgumentError, lambda bandit: bandit.add_arms([5_000], rows)),
            (InvalidArgumentError, lambda bandit: bandit.add_arms([5_000], rows[:1, :4])),
            (UnknownIdError, lambda bandit: bandit.remove_arms([17, 5_000])),
            (UnknownIdError, lambda bandit: bandit.update_arms([17, 18, 5_000], rows)),
            (InvalidArgumentError, lambda bandit: bandit.update_arms([17, 18, 19], bad)),
            (TypeError, lambda bandit: bandit.add_arms(["a"], rows[:1])),
            (ValueError, lambda bandit: bandit.add_arms([-1], rows[:1]))):
        with pytest.raises(error):
            change(pair.many)
        assert len(pair.many) == 1_000
        pair.step()
    with pytest.raises(DuplicateIdError):
        pair.many.remove_arms([17, 17])
    assert 17 in pair.many and 5_000 not in pair.many and "a" not in pair.many
    pair.step()


def test_choices_that_cannot_be_made(pair: Pair) -> None:
    for error, eligible in (
            (UnknownIdError, [5, 5_000]), (DuplicateIdError, [5, 5]),
            (InvalidArgumentError, np.ones(7, bool)), (TypeError, ["a"]),
            (NoArmsError, []), (NoArmsError, np.zeros(1_000, bool))):
        with pytest.raises(error):
            pair.many.choose(eligible=eligible)
    with pytest.raises(InvalidArgumentError):
        pair.many.choose_many(2, "some")  # type: ignore[arg-type]
    pair.step()
    with cluster.Bandit(DIM, shards=2, timeout=120) as empty:
        with pytest.raises(NoArmsError):
            empty.choose()


def test_what_learners_can_do_besides(pair: Pair) -> None:
    for _ in range(20):
        pair.step()
    row = np.arange(DIM) / DIM
    for bandit in (pair.one, pair.many):
        bandit.observe(17, 0.5)
        bandit.observe_many([40, 3, 17, 3], [0.5, 0.25, 1, 2])
        bandit.learn_many(bandit.choose_many(3), [1, 0.5, 0.25])
        bandit.observe_features(row, 0.25)
        bandit.dismiss(bandit.choose())
        bandit.forget(0.1)
    assert np.array_equal(pair.one.predict(row), pair.many.predict(row))
    assert np.array_equal(pair.one.scores([3, 4]), pair.many.scores([3, 4]))
    assert np.array_equal(pair.one.uncertainty([3, 4]), pair.many.uncertainty([3, 4]))
    assert pair.one.choose_many(3, "draws") == pair.many.choose_many(3, "draws")
    assert pair.one.pending == pair.many.pending
    pair.step()


@pytest.mark.parametrize("options", [
    {"policy": "elim"}, {"explore_uniform": 0.1}, {"search": "hnsw"}])
def test_options_that_need_all_arms_in_one_place(nodes: Any, options: Any) -> None:
    with pytest.raises(UnsupportedError):
        cluster.Bandit(DIM, **options)


@pytest.mark.parametrize("options", [
    {"shards": 0}, {"shards": 5_000}, {"timeout": 0}, {"timeout": float("nan")},
    {"name": "a/b"}])
def test_options_out_of_bounds(nodes: Any, options: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        cluster.Bandit(DIM, **options)


def test_a_saved_bandit_decides_as_it_would_have(
        pair: Pair, tmp_path: pathlib.Path) -> None:
    for step in range(50):
        if step % 10 == 5:
            pair.change(5)
        pair.step()
    path = tmp_path / "bandit"
    pair.many.save(path)
    with cluster.Bandit.load(path, shards=3, timeout=120) as loaded:
        for _ in range(20):
            expected = pair.one.choose()
            assert loaded.choose() == expected == pair.many.choose()
            for bandit in (pair.one, pair.many):
                bandit.learn(expected, 0.5)
            loaded.learn(expected, 0.5)
        assert np.array_equal(np.sort(loaded.ids), np.sort(pair.one.ids))
    whole = path.read_bytes()
    for damage in (whole[:-1], whole[:100] + b"x" + whole[101:], b""):
        path.write_bytes(damage)
        with pytest.raises(CorruptFileError, match="bandit"):
            cluster.Bandit.load(path)
