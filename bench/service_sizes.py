"""What arms, learners, decisions and rewards take in a service: build/venv/bin/python bench/service_sizes.py

Prints bytes in memory, by the growth of the process over restarts, and in the store, by its
tables.
"""

from __future__ import annotations

import contextlib
import pathlib
import re
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator

import numpy as np

import manyarms
from manyarms import _program

DIM = 16
ARMS = 200_000
LEARNERS = 20_000
CHOICES_EACH = 10


@contextlib.contextmanager
def serving(data: pathlib.Path) -> Iterator[tuple[manyarms.Client, Callable[[], int]]]:
    """A service over a file: a client of it, and what returns its resident bytes."""
    process = subprocess.Popen(
        [_program.path(), "serve", "--data", data, "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )

    def resident() -> int:
        text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        (kilobytes,) = re.findall(r"VmRSS:\s*(\d+) kB", text)
        return int(kilobytes) * 1024

    try:
        assert process.stdout is not None
        with manyarms.Client(process.stdout.readline().split()[-1], timeout=60) as client:
            yield client, resident
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=600) == 0
    finally:
        process.kill()


def tables(path: pathlib.Path) -> dict[str, int]:
    """Bytes of tables, with their indexes."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        rows = store.execute(
            "SELECT s.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name"
            " GROUP BY 1"
        )
        return dict(rows.fetchall())


def main() -> None:
    rng = np.random.default_rng(1)
    features = rng.standard_normal((ARMS, DIM), dtype=np.float32)
    learners = [f"visitor {i}" for i in range(LEARNERS)]
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder) / "sizes.db"
        with serving(data) as (client, resident):
            shop = client.create("shop", DIM, seed=1)
            empty = resident()
            shop.add_arms([f"article {i}" for i in range(ARMS)], features)
            adding = resident()
        with serving(data) as (client, resident):
            with_arms = resident()
            shop = client.bandit("shop")
            for _ in range(CHOICES_EACH):
                decisions = shop.choose_for(learners)
                shop.learn_many(decisions, rng.normal(size=LEARNERS))
        with serving(data) as (client, resident):
            with_learners = resident()
        stored = tables(data)
    choices = LEARNERS * CHOICES_EACH
    print(f"{ARMS:,} arms of {DIM} features, {LEARNERS:,} learners, {choices:,} decisions")
    print(f"in memory: {(with_arms - empty) / ARMS:.0f} bytes an arm "
          f"({(adding - empty) / ARMS:.0f} after they were added in one request), "
          f"{(with_learners - with_arms) / LEARNERS:.0f} a learner")
    for name, count in (("arms", ARMS), ("learners", LEARNERS), ("decisions", choices),
                        ("rewards", choices)):
        print(f"in the store: {stored[name] / count:.0f} bytes a row of {name}")


if __name__ == "__main__":
    main()
