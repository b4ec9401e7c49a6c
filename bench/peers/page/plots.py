"""Plots of the page. matplotlib is imported here only: text needs none of it."""

from __future__ import annotations

import pathlib

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "manyarms"  # same rows, same bytes
matplotlib.rcParams["font.size"] = 9
import matplotlib.pyplot as plt  # noqa: E402

from .study import OURS, Study  # noqa: E402

MARKERS = "osD^v<>Phx*dp8+"


def curves(study: Study, value) -> list[tuple]:
    """In the order of their right ends, which is that of the legend."""
    found = []
    for place, rival in enumerate(study.rivals):
        points = [(arms, value(row)) for arms in study.sizes
                  if (row := study.measured(rival, arms)) and value(row) > 0]
        if points:
            found.append((place, rival, points))
    return sorted(found, key=lambda c: c[2][-1][1] / c[2][-1][0], reverse=True)


def draw(ax, study: Study, value, unit: str) -> None:
    for place, rival, points in curves(study, value):
        own = rival.startswith(OURS)
        ax.loglog(*zip(*points, strict=True), label=study.name(rival),
                  marker=MARKERS[place % len(MARKERS)], markersize=5,
                  color=plt.get_cmap("tab20")(place % 20),
                  linewidth=2.5 if own else 1.2)
    ax.set_xlabel("arms")
    ax.set_ylabel(unit)
    ax.grid(True, which="major", alpha=0.3)


def save(figure, path: pathlib.Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def plot_choices(study: Study, path: pathlib.Path) -> None:
    """Medians and means side by side: the first scans are in the means only."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5), sharey=True)
    draw(left, study, lambda row: row["choose_p50_us"], "a choice, µs")
    draw(right, study, lambda row: row["choose_mean_us"], "")
    left.set_title("median")
    right.set_title("mean over all steps")
    right.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8)
    save(figure, path)


def plot_contexts(study: Study, path: pathlib.Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5))
    draw(left, study, lambda row: row["choose_mean_us"], "a choice, mean, µs")
    draw(right, study, lambda row: row["stepped_rss_bytes"] / 1e6,
         "memory after all steps, MB")
    right.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8)
    save(figure, path)


def plot_memory(study: Study, path: pathlib.Path) -> None:
    figure, ax = plt.subplots(figsize=(9, 5))
    draw(ax, study, lambda row: row["stepped_rss_bytes"] / 1e6,
         "memory after all steps, MB")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8)
    save(figure, path)
