"""Tables as text."""

from __future__ import annotations

from collections.abc import Sequence


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns that are aligned on the right, below their headings."""
    widths = [max(map(len, column)) for column in zip(headings, *rows)]
    return "\n".join("  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths))
                     for row in (headings, *rows))
