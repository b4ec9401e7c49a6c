"""Any thread may call anything; what takes long lets others run."""

from __future__ import annotations

import pathlib
import threading
import time
from collections.abc import Callable

import numpy as np

from threads_together import together

from manyarms import Bandit

X = np.random.default_rng(1).standard_normal((20_000, 8)).astype(np.float32)


def test_one_writer_and_many_readers(tmp_path: pathlib.Path) -> None:
    bandit = Bandit(8, seed=1)
    bandit.add_arms(range(10_000), X[:10_000])
    stop = threading.Event()

    def write() -> None:
        for step in range(1500):
            bandit.learn(bandit.choose(), 1.0)
            if step % 10 == 0:
                bandit.add_arms([10_000 + step], X[[step]])
                bandit.remove_arms([step])
        stop.set()

    def read() -> None:
        while not stop.is_set():
            assert 9_000 <= len(bandit) <= 11_000
            assert np.isfinite(bandit.predict(X[:10])).all()
            assert 9_999 in bandit
            assert bandit.stats["arms_scored"] >= 0
            assert len(bandit.ids) <= 11_000

    def save() -> None:
        while not stop.is_set():
            bandit.save(tmp_path / "bandit")
            assert Bandit.load(tmp_path / "bandit").dim == 8

    together(write, read, read, save)
    assert bandit.pending == 0


def test_writers_take_turns() -> None:
    bandit = Bandit(8, seed=1)
    bandit.add_arms(range(1000), X[:1000])

    def work(first: int) -> Callable[[], None]:
        def run() -> None:
            for step in range(300):
                slate = bandit.choose_many(5, "draws")
                bandit.learn_many(slate, [1.0] * 5)
                bandit.add_arms([first + step], X[[step]])
                bandit.observe(first + step, 0.5)
                bandit.learn(bandit.choose(), 0.0)

        return run

    together(work(10_000), work(20_000), work(30_000))
    assert len(bandit) == 1900
    assert bandit.pending == 0
    assert bandit.choose().id == 3 * 300 * 6 + 1


def test_readers_do_not_keep_a_writer_out() -> None:
    """Three that read without a pause: a choice waits for those that are reading,
    not for all that follow. With std::shared_mutex alone it does not get in before
    they stop."""
    bandit = Bandit(8)
    bandit.add_arms(range(1000), X[:1000])
    rows = np.tile(X, (10, 1))
    until = time.perf_counter() + 20
    done = threading.Event()
    reads: list[float] = []
    waits: list[float] = []

    def read() -> None:
        while not done.is_set() and time.perf_counter() < until:
            start = time.perf_counter()
            bandit.predict(rows)
            reads.append(time.perf_counter() - start)

    def write() -> None:
        while len(reads) < 3:  # until all are at it
            time.sleep(0.001)
        for _ in range(20):
            start = time.perf_counter()
            bandit.choose()
            waits.append(time.perf_counter() - start)
        done.set()

    together(read, read, read, write)
    # A choice waits for one read; the rest leaves room for a busy machine. Kept out,
    # it would wait for some 20 s.
    assert max(waits) < 3 * max(reads) + 0.5


def test_batches_let_other_threads_run() -> None:
    """While arms are added another thread goes on. With the interpreter held it
    would stand still for nearly all the time; half of it leaves room for a busy
    machine."""
    rows = np.tile(X, (40, 1))
    bandit = Bandit(8)
    longest, running = 0.0, True

    def watch() -> None:
        nonlocal longest
        last = time.perf_counter()
        while running:
            now = time.perf_counter()
            longest = max(longest, now - last)
            last = now

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    ids = np.arange(len(rows))
    bandit.add_arms(ids, rows)
    bandit.choose_many(2000, "draws")
    took = time.perf_counter() - start
    running = False
    watcher.join()
    assert longest < took / 2, (longest, took)
