"""What the documentation promises of a bandit."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import manyarms
from manyarms import Bandit


def arms(count: int, dim: int = 4, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)


@pytest.mark.parametrize(
    "ids",
    [
        [3, 1, 2],
        (3, 1, 2),
        range(3, 0, -1),
        np.array([3, 1, 2]),
        np.array([3, 1, 2], dtype=np.uint8),
        np.array([3, 9, 1, 9, 2])[::2],
        [np.int32(3), 1, np.uint64(2)],
    ],
    ids=repr,
)
def test_ids_of_many_kinds(ids: object) -> None:
    bandit = Bandit(4)
    bandit.add_arms(ids, arms(3))  # type: ignore[arg-type]
    assert sorted(bandit.ids) == [1, 2, 3]
    assert bandit.ids.dtype == np.int64  # type: ignore[union-attr]
    assert isinstance(bandit.choose().arm, int)


@pytest.mark.parametrize("ids", [["a", "b", "é"], np.array(["a", "b", "é"]),
                                 np.array(["a", "b", "é"], dtype=object)])
def test_texts_of_many_kinds(ids: object) -> None:
    bandit = Bandit(4)
    bandit.add_arms(ids, arms(3))  # type: ignore[arg-type]
    assert bandit.ids == ["a", "b", "é"]
    assert "é" in bandit and "e" not in bandit
    assert bandit.choose(eligible=["é"]).arm == "é"


@pytest.mark.parametrize(
    "features",
    [
        [[1, 0, 0], [0, 2, 0], [0, 0, 3]],
        ((1.0, 0, 0), (0, 2.0, 0), (0, 0, 3.0)),
        [np.array([1, 0, 0]), [0, 2.0, 0], (0, 0, 3)],
        [np.array([1, 0, 0], dtype=np.float32), np.array([0, 2, 0]), pandas.Series([0, 0, 3])],
        np.diag([1, 2, 3]),
        np.diag([1, 2, 3]).astype(np.uint8),
        np.asfortranarray(np.diag([1, 2, 3]).astype(np.int16)),
        np.diag([1, 0, 2, 0, 3]).astype(np.int32)[::2, ::2],
        pandas.DataFrame(np.diag([1, 2, 3])),
    ],
    ids=repr,
)
def test_features_of_many_kinds(features: Any) -> None:
    bandit, twin = Bandit(3), Bandit(3)
    bandit.add_arms([1, 2, 3], features)
    twin.add_arms([1, 2, 3], np.diag([1, 2, 3]).astype(np.float32))
    assert pickle.dumps(bandit) == pickle.dumps(twin)
    bandit.update_arms([1, 2, 3], features)
    for one in (bandit, twin):
        one.observe_features(np.array([1, 1, 1], dtype=np.float32), 6.0)
    assert np.array_equal(bandit.predict(features), twin.predict(np.diag([1.0, 2.0, 3.0])))


def test_no_arms_in_lists() -> None:
    bandit = Bandit(3)
    bandit.add_arms([], [])
    bandit.update_arms([], ())
    assert len(bandit) == 0
    assert bandit.predict([]).shape == (0,)


def test_a_single_row_is_predicted_by_a_float() -> None:
    bandit = Bandit(3, regularisation=1.0)
    bandit.observe_features([1, 2, 0], 3.0)
    bandit.observe_features((0, 0, 1), -1.0)
    rows = np.array([[1, 2, 3], [4, 5, 6], [0, 0, 1]])
    expected = bandit.predict(rows)
    assert expected.shape == (3,) and expected.dtype == np.float64
    assert expected[2] == pytest.approx(-0.5)
    for lay_out in (list, tuple, np.array, pandas.Series,
                    lambda row: np.array(row, dtype=np.float32),
                    lambda row: np.repeat(np.array(row, dtype=float), 2)[::2]):
        for row, reward in zip(rows.tolist(), expected):
            predicted = bandit.predict(lay_out(row))
            assert type(predicted) is float and predicted == reward


def test_no_choices_are_none_and_draw_nothing() -> None:
    bandit, twin = Bandit(4), Bandit(4)
    assert bandit.choose_many(0) == [] and bandit.choose_many(0, "draws") == []
    for one in (bandit, twin):
        one.add_arms(range(20), arms(20))
    assert bandit.choose_many(0, eligible=[1]) == []
    assert bandit.pending == 0
    assert [bandit.choose() for _ in range(5)] == [twin.choose() for _ in range(5)]


def test_pandas_columns_are_ids() -> None:
    bandit = Bandit(4)
    bandit.add_arms(pandas.Series([5, 6]), arms(2))
    bandit.remove_arms(pandas.Index([5]))
    assert list(bandit.ids) == [6]
    assert bandit.choose(eligible=pandas.Series([True])).arm == 6


def test_large_ids_come_back_unsigned() -> None:
    bandit = Bandit(4)
    bandit.add_arms([2**64 - 1], arms(1))
    assert bandit.ids.dtype == np.uint64  # type: ignore[union-attr]
    assert bandit.choose().arm == 2**64 - 1


@pytest.mark.parametrize(
    "lay_out",
    [
        lambda x: x,
        lambda x: x.astype(np.float64),
        np.asfortranarray,
        lambda x: np.repeat(x, 2, axis=0)[::2],
        lambda x: np.ascontiguousarray(x[::-1])[::-1],
        lambda x: np.repeat(x, 3, axis=1)[:, ::3],
    ],
)
def test_features_however_they_lie(lay_out: object) -> None:
    X = arms(50)
    one, other = Bandit(4, "ucb", "scan"), Bandit(4, "ucb", "scan")
    one.add_arms(range(50), X)
    other.add_arms(range(50), lay_out(X))  # type: ignore[operator]
    for arm in range(20):
        one.observe_features(X[arm], 1.0)
        other.observe_features(lay_out(X)[arm], 1.0)  # type: ignore[operator]
        assert one.choose() == other.choose()


def test_features_are_copied() -> None:
    X = arms(3)
    bandit = Bandit(4, "ucb")
    bandit.add_arms(range(3), X)
    before = bandit.choose().score
    X[:] = 0
    assert bandit.choose().score == before


def test_rewards_come_late_in_any_order_and_once() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(100), arms(100))
    made = [bandit.choose() for _ in range(5)]
    assert [d.id for d in made] == [1, 2, 3, 4, 5]
    bandit.remove_arms([int(made[3].arm)])
    for decision in reversed(made[1:]):
        bandit.learn(decision, 1.0)
    assert bandit.pending == 1
    bandit.dismiss(made[0])
    assert bandit.pending == 0
    with pytest.raises(KeyError):
        bandit.learn(made[0], 1.0)


def test_batches_learn_what_one_by_one_learns() -> None:
    X = arms(100)
    one, many = Bandit(4, seed=3), Bandit(4, seed=3)
    for bandit in (one, many):
        bandit.add_arms(range(100), X)
    for decision in one.choose_many(10, "draws"):
        one.learn(decision, decision.id / 10)
    made = many.choose_many(10, "draws")
    many.learn_many([d.id for d in made[:5]], [d.id / 10 for d in made[:5]])
    many.learn_many(made[5:], np.array([d.id / 10 for d in made[5:]]))
    np.testing.assert_array_equal(one.predict(X), many.predict(X))
    one.observe(3, 0.5)
    one.observe(3, 0.25)
    many.observe_many(np.array([3, 3]), np.array([0.5, 0.25], dtype=np.float32))
    np.testing.assert_array_equal(one.predict(X), many.predict(X))


def test_a_slate_is_the_best_of_one_draw() -> None:
    one, many = Bandit(4, seed=3), Bandit(4, seed=3)
    for bandit in (one, many):
        bandit.add_arms(range(100), arms(100))
    best = one.choose()
    slate = many.choose_many(10)
    assert slate[0] == best
    assert len({d.arm for d in slate}) == 10
    assert [d.score for d in slate] == sorted((d.score for d in slate), reverse=True)
    assert len(many.choose_many(1000)) == 100
    assert len(many.choose_many(1000, eligible=[4, 5])) == 2
    assert {d.arm for d in many.choose_many(1000, "draws", eligible=[4, 5])} == {4, 5}


def test_masks_follow_ids_when_arms_have_come_and_gone() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(100), arms(100))
    bandit.remove_arms(range(10, 60, 7))
    bandit.add_arms(range(200, 205), arms(5, seed=2))
    for wanted in (11, 203, 99):
        assert bandit.choose(eligible=bandit.ids == wanted).arm == wanted


def test_an_array_of_ints_has_ids_and_one_of_bools_is_a_mask() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(3), arms(3))
    for dtype in (np.int64, np.int8, np.uint64):
        assert bandit.choose(eligible=np.array([2], dtype=dtype)).arm == 2
    odd = np.array([0, 0, 2], dtype=np.uint8).view(bool)  # true, but not 1
    assert bandit.choose(eligible=odd).arm == 2
    every_other = np.array([False, False, False, False, True, False])[::2]
    assert bandit.choose(eligible=every_other).arm == 2


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


def test_one_seed_one_sequence() -> None:
    def run(seed: int) -> list[object]:
        bandit = Bandit(4, seed=seed)
        bandit.add_arms(range(500), arms(500))
        chosen = []
        for step in range(200):
            decision = bandit.choose()
            bandit.learn(decision, step % 3)
            chosen.append(decision.arm)
        return chosen

    assert run(1) == run(1) != run(2)


def test_negative_rewards() -> None:
    bandit = Bandit(2, negative_rewards=True)
    bandit.add_arms([0, 1], np.eye(2))
    for _ in range(500):
        d = bandit.choose()
        bandit.learn(d, [-3.0, -1.0][int(d.arm)])
    np.testing.assert_allclose(bandit.predict(np.eye(2)[1:]), [-1.0], atol=0.1)


def test_the_decision_of_another_bandit_is_refused() -> None:
    for one, two in ((1, 2), ("a", "b")):
        bandits = [Bandit(4), Bandit(4)]
        bandits[0].add_arms([one, two], arms(2))
        bandits[1].add_arms([two, one], arms(2)[::-1].copy())
        decision = bandits[0].choose(eligible=[one])
        bandits[1].choose(eligible=[two])
        before = pickle.dumps(bandits[1])
        for refused in (
            lambda: bandits[1].learn(decision, 1.0),
            lambda: bandits[1].learn_many([decision], [1.0]),
            lambda: bandits[1].dismiss(decision),
        ):
            with pytest.raises(KeyError, match="another bandit's"):
                refused()
        assert pickle.dumps(bandits[1]) == before
        bandits[0].remove_arms([one])
        bandits[0].learn(decision, 1.0)


def test_decisions_of_ints_and_of_strings_are_not_mixed_up() -> None:
    texts, ints = Bandit(4), Bandit(4)
    texts.add_arms(["a"], arms(1))
    ints.add_arms([0], arms(1))
    for one, other in ((texts, ints), (ints, texts)):
        decision = one.choose()
        other.choose()
        with pytest.raises(KeyError, match="another bandit's"):
            other.learn(decision, 1.0)


def test_decisions_may_lie_in_arrays() -> None:
    bandit = Bandit(4)
    bandit.add_arms(range(5), arms(5))
    for lay_out in (list, tuple, lambda ds: np.array(ds, dtype=object), pandas.Series):
        bandit.learn_many(lay_out(bandit.choose_many(3)), [1.0, 2.0, 3.0])  # type: ignore[operator]
    bandit.learn_many(np.array([d.id for d in bandit.choose_many(3)]), [1.0, 2.0, 3.0])
    assert bandit.pending == 0


def test_what_cannot_be_an_id_is_not_there() -> None:
    bandit = Bandit(4)
    bandit.add_arms([3], arms(1))
    assert 3 in bandit and np.uint8(3) in bandit
    for other in (-1, 2**70, None, 3.0, "3", b"3", (3,)):
        assert other not in bandit


def test_features_may_be_a_data_frame() -> None:
    one, two = Bandit(4), Bandit(4)
    one.add_arms([1, 2], arms(2))
    two.add_arms([1, 2], pandas.DataFrame(arms(2)))
    assert pickle.dumps(one) == pickle.dumps(two)


def test_features_may_lie_askew_in_memory() -> None:
    rows = arms(3)
    askew = np.frombuffer(b"x" + rows.tobytes(), dtype=np.float32, offset=1).reshape(3, 4)
    packed = np.zeros(3, dtype=[("tag", "u1"), ("row", "f4", 4)])
    packed["row"] = rows
    assert not askew.flags.aligned
    expected = Bandit(4)
    expected.add_arms([1, 2, 3], rows)
    for given in (askew, packed["row"]):
        bandit = Bandit(4)
        bandit.add_arms([1, 2, 3], given)
        assert pickle.dumps(bandit) == pickle.dumps(expected)


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
    bandit = manyarms.Bandit(16)
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
    for step in range(2_000):
        bandit.learn(bandit.choose(), 1.0)
        stats = bandit.stats
        if stats["arms_bounded"] > 0:
            break
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


@pytest.mark.parametrize("negative", [False, True])
def test_what_is_known_of_arms_agrees_with_what_is_predicted(negative: bool) -> None:
    given = arms(30)
    bandit = Bandit(given.shape[1], policy="ucb", negative_rewards=negative)
    bandit.add_arms([f"arm {i}" for i in range(30)], given)
    for step in range(40):
        bandit.learn(bandit.choose(), 0.1 * step)
    ids = ["arm 7", "arm 3", "arm 7"]
    features = bandit.features(ids)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, given[[7, 3, 7]], rtol=2e-7)
    scores = bandit.scores(ids)
    np.testing.assert_allclose(scores, bandit.predict(given[[7, 3, 7]]), rtol=1e-12)
    mean = bandit.mean
    constant = mean[-1] if negative else 0
    np.testing.assert_allclose(
        scores, given[[7, 3, 7]] @ mean[: given.shape[1]] + constant, rtol=1e-4, atol=1e-5
    )
    decision = bandit.choose()
    bound = bandit.scores([decision.arm]) + bandit.uncertainty([decision.arm])
    assert decision.score == pytest.approx(bound[0], rel=1e-4)
    assert bandit.features([]).shape == (0, given.shape[1])
    for method in (bandit.features, bandit.scores, bandit.uncertainty):
        with pytest.raises(KeyError, match="no such arm"):
            method(["no such arm"])


def test_the_number_of_survey_threads_changes_no_decision() -> None:
    def decisions(threads: int) -> list[int]:
        manyarms.set_survey_threads(threads)
        assert manyarms.survey_threads() == threads
        bandit = Bandit(4, seed=5)
        bandit.add_arms(range(3000), arms(3000))
        chosen = []
        for step in range(300):
            decision = bandit.choose()
            bandit.learn(decision, step % 3)
            chosen.append(decision.arm)
        return chosen

    before = manyarms.survey_threads()
    try:
        assert decisions(0) == decisions(1) == decisions(3)
    finally:
        manyarms.set_survey_threads(before)
    with pytest.raises(ValueError, match="5000"):
        manyarms.set_survey_threads(5000)


def test_updates_leave_the_order_of_masks_alone() -> None:
    bandit = Bandit(4, seed=3)
    bandit.add_arms(range(20), arms(20))
    bandit.remove_arms([3, 11])
    before = bandit.ids
    bandit.update_arms([1, 2, 14], arms(3, seed=9))
    np.testing.assert_array_equal(bandit.ids, before)


def test_a_subclass_keeps_what_it_has() -> None:
    bandit = Tagged(2)
    bandit.tag = "mine"
    for again in (copy.copy(bandit), copy.deepcopy(bandit),
                  pickle.loads(pickle.dumps(bandit))):
        assert type(again) is Tagged and again.tag == "mine" and again.dim == 2


class Tagged(Bandit):
    tag: str


def test_can_be_subclassed_and_referred_to_weakly() -> None:
    class Named(Bandit):
        name = "mine"

    bandit = Named(2)
    bandit.add_arms([1], np.eye(2)[:1])
    reference = weakref.ref(bandit)
    assert bandit.name == "mine" and len(bandit) == 1
    del bandit
    gc.collect()
    assert reference() is None


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
