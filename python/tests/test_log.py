"""Logs of decisions and rewards, and what is learned from past events."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet
import pytest
from random_arms import arms

import manyarms
from manyarms import Bandit, Log, Population, errors, log_header, log_to_parquet, read_log


def bandit(**options: Any) -> Bandit:
    made = Bandit(4, **options)
    made.add_arms(range(6), arms(6))
    return made


def equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for name, column in one.items():
        np.testing.assert_array_equal(column, other[name], name)
        assert column.dtype == other[name].dtype, name


def test_a_log_has_what_was_chosen_and_what_came_of_it(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "log.jsonl"
    chosen = bandit(context_dim=2)
    made = []
    with Log(path, chosen) as log:
        for step in range(10):
            context = [step / 8, 1.0]
            d = chosen.choose(context=context)
            log.decision(d, context=context, time=step, probability=0.5 if step else None)
            made.append(d)
        for step in (3, 1, 2):
            chosen.learn(made[step], 0.25 * step)
            log.reward(made[step] if step == 1 else made[step].id, 0.25 * step, time=20)
        log.observation(0.5, arm=3, context=[0, 0])
        log.sync()
    columns = read_log(path)
    order = [3, 1, 2, 0, 4, 5, 6, 7, 8, 9]
    np.testing.assert_array_equal(columns["decision"], [made[i].id for i in order])
    np.testing.assert_array_equal(columns["arm"], [made[i].arm for i in order])
    np.testing.assert_array_equal(columns["score"], [made[i].score for i in order])
    np.testing.assert_array_equal(columns["features"], chosen.features(columns["arm"]))
    np.testing.assert_array_equal(columns["context"], [[i / 8, 1] for i in order])
    np.testing.assert_array_equal(columns["time"], order)
    np.testing.assert_array_equal(columns["reward"], [0.75, 0.25, 0.5] + [np.nan] * 7)
    np.testing.assert_array_equal(columns["probability"], [0.5] * 3 + [np.nan] + [0.5] * 6)
    assert columns["features"].dtype == np.float32
    assert set(columns["policy"]) == {"ts"}
    filled = read_log(path, default_reward=-1)
    np.testing.assert_array_equal(filled["reward"], [0.75, 0.25, 0.5] + [-1] * 7)
    frame = pandas.DataFrame({k: v for k, v in columns.items() if v.ndim == 1})
    assert len(frame) == 10
    header = log_header(path)
    assert (header["dim"], header["context_dim"], header["population"]) == (4, 2, False)
    again = bandit(context_dim=2)
    rewarded = ~np.isnan(columns["reward"])
    for x, c, r in zip(*(columns[k][rewarded] for k in ("features", "context", "reward"))):
        again.observe_features(x, r, context=c)
    np.testing.assert_array_equal(again.mean, chosen.mean)


def test_lines_are_those_of_the_documentation(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "log.jsonl"
    named = Bandit(2, seed=2**63)
    named.add_arms(["blue", "réd"], [[0.5, 1], [0.25, 0]])
    with Log(path, named, new=True) as log:
        log.arms_added(["blue", "réd"])
        d = named.choose()
        log.decision(d, policy="mine")
        log.reward(d, 1)
        log.arms_removed(np.array(["réd"]))
        log.observation(2, features=[1, 2])
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["log"] == "manyarms" and lines[0]["format"] == 1
    assert lines[0]["seed"] == 2**63
    assert lines[1] == {"event": "arm", "arm": "blue", "features": [0.5, 1]}
    assert lines[2]["arm"] == "réd"
    decision = lines[3]
    assert decision["event"] == "decision" and decision["arm"] == d.arm
    assert decision["policy"] == "mine" and decision["score"] == d.score
    assert lines[4] == {"event": "reward", "decision": 1, "reward": 1}
    assert lines[5] == {"event": "arm removed", "arm": "réd"}
    assert lines[6] == {"event": "observation", "features": [1, 2], "reward": 2}


def test_learners_of_populations_are_in_the_log(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "log.jsonl"
    shop = Population(4, negative_rewards=True)
    shop.add_arms(range(6), arms(6))
    np.testing.assert_allclose(shop.features([2, 5]), arms(6)[[2, 5]], rtol=1e-6)
    with Log(path, shop) as log:
        for learner in ("alice", 7, 7, "7"):
            d = shop.choose(learner)
            log.decision(d, learner=learner)
            shop.learn(learner, d, 0.5)
            log.reward(d, 0.5, learner=learner)
        with pytest.raises(errors.InvalidArgumentError, match="learner"):
            log.decision(d)
    columns = read_log(path)
    assert list(columns["learner"]) == ["alice", 7, 7, "7"]
    log_to_parquet(path, tmp_path / "log.parquet")
    equal(read_log(tmp_path / "log.parquet"), columns)
    with pytest.raises(errors.InvalidArgumentError, match="population"):
        Log(path, bandit())


@pytest.mark.parametrize("texts", [False, True])
def test_parquet_has_the_same_columns(tmp_path: pathlib.Path, texts: bool) -> None:
    log_path, parquet = tmp_path / "log.jsonl", tmp_path / "log.parquet"
    made = Bandit(3, context_dim=1)
    ids: Any = ["a", "b", "c"] if texts else [2**64 - 1, 5, 6]
    made.add_arms(ids, arms(3)[:, :3])
    with Log(log_path, made) as log:
        assert log_to_parquet(log_path, parquet) == 0
        equal(read_log(parquet) | {"arm": np.array([])},
              read_log(log_path) | {"arm": np.array([])})
        for step in range(20):
            d = made.choose(context=[step])
            log.decision(d, context=[step], probability=0.25 if step % 3 else None)
            if step % 4:
                log.reward(d, step / 7)
    assert log_to_parquet(log_path, parquet) == 20
    equal(read_log(parquet), read_log(log_path))
    equal(read_log(parquet, default_reward=0), read_log(log_path, default_reward=0))
    assert log_header(parquet) == log_header(log_path)
    table = pa.parquet.read_table(parquet)
    assert table.column("reward").null_count == 5
    assert table.schema.field("features").type == pa.list_(pa.float32(), 3)
    other = tmp_path / "other.parquet"
    pa.parquet.write_table(pa.table({"x": [1]}), other)
    with pytest.raises(errors.CorruptFileError, match="other.parquet"):
        read_log(other)
    other.write_bytes(parquet.read_bytes()[:200])
    with pytest.raises(errors.CorruptFileError, match="other.parquet"):
        read_log(other)


def parquet_of(folder: pathlib.Path, **options: Any) -> tuple[pathlib.Path, pathlib.Path]:
    """A small log and its Parquet file."""
    log_path, parquet = folder / "log.jsonl", folder / "log.parquet"
    made = bandit(**options)
    with Log(log_path, made) as log:
        for step in range(8):
            d = made.choose()
            log.decision(d, probability=0.5)
            if step % 2:
                log.reward(d, 1)
    log_to_parquet(log_path, parquet)
    return log_path, parquet


def test_damaged_parquet_is_read_or_refused(tmp_path: pathlib.Path) -> None:
    _, parquet = parquet_of(tmp_path)
    whole = parquet.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for attempt in range(600):
        damaged = bytearray(whole)
        if attempt % 3 == 0:
            damaged = damaged[: int(rng.integers(4, len(whole)))]
        else:  # mostly in what says how to read the rest
            first = len(whole) // 2 if attempt % 3 == 1 else 4
            for place in rng.integers(first, len(whole), rng.integers(1, 4)):
                damaged[place] = int(rng.integers(256))
        parquet.write_bytes(damaged)
        for read in (read_log, log_header):
            try:
                read(parquet)
            except errors.CorruptFileError as error:
                assert "log.parquet: " in str(error)
                refused += 1
    assert refused > 300


def test_other_parquet_with_the_mark_is_refused(tmp_path: pathlib.Path) -> None:
    _, parquet = parquet_of(tmp_path)
    table = pa.parquet.read_table(parquet)
    header = log_header(parquet)
    features = table.column_names.index("features")
    line = table.column_names.index("line")
    without_line = pa.array([None] * len(table), type=pa.uint64())
    for changed, metadata, match in [
        (table, b"\xff", "log.parquet"),
        (table, b"{", "log.parquet"),
        (table, b"[1]", "first line of a log"),
        (table, b"{}", "first line of a log"),
        (table, json.dumps(header | {"dim": "4"}), "first line of a log"),
        (table, json.dumps(header | {"dim": 2}), "column features has type"),
        (table, json.dumps(header | {"population": True}), "learner"),
        (table.drop_columns(["score"]), json.dumps(header), "score"),
        (table.set_column(features, "features", table.column("score")), json.dumps(header),
         "column features has type double"),
        (table.set_column(line, "line", without_line), json.dumps(header), "line has nulls"),
    ]:
        pa.parquet.write_table(
            changed.replace_schema_metadata({b"manyarms.log": metadata}), parquet)
        with pytest.raises(errors.CorruptFileError, match=match):
            read_log(parquet)


def test_parquet_overwrites_no_other_file(tmp_path: pathlib.Path) -> None:
    log_path, parquet = parquet_of(tmp_path)
    before = log_path.read_bytes()
    (tmp_path / "link").symlink_to(log_path)
    for same in (log_path, tmp_path / "link"):
        with pytest.raises(errors.InvalidArgumentError, match="the log itself"):
            log_to_parquet(log_path, same)
    assert log_path.read_bytes() == before
    others = tmp_path / "log.parquet.partial"
    others.write_text("mine")
    assert log_to_parquet(log_path, parquet) == 8
    assert others.read_text() == "mine"
    assert {file.name for file in tmp_path.iterdir()} == {
        "log.jsonl", "log.parquet", "log.parquet.partial", "link"}
    assert parquet.stat().st_mode == log_path.stat().st_mode


@pytest.mark.parametrize("kind", ["log", "parquet"])
def test_default_rewards_are_checked(tmp_path: pathlib.Path, kind: str) -> None:
    (tmp_path / "clicks").mkdir()
    linear = parquet_of(tmp_path)[kind == "parquet"]
    clicks = parquet_of(tmp_path / "clicks", rewards="clicks")[kind == "parquet"]
    for value in (float("inf"), float("nan"), 1e10):
        with pytest.raises(errors.InvalidArgumentError, match="reward"):
            read_log(linear, default_reward=value)
    for value in (2, -0.5):
        read_log(linear, default_reward=value)
        with pytest.raises(errors.InvalidArgumentError, match="from 0 to 1"):
            read_log(clicks, default_reward=value)
    with pytest.raises(TypeError):
        read_log(linear, default_reward="abc")  # type: ignore[arg-type]
    # A truth is a click, as for rewards that are learned.
    np.testing.assert_array_equal(read_log(clicks, default_reward=True)["reward"], 1)


def test_what_is_written_twice_is_refused(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "log.jsonl"
    made = bandit()
    with Log(path, made) as log:
        d = made.choose()
        log.decision(d)
        log.reward(d, 1)
        with pytest.raises(errors.DuplicateIdError, match="decision 1"):
            log.decision(d)
        with pytest.raises(errors.UnknownIdError, match="decision 1 has a reward"):
            log.reward(d, 1)
        with pytest.raises(errors.UnknownIdError, match="no decision 2"):
            log.reward(2, 1)
    anew = bandit()
    with Log(path, anew) as log:
        with pytest.raises(errors.DuplicateIdError, match="needs a new log"):
            log.decision(anew.choose())
    assert len(read_log(path)["reward"]) == 1


def test_without_pyarrow_the_error_says_what_to_install(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Log(tmp_path / "log.jsonl", bandit()):
        pass
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install manyarms\[parquet\]"):
        log_to_parquet(tmp_path / "log.jsonl", tmp_path / "log.parquet")


def test_wrong_calls_write_nothing(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "log.jsonl"
    clicks = bandit(rewards="clicks")
    log = Log(path, clicks)
    d = clicks.choose()
    before = path.read_bytes()
    for call, match in [
        (lambda: log.reward(d, 2), "reward"),
        (lambda: log.reward(d, float("nan")), "reward"),
        (lambda: log.decision(d, probability=0), "probability is 0"),
        (lambda: log.decision(d, context=[1]), "context"),
        (lambda: log.decision(d, features=[1]), "1 features"),
        (lambda: log.decision(d, time=float("inf")), "time"),
        (lambda: log.decision(d, learner=1), "single bandit"),
        (lambda: log.observation(1), "arm or features"),
        (lambda: log.observation(1, arm=99), "99"),
    ]:
        with pytest.raises(errors.Error, match=match):
            call()
    with pytest.raises(TypeError):
        Log(tmp_path / "other", "bandit")  # type: ignore[arg-type]
    with pytest.raises(errors.FileError, match="another writer"):
        Log(path, clicks)
    assert path.read_bytes() == before
    log.close()
    with pytest.raises(ValueError, match="closed"):
        log.reward(d, 1)
    with pytest.raises(errors.FileError, match="exists"):
        Log(path, clicks, new=True)
    with pytest.raises(errors.InvalidArgumentError, match="clicks"):
        Log(path, bandit())


def test_damaged_logs_are_refused_with_the_line(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "log.jsonl"
    chosen = bandit()
    with Log(path, chosen) as log:
        d = chosen.choose()
        log.decision(d)
        log.reward(d, 1)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(errors.CorruptFileError, match="log.jsonl, line 3"):
        read_log(path)
    assert np.isnan(read_log(path, ignore_torn_tail=True)["reward"]).all()
    with pytest.raises(errors.CorruptFileError, match="log.jsonl, line 3"):
        log_to_parquet(path, tmp_path / "log.parquet")
    assert [file.name for file in tmp_path.iterdir()] == ["log.jsonl"]
    with Log(path, chosen) as log:  # cuts off what is torn
        log.reward(d, 0.5)
    assert read_log(path)["reward"] == [0.5]
    path.write_bytes(whole.replace(b'"format":1', b'"format":2'))
    with pytest.raises(errors.UnsupportedError, match="line 1.*format 2"):
        read_log(path)
    with pytest.raises(FileNotFoundError):
        read_log(tmp_path / "missing")
    if pathlib.Path("/dev/full").exists():
        with pytest.raises(errors.FileError, match="No space"):
            Log("/dev/full", chosen)


def test_threads_may_share_a_log(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "log.jsonl"
    chosen = bandit()
    with Log(path, chosen) as log:
        def work() -> None:
            for _ in range(200):
                d = chosen.choose()
                log.decision(d)
                log.reward(d, 0.5)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    columns = read_log(path)
    assert sorted(columns["decision"]) == list(range(1, 801))
    assert (columns["reward"] == 0.5).all()


def replay(*args: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from manyarms._program import main; main()"]
    return subprocess.run([*command, "replay", *map(str, args)],
                          capture_output=True, text=True, check=False)


def test_replay_learns_what_a_loop_learns(tmp_path: pathlib.Path) -> None:
    rows = arms(5)
    np.save(tmp_path / "arms.npy", rows)
    names = [f"arm {i}" for i in range(5)]
    columns = {"arm": names} | {f"x{j}": rows[:, j] for j in range(4)}
    pa.parquet.write_table(pa.table(columns), tmp_path / "columns.parquet")
    lists = {"features": list(rows), "arm": list(range(5))}
    pa.parquet.write_table(pa.table(lists), tmp_path / "lists.parquet")
    rng = np.random.default_rng(1)
    events = [(int(rng.integers(5)), float(rng.random())) for _ in range(50)]
    for name, ids in (("numbers", range(5)), ("names", names)):
        (tmp_path / name).write_text("".join(
            json.dumps({"arm": ids[arm], "reward": reward}) + "\n" for arm, reward in events))
    expected = Bandit(4)
    expected.add_arms(range(5), rows)
    for arm, reward in events:
        expected.observe(arm, reward)
    saved = tmp_path / "saved"
    for file, past in (("arms.npy", "numbers"), ("lists.parquet", "numbers"),
                       ("columns.parquet", "names")):
        done = replay("--arms", tmp_path / file, "--events", tmp_path / past, "--json",
                      "--save", saved, "--best", 2)
        assert done.returncode == 0, done.stderr
        row = json.loads(done.stdout)
        assert row["events"] == 50
        loaded = Bandit.load(saved)
        np.testing.assert_array_equal(loaded.mean, expected.mean)
        best = int(np.argmax(expected.scores(range(5))))
        assert row["best_arms"][0]["arm"] == (names[best] if past == "names" else best)
        assert list(loaded.ids) == list(names if past == "names" else range(5))


def test_replay_refuses_arms_that_it_cannot_read(tmp_path: pathlib.Path) -> None:
    (tmp_path / "events").write_text('{"arm":0,"reward":1}\n')
    pa.parquet.write_table(pa.table({"arm": [1, 0], "x": [1.0, 2.0]}), tmp_path / "a.parquet")
    pa.parquet.write_table(pa.table({"x": ["one"]}), tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_text("no parquet")
    for file, part in (("a.parquet", "0, 1, 2"), ("b.parquet", "no numbers"),
                       ("c.parquet", "c.parquet"), ("d.parquet", "d.parquet")):
        done = replay(f"--arms={tmp_path / file}", "--events", tmp_path / "events")
        assert done.returncode == 2
        assert done.stderr.startswith("manyarms: ") and part in done.stderr
        assert done.stderr.count("\n") == 1


def test_the_names_are_in_the_package() -> None:
    assert {"Log", "read_log", "log_header", "log_to_parquet"} <= set(manyarms.__all__)
