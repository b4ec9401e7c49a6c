"""What the tests share."""

from __future__ import annotations

import importlib.util
import shlex
import sys
import types

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how to repeat what failed; all seeds are fixed in the tests."""
    stats = terminalreporter.stats
    for report in stats.get("failed", []) + stats.get("error", []):
        terminalreporter.write_line(
            f"To repeat it: build/venv/bin/python -m pytest {shlex.quote(report.nodeid)}"
        )


def _stand_in_for_torch() -> None:
    """Lets Open Bandit Pipeline be imported where torch is not installed.

    It imports torch for its learners from logged data, which no test uses, and
    torch brings gigabytes of CUDA along.
    """
    names = ["torch", "torch.nn", "torch.nn.functional", "torch.optim",
             "torch.utils", "torch.utils.data"]
    modules = {name: types.ModuleType(name) for name in names}
    modules["torch"].Tensor = type("Tensor", (), {})  # type: ignore[attr-defined]
    modules["torch.nn"].Module = type("Module", (), {})  # type: ignore[attr-defined]
    data = modules["torch.utils.data"]
    for name in ("DataLoader", "Dataset"):
        setattr(data, name, type(name, (), {}))
    for name, module in modules.items():
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(modules[parent], child, module)
    sys.modules.update(modules)


if importlib.util.find_spec("torch") is None:
    _stand_in_for_torch()
