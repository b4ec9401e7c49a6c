"""Measures other work on the machine, which makes times too long."""

from __future__ import annotations

import os
import pathlib
import time

SHORTEST = 0.5  # seconds; shorter intervals are too few of the kernel's 10 ms ticks


def busy_ticks() -> int:
    first = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0]
    user, nice, system, _, _, irq, softirq, steal = map(int, first.split()[1:9])
    return user + nice + system + irq + softirq + steal


def ticks_of(process: int) -> int:
    """Returns the ticks of all threads of a process, or 0 if it has ended."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    user, system = text.rsplit(")", 1)[1].split()[11:13]
    return int(user) + int(system)


class OtherWork:
    """Counts the cores that were busy with other processes than the given ones and
    this one, since the object was made. cores() is None if that time was too short."""

    def __init__(self, processes: list[int]) -> None:
        self.processes = [*processes, os.getpid()]
        self.start = self.now()

    def now(self) -> tuple[int, int, float]:
        own = sum(ticks_of(process) for process in self.processes)
        return busy_ticks(), own, time.monotonic()

    def cores(self) -> float | None:
        busy, own, wall = (
            end - start for end, start in zip(self.now(), self.start, strict=True)
        )
        if wall < SHORTEST:
            return None
        return max(0.0, (busy - own) / os.sysconf("SC_CLK_TCK")) / wall
