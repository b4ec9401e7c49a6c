"""What operators see and do: names, the status, spreading reproductions."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from pairs import DIM

from manyarms import _program, cluster
from manyarms.errors import DuplicateIdError

ROOT = pathlib.Path(__file__).parents[3]
EXPERIMENTS = ROOT / "tests" / "experiments"


def run(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from manyarms._program import main; main()", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_the_status_of_named_bandits(nodes: Any) -> None:
    rows = np.random.default_rng(1).standard_normal((1_000, DIM)).astype(np.float32)
    with cluster.Bandit(DIM, shards=3, timeout=120, name="shop") as bandit:
        bandit.add_arms(range(1_000), rows)
        with pytest.raises(DuplicateIdError, match="shop"):
            cluster.Bandit(DIM, name="shop")
        done = run("cluster", "status", "--address", nodes.address)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert lines[0] == "shop"
        assert lines[1].split()[:3] == ["shard", "arms", "bytes"]
        table = [line.split() for line in lines[2:5]]
        assert [row[0] for row in table] == ["0", "1", "2"]
        assert sum(int(row[1]) for row in table) == 1_000
        assert {int(row[-1]) for row in table} == {
            shard["pid"] for shard in bandit.describe_shards()}
        bandit.rebalance(2)
        shops = run("cluster", "status", "--address", nodes.address).stdout.split("\n\n")[0]
        assert len(shops.splitlines()) == 4


def test_the_status_without_a_cluster() -> None:
    done = run("cluster", "status", "--address", "127.0.0.1:1")
    assert done.returncode == 2
    assert "127.0.0.1:1" in done.stderr


def rows_of(folder: pathlib.Path) -> list[str]:
    """All that does not depend on the machine or on time."""
    rows = [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]
    for row in rows:
        del row["times"], row["origin"]
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def test_a_reproduction_on_a_cluster_writes_the_same_rows(
        nodes: Any, tmp_path: pathlib.Path) -> None:
    flags = ["--experiments", str(EXPERIMENTS), "--tables", "1,4", "--runs", "2"]
    one, many = tmp_path / "one", tmp_path / "many"
    subprocess.run([_program.path(), "reproduce", *flags, "--out", one], check=True,
                   capture_output=True)
    for _ in range(2):  # the second time nothing is left to do
        done = run("reproduce", "--ray", nodes.address, *flags, "--out", str(many))
        assert done.returncode == 0, done.stderr
        assert rows_of(many) == rows_of(one)
    assert "Table 4" in done.stdout


def test_the_manual_s_example(tmp_path: pathlib.Path) -> None:
    text = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "example.py").write_text(example)
    done = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True,
                          text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "of 200 choices asked the shards" in done.stdout
