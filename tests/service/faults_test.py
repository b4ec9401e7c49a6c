#!/usr/bin/env python3
"""What a service does while its store cannot write.

    faults_test.py [FAULT...]

Under load the disk becomes full, writes or syncs fail, PostgreSQL is killed, or ends
the connection. The service must refuse what it cannot keep (503, with a reason), still
serve reads, and go on by itself when the fault is over; after a failed sync, and if its
file was moved away or its log deleted, it must end with 1. Then everything acknowledged is there, and the state is a model's.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from fault_load import PATH, Load, must, prepare, verify
from model import Differs
from postgres import Cluster
from service_process import Service
from store_reader import PostgresReader, SqliteReader

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = 3
SKIPPED = "skipped"


def wait_for(what, condition, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise Differs(f"waited {seconds} s in vain: {what}")
        time.sleep(0.02)


def is_ready(service):
    status, answer = service.call("GET", "/readyz")
    if status == 503 and not answer.get("reason"):
        raise Differs(f"not ready, without a reason: {answer}")
    return status == 200


def run_under_load(service, reader, begin, end, may_recover=True):
    """Under load, begin() makes a fault and end() mends it."""
    prepare(service)
    loads = [Load(number, service) for number in range(CLIENTS)]
    for load in loads:
        load.start()
    try:
        wait_for("choices", lambda: all(len(load.choices) > 50 for load in loads))
        begin()
        if may_recover:
            refuse_and_recover(service, loads, end)
        else:
            code = service.wait()
            if code != 1:
                raise Differs(f"the service ended with {code}, expected 1")
            end()
            service.start()
    finally:
        for load in loads:
            load.over.set()
        for load in loads:
            load.join()
    for load in loads:
        if load.failure:
            raise load.failure
        load.settle()
    decisions, rewards = verify(service, reader, loads)
    code = service.stop()
    if code != 0:
        raise Differs(f"the service ended with {code}")
    service.start()
    verify(service, reader, loads)
    service.stop()
    refused = sum(load.refused for load in loads)
    slowest = max(load.slowest for load in loads)
    return (f"{decisions} decisions, {rewards} rewards; {refused} requests refused, the slowest "
            f"answer after {slowest:.1f} s")


def refuse_and_recover(service, loads, end):
    wait_for("refusals", lambda: all(load.refused for load in loads))
    wait_for("not being ready", lambda: not is_ready(service))
    must(service.call("GET", PATH), 200)
    must(service.call("GET", f"{PATH}/arms/base-1"), 200)
    must(service.call("POST", f"{PATH}/predict", {"learner": "u0-0", "best": 2}), 200)
    must(service.call("GET", "/healthz"), 200)
    acknowledged = [len(load.choices) for load in loads]
    time.sleep(0.3)
    if acknowledged != [len(load.choices) for load in loads]:
        raise Differs("choices are acknowledged though nothing can be written")
    end()
    wait_for("being ready again", lambda: is_ready(service))
    wait_for("choices again", lambda: all(len(load.choices) > before + 20 for load, before
                                          in zip(loads, acknowledged, strict=True)))


def with_shim(folder, words, may_recover):
    library = folder / "failing_files.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", HERE / "failing_files.c", "-o", library, "-ldl"],
                   check=True)
    data = folder / "data"
    data.mkdir()
    flag = folder / "flag"
    service = Service(data / "shop.db", folder, environment={
        "LD_PRELOAD": str(library), "FAILING_FILES": str(data), "FAILING_FILES_FLAG": str(flag)})

    def begin():
        made = folder / "new-flag"
        made.write_text(words)
        made.rename(flag)

    try:
        return run_under_load(service.start(), SqliteReader(data / "shop.db"), begin, flag.unlink,
                              may_recover)
    except BaseException:
        print(service.end_of_log())
        raise
    finally:
        service.kill()


def with_file_gone(folder, begin, end):
    data = folder / "shop.db"
    service = Service(data, folder)
    try:
        return run_under_load(service.start(), SqliteReader(data), lambda: begin(data),
                              lambda: end(data), may_recover=False)
    except BaseException:
        print(service.end_of_log())
        raise
    finally:
        service.kill()


def moved_file(folder):
    """Somebody moves the data file away, and back once the service has ended."""
    elsewhere = folder / "elsewhere.db"
    return with_file_gone(folder, lambda data: data.rename(elsewhere), elsewhere.rename)


def deleted_log(folder):
    """Somebody deletes the log, and nobody can bring it back."""
    return with_file_gone(folder, lambda data: data.with_name(f"{data.name}-wal").unlink(),
                          lambda data: None)


def full_disk(folder):
    """A small file system, which a second file fills."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", disk], check=False,
        stderr=subprocess.DEVNULL).returncode == 0
    if not mounted:
        return f"{SKIPPED}: a file system cannot be mounted here"
    filler = disk / "filler"
    service = Service(disk / "shop.db", folder)

    def begin():
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 65536)
            except OSError:
                pass

    try:
        return run_under_load(service.start(), SqliteReader(disk / "shop.db"), begin, filler.unlink)
    except BaseException:
        print(service.end_of_log())
        raise
    finally:
        service.kill()
        subprocess.run(["umount", disk], check=False)


def with_postgres(folder, begin, end):
    with Cluster() as cluster:
        service = Service(cluster.create("shop"), folder)
        try:
            return run_under_load(service.start(), PostgresReader(cluster, "shop"),
                                  lambda: begin(cluster), lambda: end(cluster))
        except BaseException:
            print(service.end_of_log())
            raise
        finally:
            service.kill()


def lost_connection(folder):
    """The connection ends at once, and nobody can connect for a moment."""
    def begin(cluster):
        cluster.query("postgres", "ALTER DATABASE shop ALLOW_CONNECTIONS false")
        cluster.end_connections("shop")

    def end(cluster):
        cluster.query("postgres", "ALTER DATABASE shop ALLOW_CONNECTIONS true")

    return with_postgres(folder, begin, end)


FAULTS = {
    "full disk": full_disk,
    "no room": lambda folder: with_shim(folder, "write ENOSPC", may_recover=True),
    "failing writes": lambda folder: with_shim(folder, "write EIO", may_recover=True),
    "failing syncs": lambda folder: with_shim(folder, "sync EIO", may_recover=False),
    "moved file": moved_file,
    "deleted log": deleted_log,
    "killed PostgreSQL": lambda folder: with_postgres(folder, Cluster.kill, Cluster.start_again),
    "lost connection": lost_connection,
}


def main():
    for name in sys.argv[1:] or FAULTS:
        with tempfile.TemporaryDirectory(prefix="manyarms-faults-") as folder:
            began = time.monotonic()
            said = FAULTS[name](pathlib.Path(folder))
            print(f"{name}: {said} ({time.monotonic() - began:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
