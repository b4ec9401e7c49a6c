"""The study of clicks and forgetting, with little of everything."""

from __future__ import annotations

import json
import pathlib
import runpy
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def cells(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "rewards"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    # There is another study with modules of the same names.
    for name in ("study", "cells", "players"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import cells  # type: ignore[import-not-found]

    yield cells
    for name in ("study", "cells", "players"):
        sys.modules.pop(name, None)


def tiny(cells: Any) -> Any:
    return cells.Scale(
        steps=400, click_worlds=2, cause_worlds=2, click_arms=(50,), changing_worlds=2, changing_arms=40,
        changing_steps=200, click_rival_worlds=2, changing_rival_worlds=2, rival_arms=30,
        rival_steps=40, cost_worlds=2, cost_arms=60, calibration_worlds=2, calibration_arms=50,
    )  # fmt: skip


# By the sums of Russac et al. (2019), section 3, in place of recursions. The prior
# keeps its weight in both matrices.
def test_discounted_linucb_is_that_of_its_authors(cells: Any) -> None:
    rng = np.random.default_rng(3)
    features = rng.standard_normal((30, 4)).astype(np.float32)
    share, exploration = 0.9, 1.7
    player = cells.players.DiscountedLinUCB(features, share, exploration)
    arms: list[int] = []
    rewards: list[float] = []
    for step in range(60):
        x = features.astype(float)
        ages = np.arange(len(arms))[::-1]
        chosen, earned = x[arms], np.array(rewards)
        v = (chosen.T * share**ages) @ chosen + np.eye(4)
        squared = (chosen.T * share ** (2 * ages)) @ chosen + np.eye(4)
        theta = np.linalg.solve(v, (chosen.T * share**ages) @ earned)
        width = [np.sqrt(row @ np.linalg.inv(v) @ squared @ np.linalg.inv(v) @ row) for row in x]
        np.testing.assert_allclose(player.scores(), x @ theta + exploration * np.array(width))
        arm = player.choose() if step % 2 else int(rng.integers(30))
        reward = float(rng.standard_normal())
        player.learn(arm, reward)
        arms.append(arm)
        rewards.append(reward)


# Probabilities of 0 and 1 are in the first and the last bin.
def test_reliability_counts_every_prediction_once(cells: Any) -> None:
    bins = cells.Reliability()
    for probability, click in ((0.0, 0), (0.02, 1), (0.051, 1), (0.999, 1), (1.0, 0)):
        bins.add(probability, click)
    row = bins.row()
    assert row["count"] == [2, 1, *[0] * 17, 2]
    assert row["clicked"] == [1, 1, *[0] * 17, 1]
    assert row["predicted"][-1] == pytest.approx(1.999)


# A player by hand in NumPy plays in the worlds in which C++ plays.
def test_worlds_are_the_same_for_all_players(cells: Any) -> None:
    world = {"arms": 40, "seed": 3, "steps": 60, "turn_every": 20}
    always = cells.play(lambda features: Constant(7), world)
    environment = cells.sim.Synthetic(dim=16, add=0, arms=40, seed=3, turn_every=20)
    expected = 0.0
    for _ in range(60):
        environment.advance()
        expected += environment.regret(7)
    assert always["regret"] == expected
    assert always["steps_made"] == 60


class Constant:
    def __init__(self, arm: int) -> None:
        self.arm = arm

    def choose(self) -> int:
        return self.arm

    def learn(self, arm: int, reward: float) -> None:
        assert arm == self.arm


def test_study_resumes_and_makes_its_page(
        cells: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import study  # type: ignore[import-not-found]

    rows = tmp_path / "rewards.jsonl"
    scale = tiny(cells)
    parts = [part for part in cells.PARTS if "rivals" not in part]
    assert study.run(parts, scale, rows)
    lines = rows.read_text().splitlines()
    assert len({study.key(json.loads(line)["settings"]) for line in lines}) == len(lines)
    # What is there is not run again, and what is missing is.
    rows.write_text("\n".join(lines[:-3]) + "\n")
    assert study.run(parts, scale, rows)
    again = rows.read_text().splitlines()
    assert again[:-3] == lines[:-3]
    for one, other in zip(again[-3:], lines[-3:], strict=True):
        assert json.loads(one)["settings"] == json.loads(other)["settings"]
        assert json.loads(one)["regret"] == json.loads(other)["regret"]

    page = ROOT / "scripts" / "rewards-page"
    monkeypatch.setattr(sys, "argv", [str(page), "--rows", str(rows), "--docs", str(tmp_path)])
    runpy.run_path(str(page), run_name="__main__")
    text = (tmp_path / "rewards.md").read_text(encoding="utf-8")
    assert "nan" not in text and "2 worlds for each line" in text
    for name in ("clicks", "calibration", "changes"):
        assert (tmp_path / "plots" / f"rewards-{name}.svg").exists()
    # The table is computed from the rows.
    found = [json.loads(line) for line in again]
    logistic = [row["regret"] for row in found if row["settings"]["part"] == "clicks"
                and row["settings"]["way"] == "logistic"
                and row["settings"]["click_rate"] == 0.2]
    reach = 12.706 * np.std(logistic, ddof=1) / np.sqrt(2)
    assert f"| 50 arms, 20 % | {np.mean(logistic):,.0f} ± {reach:,.0f} |" in text
