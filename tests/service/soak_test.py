#!/usr/bin/env python3
"""Much traffic in little time: memory and file of a service must stay as they are.

    soak_test.py --choices 10000000

Choices and their rewards go through a service whose log is kept for seconds only, with
events, so that everything that could grow does. After a warm-up, neither the memory of
the process nor the file may grow any more.
"""

import argparse
import pathlib
import random
import tempfile
import threading
import time

from http_connection import Connection
from service_process import Service

BATCH = 500
CLIENTS = 2
LEARNERS = 2000
PATH = "/v1/bandits/shop"
EVENTS = 20_000  # are remembered
SLACK = 16 << 20
# However fast the machine is: decisions wait for their rewards for two seconds, and
# rows are deleted after two, so that memory and file are as large as they become soon
# after that.
SECONDS = 25


def prepare(service):
    rng = random.Random(1)
    settings = {"dim": 8, "reward_wait": 2, "default_reward": 0, "explore_uniform": 0.05}
    status, answer = service.call("PUT", PATH, settings)
    assert status == 201, answer
    arms = [{"arm": f"a{i}", "features": [rng.gauss(0, 1) for _ in range(8)],
             "tags": ["red"] if i % 2 else []} for i in range(1000)]
    status, answer = service.call("POST", f"{PATH}/arms", {"arms": arms})
    assert status == 200, answer


class Client(threading.Thread):
    """Sends batches of choices, and rewards for most of them."""

    def __init__(self, number, port, batches):
        super().__init__()
        self.number = number
        self.random = random.Random(number)
        self.connection = Connection(port, timeout=120)
        self.batches = batches
        self.done = 0
        self.failure = None

    def run(self):
        try:
            end = time.monotonic() + SECONDS
            batch = 0
            while batch < self.batches or time.monotonic() < end:
                self.send_batch(batch)
                self.done += BATCH
                batch += 1
        except Exception as error:  # noqa: BLE001  # shown by the main thread
            self.failure = error

    def send_batch(self, batch):
        learners = self.random.sample(range(LEARNERS), BATCH)
        choices = [{"learner": f"u{learner}", "event": f"{self.number}-{batch}-{i}"}
                   for i, learner in enumerate(learners)]
        for choice in choices[::10]:
            choice["tags"] = "red"
        results = self.call("/choices", {"choices": choices})
        rewards = [{"decision": one["decision"], "reward": self.random.random(),
                    "id": f"{self.number}-{batch}-{i}"}
                   for i, one in enumerate(results) if i % 5]
        self.call("/rewards", {"rewards": rewards})

    def call(self, path, value):
        status, answer = self.connection.call("POST", PATH + path, value)
        assert status == 200, answer
        failed = [one for one in answer["results"] if "error" in one]
        assert not failed, failed[:2]
        return answer["results"]


def file_bytes(folder):
    return sum(file.stat().st_size for file in folder.glob("shop.db*"))


def look(service, folder, clients):
    done = sum(client.done for client in clients)
    return done, service.resident_bytes(), file_bytes(folder)


def check_flat(what, series, choices, allowed):
    """The mean of the last fifth against that of the third one."""
    fifth = max(len(series) // 5, 1)
    before = sum(series[2 * fifth : 3 * fifth]) / fifth
    after = sum(series[-fifth:]) / fifth
    shown = [int(value) >> 20 for value in series[:: max(len(series) // 20, 1)]]
    print(f"{what}: {shown} MiB over {choices} choices")
    if after - before > allowed:
        raise AssertionError(f"{what} grows: from {before / 2**20:.1f} to {after / 2**20:.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--choices", type=int, default=200_000)
    # 2e-5 days are less than two seconds.
    parser.add_argument("--retention-days", default="0.00002")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="manyarms-soak-") as name:
        folder = pathlib.Path(name)
        service = Service(folder / "shop.db", folder, (
            "--retention-days", arguments.retention_days, "--save-seconds", 1,
            "--max-events", EVENTS, "--threads", 2))
        try:
            soak(service.start(), folder, arguments.choices)
        except BaseException:
            print(service.end_of_log())
            raise
        finally:
            service.kill()


def soak(service, folder, choices):
    prepare(service)
    began = time.monotonic()
    clients = [Client(number, service.port, choices // BATCH // CLIENTS)
               for number in range(CLIENTS)]
    for client in clients:
        client.start()
    seen = []
    while any(client.is_alive() for client in clients):
        time.sleep(0.25)
        seen.append(look(service, folder, clients))
    for client in clients:
        client.join()
        if client.failure:
            raise client.failure
    seconds = time.monotonic() - began
    done = seen[-1][0]
    print(f"{done} choices and {done * 4 // 5} rewards in {seconds:.0f} s")
    check_flat("memory", [row[1] for row in seen], done, SLACK)
    check_flat("file", [row[2] for row in seen], done, SLACK)
    code = service.stop(120)
    assert code == 0, f"the service ended with {code}"


if __name__ == "__main__":
    main()
