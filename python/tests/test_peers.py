"""The comparison with other libraries runs, with none of them installed."""

import json
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def call(script: str, *arguments: object) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), *map(str, arguments)],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def measure(rows: pathlib.Path, *more: object) -> list[dict]:
    call("bench-peers", "--python", sys.executable, "--rivals", "numpy,manyarms",
         "--sizes", 200, "--steps", 20, "--repeats", 2, "--rows", rows, *more)
    return [json.loads(line) for line in rows.read_text().splitlines()]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("peers") / "rows.jsonl"
    measure(path)
    return path


def runs(rows: list[dict]) -> dict[str, dict]:
    return {row["rival"]: row for row in rows if row["kind"] == "run"}


def test_everybody_steps_to_the_end(rows: pathlib.Path) -> None:
    found = runs([json.loads(line) for line in rows.read_text().splitlines()])
    assert set(found) == {"numpy", "manyarms"}
    for row in found.values():
        assert row["outcome"] == "done"
        assert row["steps"] == 20
        assert row["repeats"] == 2
        assert row["repeats_agree"]
        assert row["choices_after_change"] > 0
    assert found["numpy"]["inexact_choices"] == 0


def test_rows_that_are_there_stay(rows: pathlib.Path) -> None:
    before = rows.read_text()
    measure(rows)
    assert rows.read_text() == before


def test_fresh_forgets_what_is_named_only(rows: pathlib.Path) -> None:
    before = runs([json.loads(line) for line in rows.read_text().splitlines()])
    call("bench-peers", "--python", sys.executable, "--rivals", "numpy", "--sizes", 200,
         "--steps", 20, "--repeats", 2, "--rows", rows, "--fresh")
    after = runs([json.loads(line) for line in rows.read_text().splitlines()])
    assert after["manyarms"] == before["manyarms"]
    assert after["numpy"] != before["numpy"]


def test_a_page_is_made_of_the_rows(rows: pathlib.Path, tmp_path: pathlib.Path) -> None:
    call("peers-page", "--rows", rows, "--docs", tmp_path, "--no-plots")
    page = (tmp_path / "peers.md").read_text()
    assert "| NumPy by hand |" in page
    assert "| manyarms, ts x certified |" in page
    assert "None" not in page
