"""Measures the service beside a handler that does nothing and beside rivals.

The parts: `rates` has choices and rewards over many connections, for all servers in
turns; `restart` is how long a start takes beside reading the database; `memory` is
what the service takes over many choices. Rows go to build/service.jsonl, and of a
whole study to docs/service.jsonl, too.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

from servers import BUILD, NAMES, PROGRAM, ROOT, Server

PARTS = ("rates", "restart", "memory")


def machine() -> str:
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} hardware threads of {(models or ['a processor'])[0]}"


def commit() -> str:
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=False,
                         capture_output=True, text=True)
    return run.stdout.strip()


class Rows:
    """Rows of this run, written as they come."""

    def __init__(self, path: pathlib.Path, parts: list[str]) -> None:
        self.path = path
        self.about = {"machine": machine(), "commit": commit()}
        old = path.read_text().splitlines() if path.exists() else []
        kept = [line for line in old if json.loads(line)["part"] not in parts]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in kept))

    def add(self, part: str, **values: Any) -> None:
        with self.path.open("a") as out:
            out.write(json.dumps({"part": part, **values, **self.about}) + "\n")


def say(text: str) -> None:
    print(text, flush=True)


def load(url: str, *flags: object) -> dict[str, Any]:
    """A row of the load tester."""
    command = [str(flag) for flag in ("load-test", "--url", url, "--json", *flags)]
    run = subprocess.run([PROGRAM, *command], check=False, stdout=subprocess.PIPE, text=True)
    if not run.stdout:
        sys.exit(f"the load test has failed: manyarms {' '.join(command)}")
    row = json.loads(run.stdout)
    if row["errors"]:
        say(f"  errors: {row['errors']}: {row['first_error']}")
    command[2] = "URL"
    return {**row, "command": "manyarms " + " ".join(command)}


def summary(row: dict[str, Any]) -> str:
    return (f"{row['requests_per_second']:>9,.0f} requests/s  "
            f"p50 {1e3 * row['latency']['p50']:8.2f} ms  "
            f"p99 {1e3 * row['latency']['p99']:8.2f} ms")


def sync_seconds(folder: pathlib.Path) -> float:
    """How long the disk takes to make 8 KB durable: the median of many times."""
    path = folder / "sync"
    file = os.open(path, os.O_CREAT | os.O_WRONLY)
    times = []
    for i in range(60):
        os.pwrite(file, b"x" * 8192, 8192 * i)
        start = time.monotonic()
        os.fdatasync(file)
        times.append(time.monotonic() - start)
    os.close(file)
    path.unlink()
    return statistics.median(times)


def measure_rates(arguments: argparse.Namespace, rows: Rows, folder: pathlib.Path) -> None:
    world = ["--arms", arguments.arms, "--dim", 16, "--learners", arguments.learners]
    memory = pathlib.Path(tempfile.mkdtemp(prefix="manyarms-", dir="/dev/shm"))
    servers: dict[str, Server] = {}
    try:
        for kind in arguments.servers:
            data = (memory if kind == "serve-memory" else folder) / "rates.db"
            servers[kind] = Server(kind, str(data))
        for kind, server in servers.items():
            extra = ["--unchecked"] if kind == "nothing" else []
            fill = load(server.url, *world, *extra, "--keep", "--seconds", 0.01)
            say(f"{kind}: arms added in {fill['fill_seconds']:.1f} s")
            warm = load(server.url, *world, *extra, "--reuse", "--connections", 64,
                        "--seconds", arguments.warm_up)
            rows.add("rates", server=kind, round=0, resident_bytes=server.resident_bytes(),
                     **{**warm, "fill_seconds": fill["fill_seconds"]})
            say(f"{kind:<11} first  {summary(warm)}")
        for turn in range(1, arguments.rounds + 1):
            for kind, server in servers.items():
                extra = ["--unchecked"] if kind == "nothing" else []
                before = server.cpu_seconds()
                sync = sync_seconds(folder)
                row = load(server.url, *world, *extra, "--reuse", "--connections", 64,
                           "--warm-up", 0.5, "--seconds", arguments.seconds,
                           "--visits", turn + 1)
                rows.add("rates", server=kind, round=turn, resident_bytes=server.resident_bytes(),
                         cpu_seconds=server.cpu_seconds() - before, sync_seconds=sync, **row)
                say(f"{kind:<11} {turn:>5}  {summary(row)}")
    finally:
        for server in servers.values():
            server.stop()
        shutil.rmtree(memory)


def seconds_of(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def read_all_rows(path: pathlib.Path) -> None:
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = [name for name, in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        for _ in database.execute(f"SELECT * FROM {table}"):
            pass
    database.close()


def read_file(path: pathlib.Path) -> None:
    subprocess.run(["cat", path], check=True, stdout=subprocess.DEVNULL)


def measure_restart(arguments: argparse.Namespace, rows: Rows, folder: pathlib.Path) -> None:
    data = folder / "restart.db"
    with Server("serve", str(data)) as server:
        made = load(server.url, "--arms", arguments.arms, "--dim", 16, "--learners",
                    10 * arguments.learners, "--zipf", 0, "--choices", 20 * arguments.learners,
                    "--batch", 20, "--connections", 16, "--seconds", 3600, "--keep")
    ends = {"stopped": Server.stop, "killed": Server.kill}
    for turn in range(1, arguments.restarts + 1):
        for end, act in ends.items():
            with Server("serve", str(data)) as server:
                load(server.url, "--arms", arguments.arms, "--dim", 16, "--learners",
                     10 * arguments.learners, "--zipf", 0, "--reuse", "--batch", 10,
                     "--choices", 2000, "--visits", turn + 1)
                act(server)
            size = data.stat().st_size
            cat = min(seconds_of(lambda: read_file(data)) for _ in range(3))
            select = seconds_of(lambda: read_all_rows(data))
            with Server("serve", str(data)) as server:
                ready = server.ready_seconds
                resident = server.resident_bytes()
            rows.add("restart", round=turn, after=end, arms=arguments.arms,
                     learners=10 * arguments.learners, file_bytes=size, cat_seconds=cat,
                     select_seconds=select, ready_seconds=ready, resident_bytes=resident,
                     made_by=made["command"])
            say(f"restart after being {end}: ready in {ready:.2f} s, {size / 1e6:,.0f} MB, "
                f"cat {cat:.2f} s, all rows {select:.2f} s")


def measure_memory(arguments: argparse.Namespace, rows: Rows, folder: pathlib.Path) -> None:
    samples: list[tuple[float, int]] = []
    with Server("serve", str(folder / "memory.db")) as server:
        over = threading.Event()
        start = time.monotonic()

        def watch() -> None:
            while not over.wait(arguments.sample_seconds):
                samples.append((time.monotonic() - start, server.resident_bytes()))

        watcher = threading.Thread(target=watch)
        watcher.start()
        row = load(server.url, "--arms", 10_000, "--dim", 16, "--learners", 1000,
                   "--batch", 50, "--connections", 16, "--choices", arguments.choices,
                   "--seconds", 1e6)
        over.set()
        watcher.join()
    rows.add("memory", choices=arguments.choices, samples=samples, **row)
    half = len(samples) // 2
    say(f"memory over {arguments.choices:,} choices: {samples[half][1] / 1e6:,.0f} MB in the "
        f"middle, {samples[-1][1] / 1e6:,.0f} MB at the end")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS), help="default: %(default)s")
    parser.add_argument("--servers", default=",".join(NAMES), help="of rates; default: %(default)s")
    parser.add_argument("--rows", type=pathlib.Path,
                        help="file for the rows (default: build/service.jsonl)")
    parser.add_argument("--folder", type=pathlib.Path, default=BUILD,
                        help="where the service's files are, on the disk to be measured "
                        "(default: build)")
    parser.add_argument("--arms", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--learners", type=int, default=10_000,
                        help="of rates; restarts have ten times as many; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=7, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=5,
                        help="of a round of one server; default: %(default)s")
    parser.add_argument("--warm-up", type=float, default=30,
                        help="seconds of load before the rounds; default: %(default)s")
    parser.add_argument("--restarts", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--choices", type=int, default=1_000_000,
                        help="of memory; 10000000 is a day's traffic in miniature; "
                        "default: %(default)s")
    parser.add_argument("--sample-seconds", type=float, default=5, help="default: %(default)s")
    arguments = parser.parse_args()
    arguments.parts = arguments.parts.split(",")
    arguments.servers = arguments.servers.split(",")
    unknown = set(arguments.parts) - set(PARTS) | set(arguments.servers) - set(NAMES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return arguments


def main() -> None:
    arguments = parse()
    path = arguments.rows or BUILD / "service.jsonl"
    rows = Rows(path, arguments.parts)
    measures = {"rates": measure_rates, "restart": measure_restart, "memory": measure_memory}
    for part in arguments.parts:
        with tempfile.TemporaryDirectory(prefix="service-", dir=arguments.folder) as folder:
            measures[part](arguments, rows, pathlib.Path(folder))
    if arguments.rows is None and arguments.parts == list(PARTS):
        shutil.copy(path, ROOT / "docs" / "service.jsonl")


if __name__ == "__main__":
    main()
