"""manyarms log export, by the program of the package, beside a service that runs."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import manyarms
from serving import served

DIM = 3
X = np.random.default_rng(3).standard_normal((5, DIM)).astype(np.float32)
NAMES = [f"arm {i}" for i in range(len(X))]


def run(*args: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from manyarms._program import main; main()"]
    return subprocess.run([*command, *map(str, args)], capture_output=True, text=True,
                          check=False)


def export(folder: pathlib.Path, output: str) -> subprocess.CompletedProcess[str]:
    return run("log", "export", "--data", folder / "served.db", "--bandit", "shop",
               "--output", folder / output)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """With a store in which 30 choices have rewards, and one has none."""
    path = tmp_path_factory.mktemp("served")
    with served(path) as url, manyarms.Client(url) as client:
        shop = client.create("shop", DIM, seed=5)
        shop.add_arms(NAMES, X)
        for i in range(30):
            decision = shop.choose(f"user {i % 4}")
            shop.learn(decision, i / 30)
        shop.choose("user 0")
        assert export(path, "running.jsonl").returncode == 0
    return path


def test_a_log_is_exported_beside_the_service_and_afterwards(folder: pathlib.Path) -> None:
    done = export(folder, "shop.jsonl")
    assert done.returncode == 0, done.stderr
    assert "31 decisions, 30 rewards" in done.stdout
    assert (folder / "shop.jsonl").read_bytes() == (folder / "running.jsonl").read_bytes()
    choices = manyarms.read_log(folder / "shop.jsonl")
    np.testing.assert_array_equal(choices["reward"][:30], np.arange(30) / 30)
    for arm, features in zip(choices["arm"], choices["features"]):
        np.testing.assert_array_equal(features, X[NAMES.index(arm)])
    replayed = run("replay", "--events", folder / "shop.jsonl", "--json")
    assert replayed.returncode == 0, replayed.stderr


def test_parquet_has_the_same_choices(folder: pathlib.Path) -> None:
    assert export(folder, "shop.jsonl").returncode == 0
    done = export(folder, "shop.parquet")
    assert done.returncode == 0, done.stderr
    assert "31 choices" in done.stdout
    lines = manyarms.read_log(folder / "shop.jsonl")
    columns = manyarms.read_log(folder / "shop.parquet")
    for name in ("decision", "learner", "arm", "features", "score", "time", "reward"):
        np.testing.assert_array_equal(columns[name], lines[name])
    assert not list(folder.glob(".manyarms-*"))


def test_parquet_of_nothing_says_why(folder: pathlib.Path) -> None:
    done = run("log", "export", "--data", folder / "served.db", "--bandit", "cafe",
               "--output", folder / "cafe.parquet")
    assert done.returncode == 2
    assert "cafe" in done.stderr
    assert not (folder / "cafe.parquet").exists()
