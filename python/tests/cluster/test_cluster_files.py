"""Arms that shards read from files."""

from __future__ import annotations

import os
import pathlib
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from files_of_arms import write_npy, write_parquet
from pairs import DIM, Pair

from manyarms import cluster
from manyarms.errors import (
    CorruptFileError, DuplicateIdError, FileError, InvalidArgumentError, MissingFileError,
)


@pytest.fixture
def pair(nodes: Any) -> Iterator[Pair]:
    pair = Pair(100, seed=3)
    with pair.many:
        yield pair
        pair.check()


def some_arms(first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    rows = np.random.default_rng(first).standard_normal((count, DIM))
    return np.arange(first, first + count), rows.astype(np.float32)


def load(pair: Pair, folder: pathlib.Path) -> list[Any]:
    """Loads 10,000 arms, from three kinds of files."""
    ids, rows = some_arms(1_000_000, 10_000)
    parts = [slice(0, 4_000), slice(4_000, 7_000), slice(7_000, 10_000)]
    files = [
        write_parquet(folder / "fixed.parquet", ids[parts[0]], rows[parts[0]]),
        write_parquet(folder / "lists.parquet", ids[parts[1]], rows[parts[1]], fixed=False),
        write_npy(folder, "pair", ids[parts[2]].astype(np.uint64), rows[parts[2]]),
    ]
    told: list[tuple[int, int]] = []
    assert pair.many.load_arms(files, progress=lambda *done: told.append(done)) == 10_000
    assert told == sorted(told) and told[-1] == (10_000, 10_000)
    pair.one.add_arms(ids, rows)
    return files


def test_choices_among_arms_of_files(pair: Pair, tmp_path: pathlib.Path) -> None:
    for _ in range(20):
        pair.step()
    load(pair, tmp_path)
    for step in range(100):
        if step % 10 == 5:
            pair.change(20)
        pair.step()
    assert len(pair.many) == len(pair.one)


def test_a_shard_reads_its_files_again(pair: Pair, tmp_path: pathlib.Path) -> None:
    load(pair, tmp_path)
    ids = np.arange(1_000_000, 1_000_030)
    rows = some_arms(5, 30)[1]
    for bandit in (pair.one, pair.many):
        bandit.remove_arms(ids[:20])
        bandit.add_arms(ids[:10], rows[:10])
        bandit.update_arms(ids[20:], rows[20:])
    for _ in range(3):
        for shard in pair.many.describe_shards():
            os.kill(shard["pid"], signal.SIGKILL)
        for _ in range(20):
            pair.step()
    assert pair.many.stats["restores"] >= 12
    everything = pair.one.ids
    assert np.array_equal(pair.many.features(everything), pair.one.features(everything))


def test_arms_that_left_one_file_may_come_with_another(
        pair: Pair, tmp_path: pathlib.Path) -> None:
    load(pair, tmp_path)
    ids, rows = some_arms(1_000_000, 50)
    for bandit in (pair.one, pair.many):
        bandit.remove_arms(ids)
    pair.many.load_arms([write_parquet(tmp_path / "again.parquet", ids, rows[::-1])])
    pair.one.add_arms(ids, rows[::-1])
    for shard in pair.many.describe_shards():
        os.kill(shard["pid"], signal.SIGKILL)
    assert np.array_equal(pair.many.features(ids), rows[::-1])
    pair.step()


def test_a_file_that_has_changed_is_refused(nodes: Any, tmp_path: pathlib.Path) -> None:
    with cluster.Bandit(DIM, shards=2, timeout=120) as bandit:
        path = write_parquet(tmp_path / "arms.parquet", *some_arms(0, 100))
        bandit.load_arms([path])
        write_parquet(tmp_path / "arms.parquet", *some_arms(7, 90))
        os.kill(bandit.describe_shards()[0]["pid"], signal.SIGKILL)
        with pytest.raises(FileError, match="arms.parquet has changed"):
            bandit.choose()


def damaged(ids: np.ndarray, rows: np.ndarray) -> Iterator[tuple[Any, Any, type, str]]:
    """Files with a fault in the row 1,234 of 3,000."""
    twice, infinite, known = ids.copy(), rows.copy(), ids.copy()
    twice[1_234] = twice[17]
    infinite[1_234, 3] = np.inf
    known[1_234] = 5
    yield twice, rows, DuplicateIdError, "row 1234: .*1000017"
    yield ids, infinite, InvalidArgumentError, "row 1234"
    yield known, rows, DuplicateIdError, "row 1234: .*5"
    negative = ids.astype(np.int64)
    negative[1_234] = -1
    yield negative, rows, CorruptFileError, "row 1234: .*-1"


def test_nothing_has_changed_after_a_file_with_a_fault(
        pair: Pair, tmp_path: pathlib.Path) -> None:
    good = write_npy(tmp_path, "good", *some_arms(2_000_000, 3_000))
    for number, (ids, rows, error, words) in enumerate(damaged(*some_arms(1_000_000, 3_000))):
        name = f"bad{number}"
        for bad in (write_parquet(tmp_path / f"{name}.parquet", ids, rows),
                    write_npy(tmp_path, name, ids, rows)):
            with pytest.raises(error, match=f"{name}.*{words}"):
                pair.many.load_arms([good, bad])
            assert len(pair.many) == len(pair.one)
            pair.step()


def test_files_that_are_none(pair: Pair, tmp_path: pathlib.Path) -> None:
    (tmp_path / "text.parquet").write_text("no Parquet")
    (tmp_path / "text.npy").write_text("no NumPy")
    ids, rows = some_arms(0, 10)
    narrow = write_parquet(tmp_path / "narrow.parquet", ids, rows[:, :3])
    pair_of_different = (write_npy(tmp_path, "a", ids, rows)[0],
                         write_npy(tmp_path, "b", ids[:5], rows[:5])[1])
    for files, error, words in (
            ([str(tmp_path / "missing.parquet")], MissingFileError, "missing.parquet"),
            ([str(tmp_path / "text.parquet")], CorruptFileError, "text.parquet"),
            ([(str(tmp_path / "text.npy"),) * 2], CorruptFileError, "text.npy"),
            ([narrow], CorruptFileError, "row 0: 3 features; must be 16"),
            ([pair_of_different], CorruptFileError, "10 rows"),
            (["arms.csv"], InvalidArgumentError, "arms.csv"),
            (narrow, TypeError, "must be a list")):
        with pytest.raises(error, match=words):
            pair.many.load_arms(files)
        assert len(pair.many) == 100


def test_files_without_arms(pair: Pair, tmp_path: pathlib.Path) -> None:
    with pytest.raises(DuplicateIdError):  # which most shards had taken by then
        pair.many.add_arms(np.arange(99, 200), np.ones((101, DIM), np.float32))
    empty = write_parquet(tmp_path / "empty.parquet", *some_arms(0, 0))
    assert pair.many.load_arms([]) == 0
    assert pair.many.load_arms([empty]) == 0
    for _ in range(10):
        pair.step()


def test_a_shard_that_dies_while_it_reads(pair: Pair, tmp_path: pathlib.Path) -> None:
    ids, rows = some_arms(1_000_000, 20_000)
    path = write_parquet(tmp_path / "arms.parquet", ids, rows)
    processes = sorted(pair.processes())

    def kill_one(done: int, _: int) -> None:
        if done >= 5_000 and processes:
            os.kill(processes.pop(), signal.SIGKILL)

    pair.many.load_arms([path], progress=kill_one)
    pair.one.add_arms(ids, rows)
    for _ in range(20):
        pair.step()
    assert pair.many.stats["restores"] > 0
