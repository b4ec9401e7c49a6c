"""Rows, which the library and the program write as lines of JSON."""

from __future__ import annotations

import json
from typing import Any


def parse(line: str) -> dict[str, Any]:
    """A row as one dict, with dots in the keys."""
    return _flatten(json.loads(line))


def _flatten(row: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flattens nested dicts into one, with dots in the keys; lists are kept."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat |= _flatten(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
