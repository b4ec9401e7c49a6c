#!/usr/bin/env python3
"""Sends hostile requests to a service, which must neither crash nor leak.

    hostile_test.py --program build-asan/manyarms --generator build-asan/hostile \\
        --requests 1000000

The service may be built with sanitizers or not; without them its memory must stay flat.
After each batch a valid request must be answered. Before the last batch, slow clients
must be cut off.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time
from collections import Counter

import service_process
from service_process import Service

# Limits that are reached soon, so that memory has to become flat.
LIMITS = ("--max-body", 1 << 20, "--max-arms-body", 4 << 20, "--max-batch", 100,
          "--max-bandits", 8, "--max-arms", 200, "--max-learners", 500,
          "--max-open-decisions", 5000, "--threads", 2)
REPORTS = ("AddressSanitizer", "LeakSanitizer", "runtime error", "terminate called")
SLOW_CLIENTS = 20
# Beyond what the allocator may hold back after a batch.
MOST_GROWTH = 48 << 20


KEPT = {"names": {"dim": 2, "reward_wait": 1, "seed": 1},
        "numbers": {"dim": 3, "context_dim": 2, "arms": "numbers", "reward_wait": 1,
                    "aggregation": "sum", "default_reward": 0}}


def prepare(service):
    """The generator may have deleted its bandits, and made others in their place."""
    for bandit in service.call("GET", "/v1/bandits")[1]["bandits"]:
        if bandit["name"] not in KEPT:
            service.call("DELETE", f"/v1/bandits/{bandit['name']}")
    for name, settings in KEPT.items():
        status, answer = service.call("PUT", f"/v1/bandits/{name}", settings)
        if status == 409:
            status, answer = service.call("DELETE", f"/v1/bandits/{name}")
            assert status == 204, answer
            status, answer = service.call("PUT", f"/v1/bandits/{name}", settings)
        assert status in (200, 201), answer


def is_well(service):
    """A new bandit can be used."""
    prepare(service)
    path = "/v1/bandits/well"
    arm = {"features": [1, 0.5], "tags": ["red"]}
    for expected, request in (
            (201, ("PUT", path, {"dim": 2})),
            (201, ("PUT", f"{path}/arms/a1", arm)),
            (200, ("POST", f"{path}/choose", {"learner": "u1", "tags": "red"})),
            (200, ("POST", f"{path}/predict", {"learner": "u1", "best": 1})),
            (204, ("DELETE", path, None))):
        status, answer = service.call(*request)
        assert status == expected, (request, status, answer)


def run_batch(arguments, service, seed, requests, slow):
    command = [arguments.generator, "--port", service.port, "--requests", requests,
               "--seed", seed, "--slow", slow, "--connections", arguments.connections]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=1800, check=False)
    said = json.loads(done.stdout) if done.stdout else {"failures": [done.stderr], "failed": 1}
    if done.returncode != 0:
        raise AssertionError(f"seed {seed}: {said['failed']} failures:\n"
                             + "\n".join(said["failures"]))
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=service_process.PROGRAM)
    parser.add_argument("--generator", type=pathlib.Path,
                        default=service_process.PROGRAM.with_name("hostile"))
    parser.add_argument("--requests", type=int, default=50_000)
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="manyarms-hostile-") as folder:
        service = Service(pathlib.Path(folder) / "shop.db", folder, LIMITS,
                          program=arguments.program)
        try:
            test(arguments, service.start())
        except BaseException:
            print(service.end_of_log(20_000))
            raise
        finally:
            service.kill()


def test(arguments, service):
    prepare(service)
    sent, answered = Counter(), Counter()
    resident = []
    began = time.monotonic()
    for batch in range(arguments.batches):
        slow = SLOW_CLIENTS if batch == arguments.batches - 1 else 0
        said = run_batch(arguments, service, arguments.seed * 1000 + batch,
                         arguments.requests // arguments.batches, slow)
        sent.update(said["sent"])
        answered.update(said["answered"])
        is_well(service)
        resident.append(service.resident_bytes())
    seconds = time.monotonic() - began
    code = service.stop(120)
    log = service.end_of_log(10_000_000)
    reports = [word for word in REPORTS if word in log]
    if code != 0 or reports:
        raise AssertionError(f"the service ended with {code}, its log has {reports}")
    growth = resident[-1] - resident[len(resident) // 2]
    sanitized = "asan" in str(arguments.program)
    if growth > MOST_GROWTH and not sanitized:
        raise AssertionError(f"memory grows: {[size >> 20 for size in resident]} MiB")
    print(f"{sum(sent.values())} requests in {seconds:.0f} s: {dict(sent)}\n"
          f"answered: {dict(sorted(answered.items()))}\n"
          f"memory: {[size >> 20 for size in resident]} MiB")


if __name__ == "__main__":
    main()
