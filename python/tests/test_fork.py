"""Bandits in forked children."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_alone(code: str) -> None:
    """Runs code in a process of its own, whose NumPy has no threads."""
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        timeout=120,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )


FORKED_CHILD = """if True:
    import os, sys, threading
    import numpy as np
    import manyarms
    X = np.random.default_rng(0).standard_normal((100_000, 16), dtype=np.float32)
    # Without a first pass, choices soon cost so much that surveys are taken.
    bandit = manyarms.Bandit(16, search=manyarms.Certified(first_pass=False))
    bandit.add_arms(range(len(X)), X)

    def use_everything():
        pending = bandit.pending
        bandit.add_arms([10**6], X[:1])
        bandit.update_arms([5], X[6:7])
        bandit.remove_arms([7])
        for _ in range(300):
            bandit.learn(bandit.choose(), 1.0)
        bandit.choose_many(3)
        bandit.save(path)
        assert len(bandit) == len(X) and bandit.pending == pending + 3
        assert bandit.stats["snapshots"] > 0

    def works_in_a_child():
        child = os.fork()
        if child == 0:
            try:
                use_everything()
                del globals()["bandit"]
                os._exit(7)
            finally:
                os._exit(1)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def test_a_forked_child_may_use_a_bandit_whose_arms_are_being_surveyed(tmp_path: Path) -> None:
    # The child has no copy of the thread that surveys for its parent.
    run_alone(
        f"path = {str(tmp_path / 'saved')!r}\n"
        + FORKED_CHILD
        + """if True:
    # On a busy machine a survey may have ended before it is seen.
    for attempt in range(50):
        for step in range(2_000):
            bandit.learn(bandit.choose(), 1.0)
            stats = bandit.stats
            if stats["arms_bounded"] > 0:
                break
        if stats["snapshots"] == 0:
            break
        bandit = manyarms.Bandit(16, search=manyarms.Certified(first_pass=False))
        bandit.add_arms(range(len(X)), X)
    assert stats["arms_bounded"] > 0 and stats["snapshots"] == 0, "no survey was under way"
    assert works_in_a_child()
    bandit.choose()
"""
    )


def test_a_forked_child_may_use_a_bandit_that_other_threads_use(tmp_path: Path) -> None:
    run_alone(
        f"path = {str(tmp_path / 'saved')!r}\n"
        + FORKED_CHILD
        + """if True:
    stop = False
    used = 0

    def keep_using():
        global used
        while not stop:
            bandit.dismiss(bandit.choose())
            bandit.ids
            used += 1

    threads = [threading.Thread(target=keep_using) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            before = used
            while used < before + 20:
                pass
            assert works_in_a_child()
    finally:
        stop = True
    for thread in threads:
        thread.join()
"""
    )
