"""The client and a real service: every verb, as a Population on this machine."""

from __future__ import annotations

import pathlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import manyarms
from manyarms import errors
from serving import served

DIM = 6
X = np.random.default_rng(3).standard_normal((40, DIM)).astype(np.float32)
NAMES = [f"arm {i}" for i in range(len(X))]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("served")) as where:
        yield where


@pytest.fixture
def client(url: str) -> Iterator[manyarms.Client]:
    with manyarms.Client(url) as made:
        yield made


@pytest.fixture
def shop(client: manyarms.Client, request: pytest.FixtureRequest) -> manyarms.ServedBandit:
    bandit = client.create(request.node.name[:60], DIM, seed=5)
    bandit.add_arms(NAMES, X)
    return bandit


def reward_of(arm: Any) -> float:
    return float(X[int(str(arm).rsplit(" ", 1)[-1])].sum())


def test_bandits_are_made_found_and_deleted(client: manyarms.Client) -> None:
    made = client.create("made", DIM, "ucb", manyarms.Certified(check_every=7), 1.5,
                         reward_wait=60, default_reward=0.0)
    assert made.name == "made"
    assert repr(made) == f"<manyarms.ServedBandit 'made' of {client.url}>"
    settings = made.settings
    assert settings["dim"] == DIM and settings["policy"] == "ucb"
    assert settings["exploration"] == 1.5 and settings["check_every"] == 7
    assert settings["reward_wait"] == 60 and settings["default_reward"] == 0.0
    same = client.create("made", DIM, "ucb", manyarms.Certified(check_every=7), 1.5,
                         reward_wait=60, default_reward=0.0)
    assert same.name == "made"
    with pytest.raises(errors.ConflictError, match="made") as raised:
        client.create("made", DIM + 1)
    assert raised.value.status == 409 and raised.value.code == "conflict"
    assert "made" in [one.name for one in client.bandits()]
    assert client.bandit("made").name == "made"
    assert "made" in client and "missing" not in client
    changed = made.change(default_reward=None, aggregation="sum")
    assert changed["default_reward"] is None and changed["aggregation"] == "sum"
    assert made.settings == changed
    client.delete("made")
    assert "made" not in client
    with pytest.raises(KeyError, match="made"):
        client.bandit("made")


def test_all_searches_and_options_can_be_given(client: manyarms.Client) -> None:
    for search in (manyarms.Scan(), manyarms.Certified(first_pass=False), "scan"):
        made = client.create("searches", DIM, search=search)
        if isinstance(search, manyarms.Certified):
            assert made.settings["first_pass"] is False
        client.delete("searches")
    # A restart would not decide alike.
    with pytest.raises(manyarms.errors.RefusedValueError, match="hnsw is not served"):
        client.create("searches", DIM, search=manyarms.Hnsw(links=8))
    with pytest.raises(TypeError, match="search"):
        client.create("searches", DIM, search=7)  # type: ignore[arg-type]


def test_what_the_service_says_of_itself(client: manyarms.Client) -> None:
    assert client.version() == manyarms.__version__
    assert client.live()["now"] > 1e9
    assert "# TYPE manyarms_choices_total counter" in client.metrics()


def test_arms_with_tags_come_change_and_go(shop: manyarms.ServedBandit) -> None:
    assert len(shop) == len(X)
    put = shop.put_arms(["arm 1", "new"], X[[2, 3]], tags=[["red", "old"], ["red"]])
    assert put == manyarms.ArmsPut(added=1, changed=1, arms=len(X) + 1)
    changed = shop.arm("arm 1")
    assert np.array_equal(changed.features, X[2]) and sorted(changed.tags) == ["old", "red"]
    assert shop.tags() == {"old": 1, "red": 2}
    assert "new" in shop and "missing" not in shop and 3.5 not in shop
    for _ in range(5):
        assert shop.choose("a", tags="red and not old").arm == "new"
    shop.remove_arms(["new", "arm 2"])
    assert len(shop) == len(X) - 1
    assert {arm.arm for arm in shop.arms()} == set(NAMES) - {"arm 2"}
    with pytest.raises(errors.NotFoundError, match="arm 2"):
        shop.remove_arms(["arm 3", "arm 2"])
    assert "arm 3" in shop  # all or none
    with pytest.raises(errors.DuplicateIdError, match="arm 3"):
        shop.add_arms(["another", "arm 3"], X[:2])
    assert "another" not in shop


