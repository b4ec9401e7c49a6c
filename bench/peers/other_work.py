"""What the machine did besides: times taken beside other work are too long."""

from __future__ import annotations

import os
import pathlib
import time

SHORTEST = 0.5  # seconds: the kernel counts in hundredths


def busy_ticks() -> int:
    first = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0]
    user, nice, system, _, _, irq, softirq, steal = map(int, first.split()[1:9])
    return user + nice + system + irq + softirq + steal


def ticks_of(process: int) -> int:
    """Of all its threads; a process that has ended took no more."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    user, system = text.rsplit(")", 1)[1].split()[11:13]
    return int(user) + int(system)


class OtherWork:
    """How many cores were busy with something else than these processes and this
    one, since it was made. None where that was too short to tell."""

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
