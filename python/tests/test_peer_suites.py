"""What scripts/test-peers makes of the outcomes of other libraries' tests."""

from __future__ import annotations

import importlib
import pathlib

import pytest

OUTCOMES = {
    "t.py::one": "passed",
    "t.py::two": "failed",
    "t.py::three": "failed",
    "t.py::four": "other model",
    "t.py::five": "no adapter",
    "t.py::six": "skipped",
}


@pytest.fixture
def run(monkeypatch):
    monkeypatch.syspath_prepend(str(pathlib.Path(__file__).parent / "peers"))
    return importlib.import_module("run")


def test_listed_failures_are_in_order(run):
    exempt = {"t.py::t*": "draws"}
    assert run.complaints(OUTCOMES, exempt) == []
    assert run.summary(OUTCOMES, exempt) == (
        "1 passed, 0 failed, 4 do not apply (2 by the list, 1 with a policy that is not "
        "linear, 1 without a bandit), 1 skipped by the suite itself"
    )


@pytest.mark.parametrize(("exempt", "complaint"), [
    ({"t.py::two": "draws"}, "t.py::three failed"),
    ({"t.py::t*": "draws", "t.py::seven": "draws"}, "there is no test 't.py::seven' any more"),
    ({"t.py::*": "draws"}, "t.py::one is said not to apply, but does not fail: passed"),
])
def test_anything_else_is_not(run, exempt, complaint):
    assert complaint in run.complaints(OUTCOMES, exempt)


def test_all_reasons_are_given(run):
    for exempt in run.DOES_NOT_APPLY.values():
        assert all(len(reason) > 20 for reason in exempt.values())