@pytest.mark.parametrize("ids", [
    [f"ünïcode/{i}?" for i in range(5)],
    ["..", "a", ".", "with \"quotes\"", "per%20cent\n"],
    np.array(["one", "two", "three", "four", "five"]),
    pd.Series(["v", "w", "x", "y", "z"]),
    pa.array(["va", "wa", "xa", "ya", "za"]),
], ids=["unicode", "odd", "numpy", "pandas", "arrow"])
def test_names_of_arms_arrive_as_they_are(client: manyarms.Client, ids: Any) -> None:
    bandit = client.create("names", DIM)
    names = list(ids.to_pylist() if isinstance(ids, pa.Array) else ids)
    bandit.add_arms(ids, X[:5])
    found = {arm.arm: arm.features.tolist() for arm in bandit.arms()}
    assert found == {str(name): row.tolist() for name, row in zip(names, X)}
    for name, row in zip(names, X):
        assert bandit.arm(str(name)).features.tolist() == row.tolist()
    client.delete("names")


def test_names_that_arrays_would_cut_are_sent_whole(shop: manyarms.ServedBandit) -> None:
    for name, word in (("ends with nothing\0", "zero"), ("", "name"), ("x" * 2_000, "2000")):
        with pytest.raises(errors.RefusedValueError, match=word):
            shop.put_arms([name, "fine"], X[:2])
    assert "fine" not in shop and "ends with nothing" not in shop


@pytest.mark.parametrize("features", [
    X[:4], X[:4].astype(np.float64), X[:8:2], np.asfortranarray(X[:4]),
    np.arange(4 * DIM).reshape(4, DIM), X[:4].tolist(), pd.DataFrame(X[:4]),
    pa.table({f"f{i}": X[:4, i] for i in range(DIM)}), X[:4].astype(">f4").astype("=f4"),
], ids=["float32", "float64", "strided", "columns", "ints", "lists", "frame", "arrow", "swapped"])
@pytest.mark.parametrize("ids", [
    [1, 2, 3, 2**64 - 1], range(4), np.arange(4, dtype=np.int16), pd.Series([9, 8, 7, 6]),
], ids=["list", "range", "int16", "series"])
def test_arms_come_from_arrays_and_columns(
    client: manyarms.Client, ids: Any, features: Any
) -> None:
    bandit = client.create("columns", DIM, arms="numbers")
    seen: list[tuple[str, int]] = []
    assert bandit.add_arms(ids, features, progress=lambda *stage: seen.append(stage)).added == 4
    expected = np.asarray(
        features.to_pandas() if isinstance(features, pa.Table) else features, dtype=np.float32)
    assert {arm.arm: arm.features.tolist() for arm in bandit.arms()} == {
        int(i): row.tolist() for i, row in zip(ids, expected)}
    assert seen and seen[-1] == ("added", 4)
    client.delete("columns")


