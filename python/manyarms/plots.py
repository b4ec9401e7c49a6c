"""Plots; they need matplotlib (``pip install manyarms[plots]``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

try:
    import matplotlib.pyplot as plt
except ImportError as error:
    raise ImportError(
        "manyarms.plots needs matplotlib: pip install manyarms[plots]"
    ) from error

__all__ = ["latency", "regret"]


def _get(row: dict[str, Any], *names: str) -> Any:
    """Returns the first column found; sim and reproduce name it differently."""
    for name in names:
        if name in row:
            return row[name]
    raise ValueError(f"these rows have no column {' or '.join(names)}")


def _label(row: dict[str, Any]) -> str:
    policy = _get(row, "policy", "settings.bandit.policy")
    return f"{policy} × {_get(row, 'search', 'settings.bandit.search')}"


def regret(rows: Sequence[dict[str, Any]], ax: Any = None) -> Any:
    """Plots regret over steps: one curve for rows of ``sim.play``, else one per row."""
    ax = ax if ax is not None else plt.subplots()[1]
    if rows and {"step", "regret", "arm"} <= rows[0].keys():
        ax.plot([row["step"] for row in rows], [row["regret"] for row in rows])
    else:
        colours: dict[str, str] = {}
        for row in rows:
            label = _label(row)
            first = label not in colours
            colour = colours.setdefault(label, f"C{len(colours)}")
            ax.plot(row["curve.step"], row["curve.regret"], color=colour,
                    label=label if first else None)
        ax.legend()
    ax.set_xlabel("steps")
    ax.set_ylabel("cumulative regret")
    return ax


def latency(rows: Sequence[dict[str, Any]], ax: Any = None) -> Any:
    """Plots a choice's median time and 99th percentile over the number of arms."""
    ax = ax if ax is not None else plt.subplots()[1]
    for label in sorted({_label(row) for row in rows}):
        points = sorted(
            (
                _get(row, "arms", "settings.world.arms"),
                _get(row, "latency_us.p50", "times.latency_us.p50"),
                _get(row, "latency_us.p99", "times.latency_us.p99"),
            )
            for row in rows
            if _label(row) == label
        )
        arms, medians, tails = zip(*points)
        (line,) = ax.loglog(arms, medians, "o-", label=label)
        ax.loglog(arms, tails, "--", color=line.get_color())
    ax.set_xlabel("arms")
    ax.set_ylabel("µs per choice (solid: median; dashed: 99th percentile)")
    ax.legend()
    return ax
