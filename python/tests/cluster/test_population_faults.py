"""cluster.Population while processes die, hang, or are taken over by others."""

from __future__ import annotations

import os
import pathlib
import signal
import threading
import time
from collections.abc import Iterator

import pytest

import partition_load
from manyarms import cluster, errors
from populations import (
    X, facts, is_running, kill_actor, one_process, population, postgres_url, process_of,
    ray_cluster, serve, wait_for,
)


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[None]:
    with ray_cluster():
        yield


def owned_by(pop: cluster.Population, partition: int) -> str:
    """A learner of a partition."""
    return next(str(i) for i in range(1_000) if pop._owner_of(str(i)) == partition)


def test_nothing_is_lost_or_applied_twice_while_services_are_killed(
    tmp_path: pathlib.Path,
) -> None:
    measured = partition_load.run("killed", str(tmp_path), 4_000, 3, 6)
    assert measured["learners"] == 4_000


def test_nothing_is_lost_or_applied_twice_in_postgresql() -> None:
    with postgres_url() as url:
        partition_load.run("killed-too", url, 1_000, 2, 3)


def test_an_actor_that_dies_takes_its_service_along_and_comes_back(
    tmp_path: pathlib.Path,
) -> None:
    one = one_process()
    with population("actor", tmp_path) as pop:
        for of in (pop, one):
            of.add_arms(range(20), X[:20])
        learner = owned_by(pop, 1)
        for _ in range(3):
            before = process_of("actor", 1)
            kill_actor("actor", 1)
            decision, other = pop.choose(learner), one.choose(learner)
            assert facts(decision) == facts(other)
            pop.learn(decision, 1.0)
            one.learn(learner, other, 1.0)
            assert process_of("actor", 1) != before
            wait_for(lambda: not is_running(before))


def test_a_partition_that_hangs_is_waited_for_until_the_timeout(tmp_path: pathlib.Path) -> None:
    with population("hangs", tmp_path) as patient:
        patient.add_arms(range(20), X[:20])
        process = process_of("hangs", 1)
        pop = cluster.Population("hangs", timeout=2.0)
        learners = [owned_by(pop, 0), owned_by(pop, 1)]
        os.kill(process, signal.SIGSTOP)
        try:
            began = time.monotonic()
            with pytest.raises(errors.ClusterTimeout, match="partition 1 of hangs"):
                pop.choose(learners[1])
            assert time.monotonic() - began < 20
            pop.choose(learners[0])
            with pytest.raises(errors.BatchError) as raised:
                pop.choose_for(learners)
            assert isinstance(raised.value.results[1], errors.ClusterTimeout)
            began = time.monotonic()
            with pytest.raises(errors.ClusterTimeout, match="partition 1 of hangs"):
                pop.remove_arms([3])
            assert time.monotonic() - began < 20
        finally:
            os.kill(process, signal.SIGCONT)
        patient.add_arms([50], X[50:51])  # completes the change that was begun
        assert [len(part) for part in patient._parts] == [20, 20]
        patient.choose(learners[1])


def test_a_call_waits_for_a_partition_that_comes_back_in_time(tmp_path: pathlib.Path) -> None:
    with population("waits", tmp_path) as pop:
        pop.add_arms(range(20), X[:20])
        learner = owned_by(pop, 0)
        decision = pop.choose(learner)
        process = process_of("waits", 0)
        os.kill(process, signal.SIGSTOP)
        threading.Timer(1.0, os.kill, (process, signal.SIGCONT)).start()
        assert pop.learn(decision, 1.0).learned
        assert pop.describe(learner)["rewards"] == 1


@pytest.mark.parametrize("kind", ["folder", "postgres"])
def test_of_two_owners_of_a_partition_one_is_fenced_off(
    kind: str, tmp_path: pathlib.Path
) -> None:
    if kind == "folder":
        _fence_off(f"fenced-{kind}", str(tmp_path))
    else:
        with postgres_url() as url:
            _fence_off(f"fenced-{kind}", url)


def is_served(pop: cluster.Population, learner: str) -> bool:
    try:
        pop.describe(learner)
    except errors.TakenOverError:
        return False
    return True


def _fence_off(name: str, store: str) -> None:
    with population(name, store) as pop:
        pop.add_arms(range(20), X[:20])
        learner = owned_by(pop, 1)
        acknowledged = []
        fenced: list[Exception] = []

        def play() -> None:
            try:
                while True:
                    decision = pop.choose(learner)
                    pop.learn(decision, 0.5)
                    acknowledged.append(decision)
            except errors.Error as error:
                fenced.append(error)

        playing = threading.Thread(target=play)
        playing.start()
        wait_for(lambda: len(acknowledged) > 20)
        former = process_of(name, 1)
        place = pop._partitions._control.place_of(1)
        refused = serve(place)
        assert refused.communicate(timeout=60)[1].count("another process writes to this store")
        other = serve(place, "--take-over")
        try:
            playing.join(timeout=60)
            assert isinstance(fenced[0], errors.TakenOverError)
            assert f"partition 1 of {name}" in str(fenced[0])
            wait_for(lambda: not is_running(former))
            with pytest.raises(errors.TakenOverError):
                pop.choose(learner)
            pop.choose(owned_by(pop, 0))
        finally:
            other.terminate()
            assert other.wait(60) == 0
        # Once its actor is made again, the partition has everything acknowledged, once.
        # The former one may answer for a moment longer.
        kill_actor(name, 1)
        wait_for(lambda: is_served(pop, learner))
        assert len(acknowledged) <= pop.describe(learner)["rewards"] <= len(acknowledged) + 1
        for decision in acknowledged[-5:]:
            assert len(pop.decision(decision)["rewards"]) == 1


def test_a_service_says_that_its_store_was_taken_over(tmp_path: pathlib.Path) -> None:
    place = str(tmp_path / "one.db")
    first = serve(place)
    assert first.stdout is not None and "listening" in first.stdout.readline()
    second = serve(place, "--take-over")
    try:
        errors_of_first = first.communicate(timeout=60)[1]
        assert first.returncode == 3
        assert ("another process has taken over this store (epoch 2; this process has epoch 1)"
                in errors_of_first)
    finally:
        second.terminate()
        assert second.wait(60) == 0