def test_many_arms_are_sent_in_one_request(client: manyarms.Client) -> None:
    rows = np.random.default_rng(1).standard_normal((30_000, 16), dtype=np.float32)
    bandit = client.create("many", 16, arms="numbers")
    bandit.add_arms(range(len(rows)), rows)
    assert len(bandit) == len(rows)
    with_tags = [["even"] if i % 2 == 0 else [] for i in range(len(rows))]
    changed = bandit.put_arms(range(len(rows)), rows, tags=with_tags)
    assert changed == (0, len(rows) // 2, len(rows))  # the others are as they were
    assert bandit.tags() == {"even": len(rows) // 2}
    assert np.array_equal(bandit.arm(29_999).features, rows[-1])
    assert sum(1 for _ in bandit.arms()) == len(rows)
    wrong = rows.copy()
    wrong[17_000, 3] = np.nan
    with pytest.raises(errors.InvalidArgumentError, match="17000|17,000|17001"):
        bandit.put_arms(range(len(rows)), wrong)
    assert bandit.tags() == {"even": len(rows) // 2}  # nothing has changed
    client.delete("many")


def played(bandit: Any, learn: Any, steps: int = 60) -> list[tuple[str, Any, float]]:
    """Decisions of several learners, with rewards that come late."""
    made, waiting = [], []
    for step in range(steps):
        learner = ["alice", "bob", "eve"][step % 3]
        decision = bandit.choose(learner)
        made.append((learner, decision.arm, decision.score))
        waiting.append((learner, decision))
        if len(waiting) > 4:
            who, which = waiting.pop(step % 4)
            learn(who, which, reward_of(which.arm))
        if step == 30:
            bandit.remove_arms([decision.arm])
    return made


@pytest.mark.parametrize("policy", ["ts", "ucb"])
@pytest.mark.parametrize("named", [False, True])
def test_decisions_are_those_of_a_population(
    client: manyarms.Client, policy: str, named: bool
) -> None:
    ids: Any = NAMES if named else range(len(X))
    local = manyarms.Population(DIM, policy, seed=11)
    local.add_arms(ids, X)
    there = client.create("same", DIM, policy, seed=11, arms="names" if named else "numbers")
    there.add_arms(ids, X)
    expected = played(local, local.learn)
    assert played(there, lambda _, decision, reward: there.learn(decision, reward)) == expected
    for learner in ("alice", "somebody new"):
        assert np.array_equal(there.predict(learner, X), local.predict(learner, X))
        few = ids[3:6]
        left = [arm for arm in few if arm in local]
        assert np.array_equal(there.scores(learner, left), local.scores(learner, left))
        assert np.array_equal(there.uncertainty(learner, left), local.uncertainty(learner, left))
    slate = [(d.arm, d.score) for d in local.choose_many("bob", 5)]
    assert [(d.arm, d.score) for d in there.choose_many("bob", 5)] == slate
    some = [arm for arm in ids[::7] if arm in local]
    assert there.choose("eve", eligible=some).arm == local.choose("eve", eligible=some).arm
    client.delete("same")


def test_contexts_and_batches_are_those_of_a_population(client: manyarms.Client) -> None:
    local = manyarms.Population(DIM, context_dim=2, seed=3)
    local.add_arms(NAMES, X)
    there = client.create("contexts", DIM, context_dim=2, seed=3)
    there.add_arms(NAMES, X)
    C = np.random.default_rng(2).standard_normal((2_500, 2)).astype(np.float32)
    learners = [f"user {i % 1_700}" for i in range(len(C))]
    for _ in range(2):
        here = local.choose_for(learners, C)
        decisions = there.choose_for(learners, contexts=C)  # three requests
        assert [(d.arm, d.score) for d in decisions] == [(d.arm, d.score) for d in here]
        assert [d.learner for d in decisions] == learners
        rewards = [reward_of(d.arm) for d in here]
        local.learn_for(learners, here, rewards)
        assert all(one.learned for one in there.learn_many(decisions, rewards))
    local.observe("user 1", NAMES[2], 1.5, context=C[0])
    there.observe("user 1", NAMES[2], 1.5, context=C[0])
    local.observe_features("user 1", X[7], 2.5, context=[1, 2])
    there.observe_features("user 1", X[7], 2.5, context=[1, 2])
    assert (there.choose("user 1", context=C[1]).score
            == local.choose("user 1", context=C[1]).score)
    assert there.predict("user 1", X[0], context=C[0]) == local.predict(
        "user 1", X[0], context=C[0])
    best = there.best("user 1", 3, context=C[0])
    scores = local.scores("user 1", NAMES, context=C[0])
    assert [one.expected for one in best] == sorted(scores.tolist(), reverse=True)[:3]
    with pytest.raises(errors.RefusedValueError, match="context"):
        there.choose("user 1")
    with pytest.raises(errors.InvalidArgumentError, match="1 rows"):
        there.choose_for(["a", "b"], C[:1])
    client.delete("contexts")


def test_events_are_answered_again_and_rewards_come_once(shop: manyarms.ServedBandit) -> None:
    first = shop.choose("alice", event="visit 1")
    again = shop.choose("alice", event="visit 1")
    assert again == first and again.repeated and not first.repeated
    assert first.event == "visit 1" and first.learner == "alice"
    assert first.eligible == len(X) and not first.uniform and first.time > 1e9  # type: ignore[operator]
    with pytest.raises(errors.ConflictError, match="visit 1"):
        shop.choose("bob", event="visit 1")
    slate = shop.choose_many("alice", 3, event="visit 2")
    assert [d.rank for d in slate] == [0, 1, 2]
    assert shop.choose_many("alice", 3, event="visit 2") == slate
    assert shop.learn("visit 1", 1.0, id="r1") == (first.id, True, "")
    assert shop.learn(first, 1.0, id="r1") == (first.id, False, "repeated")
    late = shop.learn(first.id, 1.0)
    assert not late.learned and late.reason == "late"
    assert shop.stats["rewards"] == 1 and shop.stats["choices"] == 2  # a slate is one
    described = shop.decision(first)
    assert described["arm"] == first.arm


def test_decisions_are_activated_and_dismissed(shop: manyarms.ServedBandit) -> None:
    quiet = shop.choose("alice", active=False)
    assert shop.activate(quiet).decision == quiet.id
    gone = shop.choose("alice")
    assert shop.dismiss(gone).decision == gone.id
    assert not shop.learn(gone, 1.0).learned
    with pytest.raises(KeyError):
        shop.learn(quiet.id + 1_000_000, 1.0)
    with pytest.raises(KeyError):
        shop.learn("no such event", 1.0)


def test_apprentices_answer_with_the_caller_s_arms(client: manyarms.Client) -> None:
    bandit = client.create("apprentice", DIM, mode="apprentice", seed=5)
    bandit.add_arms(NAMES, X)
    decision = bandit.choose("a", own_arm="arm 4")
    assert decision.arm == "arm 4" and decision.policy_arm in NAMES
    several = bandit.choose_for(["a", "b"], own_arms=["arm 1", "arm 2"])
    assert [d.arm for d in several] == ["arm 1", "arm 2"]
    assert bandit.stats["compared"] == 3
    with pytest.raises(errors.RefusedValueError, match="own_arm"):
        bandit.choose("a")
    client.delete("apprentice")


def test_uniform_choices_have_probabilities(client: manyarms.Client) -> None:
    bandit = client.create("uniform", DIM, explore_uniform=1.0, seed=5)
    bandit.add_arms(NAMES, X)
    decision = bandit.choose("a")
    assert decision.uniform and decision.score == 0
    assert decision.probability == pytest.approx(1 / len(X))
    client.delete("uniform")


def test_other_policies_are_evaluated(client: manyarms.Client) -> None:
    bandit = client.create("evaluated", DIM, explore_uniform=0.5, exploration=1.0)
    bandit.add_arms(NAMES, X)
    for _ in range(16):
        decisions = bandit.choose_for(["a"] * 50)
        bandit.learn_many(decisions, [reward_of(d.arm) for d in decisions])
    result = bandit.evaluate("ucb", manyarms.Scan(), 0.5, uniform_only=True, level=0.9,
                             explore_uniform=0)
    assert (result["policy"], result["search"], result["level"]) == ("ucb", "scan", 0.9)
    assert result["choices"] == 800 and result["uniform"] == bandit.stats["uniform"]["count"]
    # What was learned from half of the log is the best arm, which the model knows exactly.
    best = max(map(reward_of, NAMES))
    assert abs(result["direct"]["value"] - best) < 0.3
    with pytest.raises(errors.RefusedValueError, match="probability"):
        bandit.evaluate()
    with pytest.raises(TypeError, match="search"):
        bandit.evaluate(search=3)  # type: ignore[arg-type]
    client.delete("evaluated")


def test_batches_keep_what_was_done(shop: manyarms.ServedBandit) -> None:
    taken = shop.choose("somebody", event="taken")
    with pytest.raises(errors.BatchError, match="1 of 3 choices") as raised:
        shop.choose_for(["a", "b", "c"], events=["e1", "taken", "e3"])
    first, refused, third = raised.value.results
    assert first.learner == "a" and third.event == "e3"
    assert isinstance(refused, errors.ConflictError)
    with pytest.raises(errors.BatchError, match="1 of 3 rewards") as raised:
        shop.learn_many([first, 10**9, taken], [1, 2, 3])
    assert [isinstance(one, manyarms.Learned) and one.learned
            for one in raised.value.results] == [True, False, True]
    assert shop.choose_for([]) == [] and shop.learn_many([], []) == []
    with pytest.raises(errors.InvalidArgumentError, match="2 decisions, 1 rewards"):
        shop.learn_many([first, taken], [1.0])


def test_learners_are_known_and_forgotten(shop: manyarms.ServedBandit) -> None:
    for learner in ("b", "a", "ü/?%", 17, ""):
        shop.learn(shop.choose(learner), 1.0)
    shop.choose("a")
    assert list(shop.learners()) == ["", "17", "a", "b", "ü/?%"] and shop.knows("")
    assert shop.knows("ü/?%") and shop.knows(17) and not shop.knows("c")
    described = shop.describe("a")
    assert described["choices"] == 2 and described["rewards"] == 1 and described["open"] == 1
    shop.forget("a")
    shop.forget("ü/?%")
    shop.forget("")
    assert list(shop.learners()) == ["17", "b"] and not shop.knows("")
    with pytest.raises(KeyError):
        shop.forget("a")
    with pytest.raises(errors.UnknownIdError):
        shop.describe("a")


def test_snapshots_bring_back_what_was(shop: manyarms.ServedBandit) -> None:
    shop.learn(shop.choose("a"), 1.0)
    before = shop.predict("a", X)
    shop.take_snapshot("good/one")
    with pytest.raises(errors.ConflictError, match="good/one|there"):
        shop.take_snapshot("good/one")
    for _ in range(5):
        shop.learn(shop.choose("a"), -1.0)
    shop.remove_arms(NAMES[:10])
    assert not np.array_equal(shop.predict("a", X), before)
    (snapshot,) = shop.snapshots()
    assert snapshot.name == "good/one" and snapshot.arms == len(X) and snapshot.learners == 1
    shop.restore_snapshot("good/one")
    assert np.array_equal(shop.predict("a", X), before) and len(shop) == len(X)
    shop.delete_snapshot("good/one")
    assert shop.snapshots() == []
    with pytest.raises(KeyError):
        shop.restore_snapshot("good/one")


def test_many_threads_use_one_client(shop: manyarms.ServedBandit) -> None:
    failures: list[BaseException] = []

    def use(learner: str) -> None:
        try:
            for _ in range(40):
                decision = shop.choose(learner)
                assert decision.learner == learner
                assert shop.learn(decision, reward_of(decision.arm)).learned
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(f"user {i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    stats = shop.stats
    assert stats["choices"] == stats["rewards"] == 320 and stats["learners"] == 8


def test_a_backup_is_written_beside_the_data(tmp_path: pathlib.Path) -> None:
    with served(tmp_path) as url, manyarms.Client(url) as client:
        client.create("shop", DIM).add_arms(NAMES, X)
        assert client.backup("copy.db") == (tmp_path / "copy.db").stat().st_size > 0
        with pytest.raises(errors.ServiceError):
            client.backup("copy.db")
    with served(tmp_path, data="copy.db") as url, manyarms.Client(url) as client:
        assert len(client.bandit("shop")) == len(X)


def test_a_token_is_needed_where_there_are_some(tmp_path: pathlib.Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("read reader-token-0123456789\nadmin admin-token-0123456789\n")
    tokens.chmod(0o600)
    with served(tmp_path, "--tokens", str(tokens)) as url:
        admin = manyarms.Client(url, "admin-token-0123456789")
        admin.create("shop", DIM).add_arms(NAMES, X)
        reader = manyarms.Client(url, "reader-token-0123456789").bandit("shop")
        assert len(reader) == len(X)
        with pytest.raises(errors.ForbiddenError) as raised:
            reader.choose("a")
        assert raised.value.status == 403 and isinstance(raised.value, PermissionError)
        for wrong in ("wrong", None):
            with pytest.raises(errors.UnauthorizedError) as refused:
                manyarms.Client(url, wrong).bandits()
            assert refused.value.status == 401
