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
    return read(rows)


def read(rows: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in rows.read_text().splitlines()]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("peers") / "rows.jsonl"
    measure(path)
    return path


def runs(rows: list[dict], part: str | None = None) -> dict[str, dict]:
    """Of the part without contexts, unless `part` says otherwise."""
    return {row["rival"]: row for row in rows
            if row["kind"] == "run" and row.get("part") == part}


def test_everybody_steps_to_the_end(rows: pathlib.Path) -> None:
    found = runs(read(rows))
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


def test_with_contexts_numpy_makes_the_same_choices(rows: pathlib.Path) -> None:
    found = runs(read(rows), "contexts")
    assert set(found) == {"numpy", "manyarms"}
    for row in found.values():
        assert row["outcome"] == "done"
        assert row["steps"] == 20
        assert row["repeats_agree"]
    assert found["numpy"]["inexact_choices"] == 0
    numpy, ours = (found[rival]["checkpoints"]["20"] for rival in ("numpy", "manyarms"))
    assert numpy["digest"] == ours["digest"]
    assert numpy["regret"] == ours["regret"] > 0


def test_a_part_is_measured_alone(rows: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = read(rows)
    copy = tmp_path / "rows.jsonl"
    copy.write_text(rows.read_text())
    after = measure(copy, "--part", "contexts", "--fresh")
    assert runs(after) == runs(before)
    assert runs(after, "contexts") != runs(before, "contexts")


def test_publishing_a_part_keeps_the_other(tmp_path: pathlib.Path) -> None:
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        from peers.rows import publish, read_rows, write_rows
    finally:
        sys.path.pop(0)
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    rival = {"kind": "rival", "rival": "numpy", "version": "1"}
    context = {"part": "contexts", "arms": 10}
    write_rows(old, [rival | {"k_best": "no"}, {"kind": "run", "rival": "numpy"},
                     context | {"kind": "run", "rival": "numpy", "steps": 1}])
    write_rows(new, [{"kind": "run", "rival": "numpy", "steps": 9},
                     context | {"kind": "run", "rival": "numpy", "steps": 2}])
    fact = {"rival": "numpy", "version": "2", "k_best": "yes"}
    publish(new, old, "contexts", {"arms": {"numpy": fact}, "contexts": {}})
    assert read_rows(old) == [
        rival | {"k_best": "yes"}, {"kind": "run", "rival": "numpy"},
        context | {"kind": "run", "rival": "numpy", "steps": 2}]


def test_fresh_forgets_what_is_named_only(rows: pathlib.Path) -> None:
    before = runs(read(rows))
    call("bench-peers", "--python", sys.executable, "--rivals", "numpy", "--sizes", 200,
         "--steps", 20, "--repeats", 2, "--rows", rows, "--fresh")
    after = runs(read(rows))
    assert after["manyarms"] == before["manyarms"]
    assert after["numpy"] != before["numpy"]


def test_a_page_is_made_of_the_rows(rows: pathlib.Path, tmp_path: pathlib.Path) -> None:
    call("peers-page", "--rows", rows, "--docs", tmp_path, "--no-plots")
    page = (tmp_path / "peers.md").read_text()
    assert "| NumPy by hand |" in page
    assert "| manyarms, ts x certified |" in page
    assert "With 200 arms NumPy takes" in page
    assert "Both made the same 20 choices." in page
    assert "None" not in page
