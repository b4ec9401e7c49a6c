"""A rival in its own process, which acts only when it is told to."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from .other_work import OtherWork
from .rows import part_of
from .words import complaint

BENCH = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
               "PYTHONWARNINGS": "ignore"} | {
    f"{library}_NUM_THREADS": "2" for library in ("OMP", "OPENBLAS", "MKL")}
PAUSE = 0.1  # seconds between turns, since idle threads of the last rival may spin


def touch_memory(size: int) -> None:
    """Touches memory in a child process, which frees it all when it ends.
    scripts/bench-scaling explains why."""
    child = os.fork()
    if child == 0:
        with mmap.mmap(-1, size) as memory:
            for page in range(0, size, 4096):
                memory[page] = 1
        os._exit(0)
    os.waitpid(child, 0)


def outcome(row: dict, code: int, errors: str) -> str:
    """Describes the phase that was reached and how the process ended."""
    phase = row.get("phase", "import")
    if phase == "done":
        if row["steps"] < row["asked_steps"]:
            return f"cut off after {row['step_limit']} s"
        return "done"
    if code == -signal.SIGALRM:
        return f"{phase} took more than {row['alarm']} s"
    if code < 0:
        return f"failed in {phase}: {signal.Signals(-code).name}"
    return f"failed in {phase}: {complaint(errors)}"


class Player:
    """Runs a rival's process and collects its row, which grows with every turn. Does
    nothing once the process has ended."""

    def __init__(self, python: pathlib.Path, cell: dict, memory: int) -> None:
        touch_memory(memory)
        self.row = dict(cell)
        self.errors = tempfile.TemporaryFile("w+")
        options = {"--part": part_of(cell), "--rival": cell["rival"], "--arms": cell["arms"],
                   "--dim": cell["dim"], "--steps": cell["asked_steps"],
                   "--seed": cell["seed"], "--set-up-limit": cell["set_up_limit"],
                   "--step-limit": cell["step_limit"]}
        self.process = subprocess.Popen(
            [str(python), "-m", "peers.run_one"]
            + [str(part) for option in options.items() for part in option],
            cwd=BENCH, env=ENVIRONMENT, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.alive = True
        self._read()

    def _read(self) -> None:
        """Reads rows until the process is ready for a turn, or has ended."""
        for line in self.process.stdout:
            if line.startswith("{"):
                self.row.update(json.loads(line))
                if self.row["phase"] == "ready":
                    return
        self.alive = False

    def _ask(self, what: str) -> None:
        if not self.alive:
            return
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(what + "\n")
            self.process.stdin.flush()
        self._read()

    def step(self) -> None:
        time.sleep(PAUSE)
        self._ask("step")

    def finish(self) -> dict:
        self._ask("finish")
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait()
        self.errors.seek(0)
        self.row["outcome"] = outcome(self.row, code, self.errors.read())
        self.errors.close()
        for temporary in ("phase", "alarm"):
            self.row.pop(temporary, None)
        return self.row


def first_steps(player: Player) -> None:
    other_work = OtherWork([player.process.pid])
    player.step()
    player.row["other_work_cores"] = other_work.cores()


def in_turns(players: list[Player], rounds: int) -> None:
    """Lets each player step once in every round, so that a slow phase of the machine
    affects all of them."""
    if not players or rounds < 1:
        return
    other_work = OtherWork([player.process.pid for player in players])
    for _ in range(rounds):
        for player in players:
            player.step()
    cores = other_work.cores()
    for player in players:
        player.row["other_work_cores"] = cores
