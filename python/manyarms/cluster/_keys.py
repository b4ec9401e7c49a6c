"""Which partition has a learner."""

from __future__ import annotations

_OFFSET = 0xCBF29CE484222325
_PRIME = 0x100000001B3
_ALL = (1 << 64) - 1


def owner_of(learner: str, partitions: int) -> int:
    """The partition of a learner: FNV-1a of its key's UTF-8, mixed by splitmix64. It is
    the same in every version, because stores depend on it."""
    value = _OFFSET
    for byte in learner.encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * _PRIME) & _ALL
    return _mixed(value) % partitions


def _mixed(value: int) -> int:
    value = (value + 0x9E3779B97F4A7C15) & _ALL
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _ALL
    return value ^ (value >> 31)
