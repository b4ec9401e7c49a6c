"""A pytest plugin: manyarms stands in for the library whose tests are run.

MANYARMS_PEER names the library; outcomes are written to the file MANYARMS_OUTCOMES.
Beside pytest's own outcomes there are two for tests that do not concern the adapter:
"other model" and "no adapter".
"""

from __future__ import annotations

import json
import os
import pathlib
import random
from collections.abc import Iterator
from typing import Any

import mabwiser.mab
import mabwiser.simulator
import mabwiser_insides
import pytest
import river.bandit
import river_insides

PEER = os.environ["MANYARMS_PEER"]


if PEER == "mabwiser":
    mabwiser.mab.MAB = mabwiser_insides.MAB  # the Simulator keeps MABWiser's own
else:
    river.bandit.Policy = river_insides.Policy

_outcomes: dict[str, str] = {}


def pytest_collection_modifyitems(items: list[Any]) -> None:
    if PEER == "mabwiser":
        mabwiser_insides.leave_linear_policies(items)
    else:
        for item in river_insides.take_out_others(items):
            _outcomes[item.nodeid] = "no adapter"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    random.seed(1)  # river's tests do not seed it, and skip some as flaky
    made = mabwiser_insides.MAB.made
    yield
    if PEER == "mabwiser" and mabwiser_insides.MAB.made == made:
        _outcomes[item.nodeid] = "no adapter"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and mabwiser_insides.OTHER_MODEL in str(report.longrepr):
        _outcomes[report.nodeid] = "other model"
    elif report.failed or report.when == "call" or report.skipped:
        if report.failed or report.nodeid not in _outcomes:
            _outcomes[report.nodeid] = report.outcome


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _outcomes[report.nodeid] = "failed"


def pytest_sessionfinish() -> None:
    pathlib.Path(os.environ["MANYARMS_OUTCOMES"]).write_text(json.dumps(_outcomes))
