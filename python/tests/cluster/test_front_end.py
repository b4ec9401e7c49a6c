"""``manyarms serve --cluster``: a front end answers as a service does."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import manyarms
from manyarms import errors
from populations import X, facts, one_process, population, process_of, ray_cluster, wait_for

KEYS = [f"user {i}" for i in range(25)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ray_cluster() as where:
        yield where


@contextlib.contextmanager
def front_end(address: str, name: str, *options: str, **environment: str) -> Iterator[str]:
    """A front end. Yields its URL."""
    command = [sys.executable, "-c", "from manyarms._program import main; main()", "serve",
               "--cluster", address, "--name", name, "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                               env=os.environ | environment)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"listening on (\S+)", line)
        assert found, line
        yield found[1]
    finally:
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()


def get(url: str, token: str = "") -> tuple[int, str]:
    request = urllib.request.Request(url)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def play(there: Any, one: Any, steps: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    for step in range(steps):
        keys = [KEYS[i] for i in random.permutation(len(KEYS))[:8]]
        decisions = there.choose_for(keys)
        others = [one.choose(key) for key in keys]
        assert [facts(d) for d in decisions] == [facts(d) for d in others]
        # By the decision's number, or by its event.
        rewarded = [d.event if (place + step) % 3 == 0 else d
                    for place, d in enumerate(decisions)]
        rewards = [d.arm % 4 / 4 for d in decisions]
        assert [known.decision for known in there.learn_many(rewarded, rewards)] == [
            d.id for d in decisions]
        for key, other, reward in zip(keys, others, rewards):
            one.learn(key, other, reward)


def test_two_front_ends_answer_as_one_service(address: str, tmp_path: pathlib.Path) -> None:
    one = one_process()
    with population("fronted", tmp_path, partitions=3) as pop, \
            front_end(address, "fronted") as url, front_end(address, "fronted") as other:
        there = manyarms.Client(url).bandit("fronted")
        here = manyarms.Client(other).bandit("fronted")
        assert there.add_arms(range(60), X[:60]) == (60, 0, 60)
        one.add_arms(range(60), X[:60])
        play(there, one, 4, 1)
        here.remove_arms([7, 9])
        one.remove_arms([7, 9])
        play(here, one, 4, 2)
        assert there.stats["choices"] == pop.stats["choices"] == 8 * 8
        assert list(here.learners()) == list(pop.learners())
        decision = there.choose("user 1")
        assert here.choose("user 1", event=decision.event) == decision
        assert pop.learn(decision.id, 1.0, id="r").learned
        assert here.learn(decision.event, 1.0, id="r").reason == "repeated"
        assert here.decision(decision)["decision"] == decision.id
        assert there.dismiss(there.choose("user 2").event).reason == "dismissed"
        assert there.activate(there.choose("user 3", active=False)).reason == "activated"
        there.observe("user 4", 1, 0.5)
        assert pop.predict("user 4", X[0]) == here.predict("user 4", X[0])
        here.forget("user 4")
        assert not there.knows("user 4") and there.knows("user 5")
        assert [part["arm"] for part in map(vars_of, there.best("user 5", 2))]
        assert there.change(reward_wait=9)["reward_wait"] == 9
        assert pop.settings["reward_wait"] == 9


def vars_of(best: Any) -> dict[str, Any]:
    return dict(best._asdict())


def test_bandits_are_made_and_deleted_at_all_partitions(
    address: str, tmp_path: pathlib.Path
) -> None:
    with population("makes", tmp_path), front_end(address, "makes") as url:
        client = manyarms.Client(url)
        client.create("second", 2, seed=9)
        client.create("second", 2, seed=9)
        with pytest.raises(errors.ConflictError):
            client.create("second", 3)
        assert [bandit.name for bandit in client.bandits()] == ["makes", "second"]
        client.delete("second")
        assert "second" not in client
        with pytest.raises(errors.NotFoundError):
            client.delete("second")


def test_what_is_wrong_is_refused_as_by_a_service(address: str, tmp_path: pathlib.Path) -> None:
    with population("wrong", tmp_path) as pop, front_end(address, "wrong") as url:
        pop.put_arms(range(5), X[:5])
        there = manyarms.Client(url).bandit("wrong")
        with pytest.raises(errors.NotFoundError, match="decision 12345"):
            there.learn(12345, 1.0)
        with pytest.raises(errors.NotFoundError, match="event"):
            there.learn("no event", 1.0)
        with pytest.raises(errors.RefusedValueError):
            there.choose("a", tags="(")
        with pytest.raises(errors.NotFoundError, match="no route"):
            there.take_snapshot("now")
        with pytest.raises(errors.BatchError) as raised:
            there.choose_for(["a", "b"], eligible=[77])
        assert len(raised.value.results) == 2
        for body, status in (
            (b"[]", 422), (b"{", 400), (b'{"learner": true}', 422), (b'{"count":1,"count":1}', 400),
            (b'{"learner": NaN}', 400), (b"\xff", 400), (b'{"learner": -1}', 422),
            (b'{"learner": 17}', 200), (b"", 200),
        ):
            request = urllib.request.Request(
                f"{url}/v1/bandits/wrong/choose", body, {"Content-Type": "application/json"})
            try:
                with urllib.request.urlopen(request) as answer:
                    assert answer.status == status, body
            except urllib.error.HTTPError as error:
                assert error.code == status, (body, error.read())
        assert there.knows("17") and there.knows("")
        assert get(f"{url}/v1/bandits/unknown")[0] == 404
        assert get(f"{url}/v1/bandits/wrong/choose")[0] == 405


def test_it_says_how_its_partitions_are(address: str, tmp_path: pathlib.Path) -> None:
    with population("told", tmp_path) as pop, front_end(address, "told") as url:
        pop.put_arms(range(5), X[:5])
        manyarms.Client(url).bandit("told").choose_for(KEYS)
        assert get(f"{url}/healthz") == (200, '{"status":"ok"}')
        status, body = get(f"{url}/readyz")
        assert status == 200 and json.loads(body)["partitions"] == [
            {"partition": 0, "ready": True}, {"partition": 1, "ready": True}]
        metrics = get(f"{url}/metrics")[1]
        assert 'manyarms_partition_ready{partition="1"} 1' in metrics
        assert 'route="/v1/bandits/{}/choices",status="200"} 1' in metrics
        process = process_of("told", 1)
        os.kill(process, signal.SIGSTOP)
        try:
            status, body = get(f"{url}/readyz")
            assert status == 503 and json.loads(body)["partitions"][1]["ready"] is False
        finally:
            os.kill(process, signal.SIGCONT)
        wait_for(lambda: get(f"{url}/readyz")[0] == 200)


def test_requests_outlive_a_partition(address: str, tmp_path: pathlib.Path) -> None:
    one = one_process()
    with population("outlive", tmp_path), front_end(address, "outlive") as url:
        there = manyarms.Client(url, timeout=60).bandit("outlive")
        there.put_arms(range(30), X[:30])
        one.add_arms(range(30), X[:30])
        for kill in range(4):
            os.kill(process_of("outlive", kill % 2), signal.SIGKILL)
            play(there, one, 2, kill)


def test_tokens_have_roles(address: str, tmp_path: pathlib.Path) -> None:
    with population("tokens", tmp_path) as pop:
        pop.put_arms(range(5), X[:5])
        given = {"MANYARMS_TOKENS": "admin:root,decide:shop,read:page"}
        with front_end(address, "tokens", **given) as url:
            assert get(f"{url}/v1/bandits")[0] == 401
            assert get(f"{url}/v1/bandits", "wrong")[0] == 401
            assert get(f"{url}/v1/bandits", "page")[0] == 200
            assert get(f"{url}/readyz")[0] == 200
            with pytest.raises(errors.ForbiddenError):
                manyarms.Client(url, "page").bandit("tokens").choose("a")
            manyarms.Client(url, "shop").bandit("tokens").choose("a")
            with pytest.raises(errors.ForbiddenError):
                manyarms.Client(url, "shop").bandit("tokens").remove_arms([1])
            manyarms.Client(url, "root").bandit("tokens").remove_arms([1])
    refused = subprocess.run(
        [sys.executable, "-c", "from manyarms._program import main; main()", "serve",
         "--cluster", address, "--name", "tokens", "--address", "0.0.0.0"],
        capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and "without tokens" in refused.stderr
