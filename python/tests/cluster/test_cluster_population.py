"""cluster.Population: decisions of one process, divided among several."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from manyarms import cluster, errors
from manyarms.cluster import _keys, _numbers, _replicated, _status
from populations import (
    ARMS, DIM, X, facts, one_process, population, postgres_url, process_of, ray_cluster,
)

KEYS = [f"user {i}" for i in range(30)]


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[str]:
    with ray_cluster() as address:
        yield address


@pytest.fixture(params=["folder", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[str]:
    if request.param == "folder":
        yield str(tmp_path)
    else:
        with postgres_url() as url:
            yield url


def reward_of(arm: int, step: int) -> float:
    return (arm * 7 + step) % 5 / 4


def play(pop: Any, one: Any, steps: int, seed: int) -> None:
    """Both choose and learn the same, or it fails."""
    random = np.random.default_rng(seed)
    for step in range(steps):
        keys = [KEYS[i] for i in random.permutation(len(KEYS))[:12]]
        decisions = pop.choose_for(keys)
        others = [one.choose(key) for key in keys]
        assert [facts(d) for d in decisions] == [facts(d) for d in others]
        rewards = [reward_of(d.arm, step) for d in decisions]
        assert all(known.learned for known in pop.learn_for(decisions, rewards))
        for key, other, reward in zip(keys, others, rewards):
            one.learn(key, other, reward)


def test_decisions_are_those_of_one_process_while_arms_come_and_go(store: str) -> None:
    one = one_process(explore_uniform=0.2)
    with population("same", store, explore_uniform=0.2, partitions=3) as pop:
        assert pop.add_arms(range(80), X[:80]) == (80, 0, 80)
        one.add_arms(range(80), X[:80])
        play(pop, one, 6, 1)
        pop.remove_arms([3, 60, 7])
        one.remove_arms([3, 60, 7])
        play(pop, one, 4, 2)
        pop.add_arms(range(80, ARMS), X[80:])
        one.add_arms(range(80, ARMS), X[80:])
        pop.update_arms([5, 90], X[:2])
        one.update_arms([5, 90], X[:2])
        play(pop, one, 6, 3)
        pop.observe("user 1", 5, 0.5)
        one.observe("user 1", 5, 0.5)
        slate, other = pop.choose_many("user 1", 4), one.choose_many("user 1", 4)
        assert [facts(d) for d in slate] == [facts(d) for d in other]
        assert pop.predict("user 1", X[0]) == one.predict("user 1", X[0])
        assert pop.stats["choices"] == 16 * 12 + 1  # a slate is one
        pop.close()
        again = cluster.Population("same", store=store)
        play(again, one, 2, 4)
        assert sorted(KEYS) == list(again.learners())


def test_a_change_that_was_not_completed_is_completed_by_whoever_comes_next(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: Any, **__: Any) -> None:
        raise errors.ClusterTimeout("partition 1 is not there")

    one = one_process()
    with population("journal", tmp_path, partitions=3) as pop:
        pop.add_arms(range(10), X[:10])
        one.add_arms(range(10), X[:10])
        steps = [
            lambda of: of.remove_arms([2, 5]),
            lambda of: of.add_arms([20, 21, 22], X[20:23]),
            lambda of: of.update_arms([1], X[30:31]),
        ]
        for number, step in enumerate(steps):
            with monkeypatch.context() as patched:
                patched.setattr(_replicated.Replicated, "_follow", dies)
                with pytest.raises(errors.ClusterTimeout, match="is not there"):
                    step(pop)
            step(one)
            cluster.Population("journal")  # completes it
            parts = pop._parts
            arms = [[arm.arm for arm in part.arms()] for part in parts]
            assert arms[0] == arms[1] == arms[2]
            assert sorted(arms[0]) == sorted(one.ids.tolist())
            play(pop, one, 3, number)
        with monkeypatch.context() as patched:
            patched.setattr(_replicated.Replicated, "_follow", dies)
            with pytest.raises(errors.ClusterTimeout):
                pop.remove_arms([0])
        pop.add_arms([50], X[50:51])  # completes the former change before
        assert all(0 not in part and len(part) == 11 for part in pop._parts)


def test_a_change_that_is_refused_changes_nothing(tmp_path: pathlib.Path) -> None:
    with population("refused", tmp_path) as pop:
        pop.add_arms([1, 2], X[:2])
        with pytest.raises(errors.ConflictError, match="2"):
            pop.add_arms([3, 2], X[:2])
        with pytest.raises(errors.NotFoundError):
            pop.remove_arms([1, 4])
        with pytest.raises(errors.NotFoundError):
            pop.update_arms([9], X[:1])
        with pytest.raises(errors.InvalidArgumentError):
            pop.put_arms([5], [[float("nan")] * DIM])
        assert [len(part) for part in pop._parts] == [2, 2]
        pop.put_arms([3], X[:1])
        assert [len(part) for part in pop._parts] == [3, 3]


def test_rewards_and_questions_find_their_partition(tmp_path: pathlib.Path) -> None:
    with population("verbs", tmp_path, partitions=3) as pop:
        pop.put_arms(range(20), X[:20], [["red"] if i % 2 else [] for i in range(20)])
        decisions = pop.choose_for(KEYS, tags="red")
        assert len({d.id for d in decisions}) == len(KEYS)
        assert {d.id % 3 for d in decisions} == {0, 1, 2}
        assert all(d.arm % 2 for d in decisions)
        first = decisions[0]
        assert pop.choose(first.learner, event=first.event, tags="red") == first
        assert pop.learn(first, 1.0, id="once") == (first.id, True, "")
        assert pop.learn(first.id, 1.0, id="once") == (first.id, False, "repeated")
        assert pop.decision(first)["rewards"][0]["id"] == "once"
        assert pop.decision(first)["decision"] == first.id
        assert pop.dismiss(decisions[1]).reason == "dismissed"
        assert pop.describe(first.learner)["rewards"] == 1
        pop.observe("new", 3, 1.0, id="seen")
        pop.observe("new", 3, 1.0, id="seen")
        assert pop.stats["observed"] == 1 and pop.knows("new")
        pop.forget("new")
        assert not pop.knows("new")
        with pytest.raises(errors.NotFoundError):
            pop.forget("new")
        with pytest.raises(errors.BatchError) as raised:
            pop.learn_for([decisions[2], 10**6], [1.0, 1.0])
        results = raised.value.results
        assert results[0].learned and isinstance(results[1], errors.NotFoundError)
        with pytest.raises(TypeError, match="says which partition"):
            pop.learn("an event", 1.0)  # type: ignore[arg-type]
        assert len(pop) == 20 and 3 in pop and 30 not in pop
        assert pop.stats["policy"]["count"] == 2
        assert pop.change(reward_wait=7)["reward_wait"] == 7
        assert all(part.settings["reward_wait"] == 7 for part in pop._parts)


def test_what_it_was_made_with_stays(tmp_path: pathlib.Path) -> None:
    with population("stays", tmp_path, partitions=2):
        with pytest.raises(errors.ConflictError, match="made with 2 partitions"):
            cluster.Population("stays", partitions=3, store=tmp_path)
        with pytest.raises(errors.ConflictError, match="belongs to the population stays"):
            cluster.Population("other", DIM, store=tmp_path)
        with pytest.raises(errors.ConflictError):
            cluster.Population("stays", DIM + 1)
        assert cluster.Population("stays").partitions == 2
    with pytest.raises(errors.NotFoundError, match="say where its store is"):
        cluster.Population("unknown")
    for wrong in ({"partitions": 0}, {"timeout": 0.0}, {"name": "a/b"}):
        with pytest.raises(errors.InvalidArgumentError):
            cluster.Population(**{"name": "ok", "dim": 2, "store": tmp_path, **wrong})


def test_a_population_that_was_stopped_is_started_by_those_who_know_its_store(
    store: str,
) -> None:
    with population("stopped", store, serve=["--max-batch", "777"]) as pop:
        pop.put_arms([1], X[:1])
        other = cluster.Population("stopped", timeout=10.0)
        pop.stop()
        with pytest.raises(errors.UnavailableError, match="was stopped"):
            other.choose("a")
        with pytest.raises(errors.NotFoundError, match="say where its store is"):
            cluster.Population("stopped")
        with population("stopped", store) as again:
            assert other.choose("a").arm == 1 and len(again) == 1
            process = process_of("stopped", 0)
            command = pathlib.Path(f"/proc/{process}/cmdline").read_bytes()
            assert b"--max-batch\x00777\x00" in command
            # The place of the store, with its password, is in no list of processes.
            assert store.encode() not in command


def test_the_status_shows_partitions(tmp_path: pathlib.Path) -> None:
    with population("shown", tmp_path) as pop:
        pop.put_arms([1], X[:1])
        pop.choose_for(KEYS)
        assert _status.populations()["shown"] == [0, 1]
        states = [_status.partition_state("shown", number) for number in (0, 1)]
        assert [one["state"] for one in states] == ["ready", "ready"]
        assert sum(one["learners"] for one in states) == len(KEYS)
        assert [one["epoch"] for one in states] == [1, 1]
        text = _status.populations_text()
        assert "shown" in text and states[0]["url"] in text


def test_owners_of_learners_do_not_change() -> None:
    owners = [_keys.owner_of(key, 8) for key in ("", "alice", "42", "é", "user 7")]
    assert owners == [0, 5, 4, 2, 4]
    counts = np.bincount([_keys.owner_of(str(i), 4) for i in range(40_000)])
    assert counts.min() > 9_700


def test_numbers_of_decisions_say_their_partition() -> None:
    for number, partition in ((1, 0), (1, 6), (2**50, 3)):
        outside = _numbers.outer(number, partition, 7)
        assert _numbers.inner(outside, 7) == (partition, number)
    assert _numbers.outer(2**43, 999, 1000) < 2**53
