"""Files, pickles and copies."""

from __future__ import annotations

import copy
import os
import pathlib
import pickle
import threading

import numpy as np
import pytest

import manyarms
from manyarms import Bandit, errors

SAVED = pathlib.Path(__file__).parents[2] / "tests" / "data" / "saved"


def made(policy: str = "ts", texts: bool = False) -> Bandit:
    rng = np.random.default_rng(1)
    bandit = Bandit(4, policy, "scan", 1.5, seed=11)
    ids = [f"arm {i}" for i in range(12)] if texts else list(range(12))
    bandit.add_arms(ids, rng.standard_normal((12, 4)))
    bandit.remove_arms([ids[5]])
    for step in range(10):
        decision = bandit.choose()
        if step % 3:
            bandit.learn(decision, 0.1 * step)
    return bandit


def decisions(bandit: Bandit, count: int = 30) -> list[tuple[int, object, float]]:
    made = []
    for step in range(count):
        d = bandit.choose()
        bandit.learn(d, 0.05 * step)
        made.append((d.id, d.arm, d.score))
    return made


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("policy", ["ts", "ucb", "elim"])
def test_whatever_way_it_goes_it_goes_on_as_before(
    policy: str, texts: bool, tmp_path: pathlib.Path
) -> None:
    bandit = made(policy, texts)
    bandit.save(tmp_path / "bandit")
    bandit.save(str(tmp_path / "bandit"))
    others = [
        Bandit.load(tmp_path / "bandit"),
        Bandit.load(str(tmp_path / "bandit")),
        pickle.loads(pickle.dumps(bandit)),
        copy.copy(bandit),
        copy.deepcopy(bandit),
    ]
    assert os.listdir(tmp_path) == ["bandit"]
    expected = decisions(bandit)
    for other in others:
        assert decisions(other) == expected
        assert list(other.ids) == list(bandit.ids)
        assert other.pending == bandit.pending


@pytest.mark.parametrize("policy", ["ts", "ucb", "elim"])
def test_every_wrong_byte_is_refused(policy: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bandit"
    made(policy, texts=True).save(path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for flip in (0x01, 0x80, 0xFF):
            damaged = bytearray(whole)
            damaged[place] ^= flip
            path.write_bytes(damaged)
            with pytest.raises(errors.CorruptFileError):
                Bandit.load(path)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(errors.CorruptFileError):
            Bandit.load(path)
    path.write_bytes(whole)
    assert len(Bandit.load(path)) == 11


@pytest.mark.parametrize("policy", ["ts", "ucb", "elim"])
def test_files_of_the_first_format_load(policy: str) -> None:
    bandit = Bandit.load(SAVED / f"format-1-{policy}")
    assert bandit.policy == policy
    assert list(bandit.ids) == [i for i in range(20) if i != 7]
    assert bandit.pending == 3
    bandit.learn(2, 1.0)
    bandit.choose()


def test_a_failed_save_leaves_what_was_there(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "taken"
    folder.mkdir()
    (folder / "file").write_text("x")
    with pytest.raises(OSError):
        made().save(folder)
    assert sorted(os.listdir(tmp_path)) == ["taken"]


def test_options_come_back() -> None:
    bandit = Bandit(
        5, "elim", manyarms.Hnsw(shortlist=7, metric="euclidean"),
        manyarms.TheoryRadius(1000, 0.1), accuracy=0.02, regularisation=0.5,
        negative_rewards=True, seed=3, max_pending=77,
    )
    loaded = pickle.loads(pickle.dumps(bandit))
    assert (loaded.dim, loaded.policy, loaded.seed) == (5, "elim", 3)
    assert loaded.search.shortlist == 7 and loaded.search.metric == "euclidean"
    assert (loaded.exploration.horizon, loaded.exploration.delta) == (1000, 0.1)
    assert loaded.regularisation == 0.5 and loaded.negative_rewards
    assert loaded.max_pending == 77


def test_a_decision_can_be_pickled_and_learned_elsewhere() -> None:
    bandit = made(texts=True)
    decision = bandit.choose()
    again = pickle.loads(pickle.dumps(decision))
    assert again == decision and hash(again) == hash(decision)
    bandit.learn(again, 1.0)
    with pytest.raises(KeyError):
        bandit.learn(decision, 1.0)


def test_file_errors_are_the_interpreter_s_own(tmp_path: pathlib.Path) -> None:
    bandit = made()
    for call, kind, path in (
        (lambda p: bandit.save(p), FileNotFoundError, tmp_path / "no" / "x"),
        (lambda p: Bandit.load(p), FileNotFoundError, tmp_path / "no"),
        (lambda p: Bandit.load(p), IsADirectoryError, tmp_path),
        (lambda p: bandit.save(p), IsADirectoryError, tmp_path),
        (lambda p: Bandit.load(p), OSError, tmp_path / ("x" * 300)),
    ):
        with pytest.raises(kind) as raised:
            call(path)
        assert isinstance(raised.value, errors.FileError)
        assert raised.value.errno and raised.value.filename == str(path)


def test_what_is_no_regular_file_is_refused(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/full"):
        for call in (made().save, Bandit.load):
            with pytest.raises(errors.FileError, match="not a regular file") as raised:
                call(path)
            assert raised.value.filename == str(path)


def test_saving_leaves_the_umask_alone(tmp_path: pathlib.Path) -> None:
    bandit = made()
    before = os.umask(0o077)
    try:
        threads = [
            threading.Thread(
                target=lambda i=i: [bandit.save(tmp_path / f"{i}") for _ in range(50)]
            )
            for i in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert os.umask(0o077) == 0o077
    finally:
        os.umask(before)
    assert (tmp_path / "0").stat().st_mode & 0o777 == 0o600


class Titled(manyarms.Bandit):
    """A subclass as users write it."""


def test_load_makes_the_class_it_is_asked_of(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "bandit"
    Titled(dim=2).save(path)
    assert type(Titled.load(path)) is Titled
    assert type(manyarms.Bandit.load(path)) is manyarms.Bandit
