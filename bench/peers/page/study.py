"""The rows of a study, and how figures of them are written."""

from __future__ import annotations

import math

from ..rows import part_of

OURS = "manyarms"
SCAN = "manyarms-scan"
FEW = 100  # steps; with fewer, a ratio would pretend to know more than it does


class Study:
    """Rivals of one part in their order, and the last row of each at each size. Remarks
    are rows that somebody wrote who knows how the others were measured."""

    def __init__(self, rows: list[dict], part: str = "arms") -> None:
        rows = [row for row in rows if part_of(row) == part]
        self.rivals = {r["rival"]: r for r in rows if r["kind"] == "rival"}
        self.runs = {(r["rival"], r["arms"]): r for r in rows if r["kind"] == "run"}
        self.sizes = sorted({arms for _, arms in self.runs})
        self.remarks = [r["text"] for r in rows if r["kind"] == "remark"]
        self.seeds = [r for r in rows if r["kind"] == "seeds"]

    def measured(self, rival: str, arms: int) -> dict | None:
        row = self.runs.get((rival, arms))
        return row if row and row.get("steps") else None

    def name(self, rival: str) -> str:
        return self.rivals[rival]["name"]

    def same_problem(self) -> list[str]:
        """Those with one model over features of arms, ours first."""
        return [r for r, fact in self.rivals.items()
                if fact["shared_model"] and self.took_part(r)]

    def another_problem(self) -> list[str]:
        return [r for r, fact in self.rivals.items()
                if not fact["shared_model"] and self.took_part(r)]

    def took_part(self, rival: str) -> bool:
        return any((rival, arms) in self.runs for arms in self.sizes)

    def ratio(self, rival: str, arms: int, figure: str) -> float | None:
        """How many times as long as ours; None where either is missing, or where
        too few steps were made for a ratio."""
        theirs, ours = self.measured(rival, arms), self.measured(OURS, arms)
        if not theirs or not ours:
            return None
        if theirs["steps"] < min(FEW, theirs["asked_steps"]):
            return None
        return theirs[figure] / ours[figure]

    def agree(self, first: str, second: str, arms: int) -> bool | None:
        """Whether two rivals made the same choices; None if that is not known."""
        one, two = self.measured(first, arms), self.measured(second, arms)
        step = common_steps(one, two) if one and two else None
        if step is None:
            return None
        return (one["checkpoints"][step]["digest"]
                == two["checkpoints"][step]["digest"])


def common_steps(theirs: dict, ours: dict) -> str | None:
    """The most steps at which both have a sum."""
    both = set(theirs["checkpoints"]) & set(ours["checkpoints"])
    return max(both, key=int) if both else None


def rounded(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    place = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{round(value, place):,.{max(0, place)}f}"


def digits(row: dict) -> int:
    """A single run on a shared machine is not accurate to three digits."""
    return 3 if row.get("repeats", 1) > 1 else 2


def seconds(value: float | None, figures: int = 2) -> str:
    if value is None:
        return "–"
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            break
    return f"{rounded(value / scale, figures)} {unit}"


def micro(row: dict, figure: str) -> str:
    return seconds(row[figure] * 1e-6, digits(row)) if figure in row else "–"


def times(ratio: float | None) -> str:
    return "–" if ratio is None else rounded(ratio, 2)


def megabytes(row: dict, figure: str) -> str:
    return f"{row[figure] / 1e6:,.0f} MB" if figure in row else "–"


def table(header: list[str], lines: list[list[str]]) -> list[str]:
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return out + ["| " + " | ".join(line) + " |" for line in lines]


def listed(words: list[str]) -> str:
    """With semicolons: names have commas in them."""
    return "; ".join(words)
