"""What a client does when connections break: everything is carried out once."""

from __future__ import annotations

import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

import manyarms
from manyarms import _connections, _requests, errors
from serving import Proxy, at_random, served

DIM = 4
X = np.random.default_rng(3).standard_normal((30, DIM)).astype(np.float32)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("retries")) as where:
        yield where


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_requests, "_FIRST_PAUSE", 0.001)


@pytest.fixture
def name(url: str, request: pytest.FixtureRequest) -> str:
    """A bandit's, which has arms."""
    with manyarms.Client(url) as client:
        made = client.create(request.node.name.partition("[")[0][:60], DIM, arms="numbers",
                             seed=request.node.callspec.params.get("seed", 1)
                             if hasattr(request.node, "callspec") else 1)
        if len(made) == 0:
            made.add_arms(range(len(X)), X)
        return made.name


def test_choices_and_rewards_are_carried_out_once(url: str) -> None:
    local = manyarms.Population(DIM, seed=9)
    local.add_arms(range(len(X)), X)
    with Proxy(url, at_random(4, 0.4)) as proxy, manyarms.Client(proxy.url, retries=40) as client:
        there = client.create("once", DIM, seed=9, arms="numbers")
        there.put_arms(range(len(X)), X)
        for step in range(150):
            learner = f"user {step % 7}"
            decision, expected = there.choose(learner), local.choose(learner)
            assert (decision.arm, decision.score) == (expected.arm, expected.score), step
            there.learn(decision, step % 5)
            local.learn(learner, expected, step % 5)
        learners = [f"user {i % 9}" for i in range(120)]
        decisions = there.choose_for(learners)
        expecteds = local.choose_for(learners)
        assert [(d.arm, d.score) for d in decisions] == [(d.arm, d.score) for d in expecteds]
        there.learn_many(decisions, np.arange(120) % 3)
        local.learn_for(learners, expecteds, np.arange(120) % 3)
        done = {action for _, action in proxy.requests}
    with manyarms.Client(url) as client:
        there = client.bandit("once")
        assert there.stats["choices"] == there.stats["rewards"] == 270
        for learner in ("user 0", "user 6"):
            assert np.array_equal(there.predict(learner, X), local.predict(learner, X))
            assert there.describe(learner)["rewards"] == local.describe(learner)["rewards"]
        client.delete("once")
    assert done == {"pass", "drop", "middle", "answered", "half", "busy"}


@pytest.mark.parametrize("tags", [None, [["even"], []] * 2_000], ids=["arrays", "lines"])
def test_arms_are_put_although_connections_break(url: str, tags: list[list[str]] | None) -> None:
    rows = np.random.default_rng(5).standard_normal((4_000, DIM), dtype=np.float32)
    with Proxy(url, at_random(6, 0.6)) as proxy, manyarms.Client(proxy.url, retries=40) as client:
        there = client.create("arms", DIM, arms="numbers")
        for round_of_all in range(5):
            there.put_arms(range(len(rows)), rows + round_of_all, tags=tags)
        actions = {action for line, action in proxy.requests if "/arms" in line}
        assert "pass" in actions and len(actions) > 2
    with manyarms.Client(url) as client:
        there = client.bandit("arms")
        found = np.array([arm.features for arm in there.arms()])
        assert np.array_equal(found, rows + 4)
        assert there.tags() == ({} if tags is None else {"even": 2_000})
        client.delete("arms")


def test_a_body_that_is_refused_at_its_beginning(url: str, name: str) -> None:
    rows = np.zeros((200_000, DIM + 12), dtype=np.float32)  # 13 MB
    there = manyarms.Client(url).bandit(name)
    for tags in (None, [[]] * len(rows)):
        with pytest.raises(errors.RefusedValueError, match="16"):
            there.put_arms(range(len(rows)), rows, tags=tags)
    assert len(there) == len(X)


def test_threads_share_what_breaks(url: str, name: str) -> None:
    failures: list[BaseException] = []
    with Proxy(url, at_random(5, 0.3)) as proxy, manyarms.Client(proxy.url, retries=40) as client:
        there = client.bandit(name)

        def use(learner: str) -> None:
            try:
                for _ in range(25):
                    decision = there.choose(learner)
                    assert decision.learner == learner
                    there.learn(decision, 1.0)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=use, args=(f"user {i}",)) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures
        stats = there.stats
    assert stats["choices"] == stats["rewards"] == 150


def test_what_cannot_be_repeated_is_not(url: str, name: str) -> None:
    actions = iter(["answered", "drop", "busy"])
    with Proxy(
        url, lambda request: next(actions) if b"/remove-arms " in request else "pass"
    ) as proxy:
        there = manyarms.Client(proxy.url).bandit(name)
        before = len(there)
        for arm, status in ((3, None), (4, None), (5, 503)):
            with pytest.raises(errors.UnavailableError) as raised:
                there.remove_arms([arm])
            assert raised.value.uncertain and raised.value.status == status
            assert isinstance(raised.value, ConnectionError)
        asked = [line for line, _ in proxy.requests if "/remove-arms " in line]
        assert len(asked) == 3
        assert len(there) == before - 1  # the first


def test_an_observation_is_learned_once(url: str, name: str) -> None:
    actions = iter(["answered", "drop", "busy", "pass"])
    with Proxy(url, lambda request: next(actions) if b"/observe " in request else "pass") as proxy:
        there = manyarms.Client(proxy.url).bandit(name)
        there.observe("a", 3, 1.0)
        assert len([line for line, _ in proxy.requests if "/observe " in line]) == 4
        there = manyarms.Client(url).bandit(name)
        there.observe("a", 3, 1.0, id="mine")
        there.observe("a", 3, 1.0, id="mine")
        there.observe_features("a", [0.5] * DIM, 1.0, id="mine")
        assert there.stats["observed"] == 2


