"""Messages of the study while it runs."""

from __future__ import annotations

import re
import sys


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def complaint(text: str) -> str:
    """Returns a program's error message, without paths of this machine."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    of_pip = [line for line in lines if line.startswith("ERROR: ")]
    line = of_pip[0] if of_pip else (lines or ["no message"])[-1]
    return re.sub(r"(/[\w.+~-]+){2,}", "...", line)[:200]


def summary(row: dict) -> str:
    if not row.get("steps"):
        return row["outcome"]
    times = f", {row['repeats']} times" if row["repeats"] > 1 else ""
    return (f"{row['outcome']}, {row['steps']:,} steps{times}, a choice "
            f"{row['choose_p50_us']:,.1f} µs at the median, "
            f"{row['choose_mean_us']:,.1f} µs on average")