def test_errors_of_the_caller_are_not_repeated(url: str, name: str) -> None:
    with Proxy(url, lambda request: "pass") as proxy:
        client = manyarms.Client(proxy.url)
        there = client.bandit(name)
        before = len(proxy.requests)
        for call, kind in (
            (lambda: there.choose("a", tags="and"), errors.RefusedValueError),
            (lambda: there.choose("a", eligible=[10**6]), errors.ServiceError),
            (lambda: there.arm(10**6), errors.NotFoundError),
            (lambda: client.create(name, DIM + 1), errors.ConflictError),
        ):
            with pytest.raises(kind):
                call()
        assert len(proxy.requests) == before + 4
        assert proxy.connections == 1  # which was kept all the time


def test_a_service_that_is_busy_is_asked_again(url: str, name: str) -> None:
    left = [3]

    def decide(request: bytes) -> str:
        left[0] -= 1
        return "busy" if left[0] >= 0 else "pass"

    with Proxy(url, decide) as proxy:
        assert len(manyarms.Client(proxy.url, retries=3).bandit(name)) == len(X)
        left[0] = 3
        with pytest.raises(errors.UnavailableError, match="503") as raised:
            manyarms.Client(proxy.url, retries=2).bandits()
        assert raised.value.status == 503 and not raised.value.uncertain


def test_the_end_of_a_deletion_may_have_been_missed(url: str, name: str) -> None:
    actions = iter(["answered", "drop", "pass"])
    with Proxy(url, lambda request: next(actions) if request.startswith(b"DELETE") else "pass"
               ) as proxy:
        there = manyarms.Client(proxy.url).bandit(name)
        there.choose("a")
        there.forget("a")
        assert not there.knows("a")
        actions = iter(["pass"])
        with pytest.raises(errors.NotFoundError):
            there.forget("a")


def test_a_service_that_does_not_answer(url: str, name: str) -> None:
    with Proxy(url, lambda request: "hang") as proxy:
        client = manyarms.Client(proxy.url, timeout=0.2, retries=1)
        began = time.monotonic()
        with pytest.raises(errors.ServiceTimeoutError) as raised:
            client.bandit(name)
        assert 0.4 <= time.monotonic() - began < 20
        assert isinstance(raised.value, TimeoutError) and not raised.value.uncertain
        assert len(proxy.requests) == 2


def test_a_service_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    there = manyarms.ServedBandit(
        _requests.Requests(f"http://127.0.0.1:{port}", None, 1.0, 2, None), "shop", 1_000)
    for call in (lambda: there.choose("a"), lambda: there.observe("a", 1, 1.0)):
        with pytest.raises(errors.UnavailableError, match=f"cannot connect.*{port}") as raised:
            call()
        assert not raised.value.uncertain  # nothing was sent


def test_a_service_comes_back(tmp_path: pathlib.Path) -> None:
    with served(tmp_path) as url:
        port = url.rsplit(":", 1)[1]
        client = manyarms.Client(url, retries=60)
        shop = client.create("shop", DIM, arms="numbers")
        shop.put_arms(range(len(X)), X)
        first = shop.choose("a")
    answers = []
    asking = threading.Thread(target=lambda: answers.append(shop.learn(first, 1.0)))
    asking.start()
    with served(tmp_path, "--port", port):
        asking.join(timeout=60)
        assert answers == [(first.id, True, "")]
        assert shop.stats["arms"] == len(X)


def test_a_connection_that_is_old_or_closed_is_not_used(
    url: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Proxy(url, lambda request: "pass") as proxy:
        client = manyarms.Client(proxy.url, retries=0)
        there = client.bandit(name)
        there.observe("a", 1, 1.0)
        assert proxy.connections == 1
        monkeypatch.setattr(_connections, "_LONGEST_IDLE", 0.0)
        there.observe("a", 1, 1.0)
        assert proxy.connections == 2
        monkeypatch.undo()
    with Proxy(url, lambda request: "pass") as proxy:
        client = manyarms.Client(proxy.url, retries=0)
        there = client.bandit(name)
        for stream in proxy._open:
            stream.shutdown(socket.SHUT_RDWR)
        there.observe("a", 1, 1.0)  # is not repeated, and need not be
        assert proxy.connections == 2
        client.close()
        there.observe("a", 1, 1.0)
        assert proxy.connections == 3


def test_without_retries_no_ids_are_made(url: str, name: str) -> None:
    there = manyarms.Client(url, retries=0).bandit(name)
    assert there.choose("a").event == ""
    with_ids = manyarms.Client(url, retries=1).bandit(name)
    events = {with_ids.choose("a").event for _ in range(10)}
    assert len(events) == 10 and "" not in events


def test_a_forked_child_may_use_its_parent_s_client(url: str, name: str) -> None:
    code = f"""if True:
        import os, threading
        import manyarms
        shop = manyarms.Client({url!r}).bandit({name!r})
        shop.choose("parent")                 # so that a connection is kept
        children = []
        for i in range(3):
            if (child := os.fork()) == 0:
                try:
                    events = [shop.choose(f"child {{i}}") for _ in range(30)]
                    assert all(d.learner == f"child {{i}}" for d in events)
                    os._exit(7)
                finally:
                    os._exit(1)
            children.append(child)
        for _ in range(30):
            assert shop.choose("parent").learner == "parent"
        for child in children:
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    """
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120,
                   env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    stats = manyarms.Client(url).bandit(name).stats
    assert stats["choices"] == 1 + 4 * 30 and stats["learners"] == 4
