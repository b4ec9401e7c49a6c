#!/usr/bin/env python3
"""Kills a service again and again under load, and checks that it lost nothing.

    kill_test.py --kills 500 --store sqlite

The service is driven over HTTP by several clients, which note what it acknowledged,
and ended by kill -9 at a random moment, also while it starts. After each restart
everything acknowledged must be there, once; what was under way is there wholly or
not at all; retries are answered as before; and the state is that of a model in this
process, which is fed with what the store says happened.
"""

import argparse
import pathlib
import random
import shutil
import tempfile
import threading
import time

import kill_snapshots
from kill_checks import Checks
from kill_client import BANDITS, Client
from model import TAGS, Differs
from postgres import Cluster
from service_process import NotStarted, Service
from store_reader import PostgresReader, SqliteReader

CLIENTS = 4
OPTIONS = ("--threads", "2", "--save-seconds", "0.1")


class SqlitePlaces:
    """Where the service keeps its data, and copies of it."""

    def __init__(self, folder):
        self.folder = folder
        self.place = folder / "test.db"
        self.reader = SqliteReader(self.place)

    def copy(self):
        for file in self.folder.glob("test.db*"):
            shutil.copy(file, self.folder / file.name.replace("test", "copy"))
        return self.folder / "copy.db"

    def drop_copy(self):
        for file in self.folder.glob("copy.db*"):
            file.unlink()

    def close(self):
        pass


class PostgresPlaces:
    def __init__(self, folder):
        del folder
        self.cluster = Cluster()
        self.place = self.cluster.create("test")
        self.reader = PostgresReader(self.cluster, "test")

    def copy(self):
        self.cluster.end_connections("test")  # a copy needs that
        for attempt in range(20):
            try:
                return self.cluster.create("copy", template="test")
            except RuntimeError:
                if attempt == 19:
                    raise
                time.sleep(0.1)

    def drop_copy(self):
        self.cluster.drop("copy")

    def close(self):
        self.cluster.__exit__()


class KillTest:
    def __init__(self, places, folder, arguments):
        self.places = places
        self.folder = folder
        self.random = random.Random(arguments.seed)
        self.arguments = arguments
        self.service = Service(places.place, folder, OPTIONS)
        self.clients = [Client(number, arguments.seed) for number in range(CLIENTS)]
        self.snapshots = kill_snapshots.SnapshotClient(arguments.seed)
        self.checks = Checks(places.reader)
        self.rows = {}
        self.kills = self.twins = self.retries = 0

    def prepare(self):
        """Bandits, and arms that stay."""
        self.start()
        connection = self.service.connect()
        for bandit, settings in {**BANDITS, kill_snapshots.BANDIT: kill_snapshots.SETTINGS}.items():
            must(connection.call("PUT", f"/v1/bandits/{bandit}", settings), 201)
        for bandit, settings in BANDITS.items():
            numbers = settings.get("arms") == "numbers"

            def vector(size):
                return [round(self.random.gauss(0, 1), 3) for _ in range(size)]

            arms = [{"arm": i + 1 if numbers else f"base-{i}",
                     "features": vector(settings["dim"]),
                     "tags": [TAGS[i % 4]] if i % 4 < len(TAGS) else []} for i in range(40)]
            must(connection.call("POST", f"/v1/bandits/{bandit}/arms", {"arms": arms}), 200)
            self.rows[bandit] = ([vector(settings["dim"]) for _ in range(4)],
                                 vector(settings.get("context_dim", 0)))
        connection.close()

    def run(self):
        self.prepare()
        self.began = time.monotonic()
        while self.kills < self.arguments.kills and not self.is_over():
            self.drive_and_kill()
            with_twin = self.kills % self.arguments.twin_every == 0
            copy = self.places.copy() if with_twin else None
            if self.random.random() < 0.1:
                self.kill_while_starting()
            self.start()
            try:
                self.check()
                if with_twin:
                    self.compare_with_twin(copy)
                self.retry()
            except Exception:
                print(f"after kill {self.kills} of seed {self.arguments.seed}; the service "
                      f"has ended with {self.service.process.poll()}, its log ends with\n"
                      f"{self.service.end_of_log()}")
                raise
        self.check_forgotten()
        code = self.service.stop()
        assert code == 0, f"the service ended with {code}"

    def is_over(self):
        seconds = self.arguments.seconds
        return seconds and time.monotonic() - self.began > seconds

    def start(self):
        """A database may hold the lock of a killed process for a moment."""
        for attempt in range(50):
            try:
                self.service.start()
                return
            except NotStarted:
                if attempt == 49:
                    raise
                time.sleep(0.1)

    def drive_and_kill(self):
        threads = [threading.Thread(target=client.run, args=(self.service.connect,))
                   for client in [*self.clients, self.snapshots]]
        for thread in threads:
            thread.start()
        time.sleep(self.random.uniform(0, self.arguments.longest))
        if not self.service.running():
            raise Differs("the service ended by itself")
        self.service.kill()
        self.kills += 1
        for thread in threads:
            thread.join()
        for client in [*self.clients, self.snapshots]:
            if client.failure:
                raise client.failure

    def kill_while_starting(self):
        self.service.launch()
        time.sleep(self.random.uniform(0, 0.1))
        self.service.kill()
        self.kills += 1

    def check(self):
        self.checks.read_store(self.clients)
        connection = self.service.connect()
        self.checks.check_choices(connection, self.clients, self.sample)
        self.checks.check_rewards(self.clients)
        self.checks.check_arms(connection, self.clients)
        self.checks.check_bandits(self.clients)
        self.checks.check_state(connection, self.rows)
        self.snapshots.check(connection)
        connection.close()
        self.answered = [choice for client in self.clients for choice in client.choices
                         if choice[1].get("event")
                         and not choice[1]["learner"].startswith("gone-")]
        self.rewarded = [reward for client in self.clients for reward in client.rewards
                         if reward[1].get("id")]
        for client in self.clients:
            client.choices, client.rewards, client.observed = [], [], []

    def sample(self, values, most=60):
        return self.random.sample(values, min(len(values), most))

    def retry(self):
        """What was under way is sent again, and some of what was answered."""
        connection = self.service.connect()
        for client in self.clients:
            operation, client.pending = client.pending, None
            if operation:
                self.retry_pending(connection, client, operation)
        for bandit, request, answer in self.sample(self.answered, 5):
            self.retries += 1
            again = must(connection.call("POST", f"/v1/bandits/{bandit}/choose", request), 200)
            if {**again, "repeated": True} != {**answer, "repeated": True} or not again["repeated"]:
                raise Differs(f"{request} was answered {answer}, and again {again}")
        for bandit, request, _ in self.sample(self.rewarded, 5):
            self.retries += 1
            again = must(connection.call("POST", f"/v1/bandits/{bandit}/reward", request), 200)
            if again["learned"] or again["reason"] != "repeated":
                raise Differs(f"{request} was learned before, and again {again}")
        connection.close()

    def retry_pending(self, connection, client, operation):
        bandit = operation.bandit
        path = f"/v1/bandits/{bandit}"
        if operation.kind in ("choose", "choices"):
            choices = operation.value.get("choices", [operation.value])
            for request in choices:
                if "event" in request:
                    self.retry_choice(connection, client, bandit, request)
        elif operation.kind in ("reward", "rewards"):
            for request in operation.value.get("rewards", [operation.value]):
                if "id" in request:
                    self.retry_reward(connection, client, bandit, request)
        elif operation.kind == "forget":
            learner = operation.facts["learner"]
            must(connection.call("DELETE", f"{path}/learners/{learner}"), 204, 404)
            client.forgotten.append((bandit, learner))

    def retry_choice(self, connection, client, bandit, request):
        self.retries += 1
        status, answer = connection.call("POST", f"/v1/bandits/{bandit}/choose", request)
        if status == 422 and "tags" in request:
            return
        must((status, answer), 200)
        client.note_choice(bandit, request, answer)
        if request["learner"].startswith("gone-"):
            return
        first = self.checks.events[bandit].get(request["event"])
        if answer["repeated"] != (first is not None):
            raise Differs(f"{request} is decision {first} in the store, and answered {answer}")
        if first and answer.get("decisions", [answer])[0]["decision"] != first:
            raise Differs(f"{request} is decision {first} in the store, and answered {answer}")

    def retry_reward(self, connection, client, bandit, request):
        self.retries += 1
        answer = must(connection.call("POST", f"/v1/bandits/{bandit}/reward", request), 200)
        client.rewards.append((bandit, request, answer))
        known = self.checks.has_reward(bandit, answer["decision"], request["reward"])
        if known != (not answer["learned"] and answer["reason"] == "repeated"):
            raise Differs(f"{request} {'is' if known else 'is not'} in the store, and "
                          f"answered {answer}")

    def compare_with_twin(self, copy):
        """A service on a copy of the data makes the same next choices."""
        folder = self.folder / "twin"
        folder.mkdir(exist_ok=True)
        twin = Service(copy, folder, OPTIONS).start()
        time.sleep(0.6)  # both have learned default rewards by then
        mine, others = self.service.connect(), twin.connect()
        for bandit in BANDITS:
            for client in self.clients:
                for learner in range(3):
                    request = client.choice(bandit, f"u{client.number}-{learner}")
                    request.pop("arms", None)
                    ask = ("POST", f"/v1/bandits/{bandit}/choose", request)
                    mine_says, other_says = mine.call(*ask), others.call(*ask)
                    if facts(mine_says) != facts(other_says):
                        raise Differs(f"{bandit} {request}: {mine_says}, a twin {other_says}")
                    if mine_says[0] == 200:
                        client.note_choice(bandit, request, mine_says[1])
        mine.close()
        others.close()
        twin.kill()
        self.places.drop_copy()
        self.twins += 1

    def check_forgotten(self):
        """What is forgotten is deleted from the log, too, within seconds."""
        until = time.monotonic() + 20
        while left := self.checks.still_there(self.clients):
            if time.monotonic() > until:
                raise Differs(f"learners that were forgotten are still there: {left[:5]}")
            time.sleep(0.2)

    def summary(self):
        counts = self.checks.counts
        models = self.checks.models.values()
        seconds = time.monotonic() - self.began
        forgotten = sum(len(client.forgotten) for client in self.clients)
        acknowledged = sum(client.acknowledged for client in [*self.clients, self.snapshots])
        return (f"{self.kills} kills in {seconds:.0f} s, {acknowledged} requests acknowledged, "
                f"with {counts['decisions']} decisions and {counts['rewards']} rewards, all there "
                f"once; {counts['decisions asked for']} decisions asked for again; "
                f"{counts['decisions without an answer']} decisions written without an answer; "
                f"{counts['arms']} times an arm; {counts['learners compared']} times a learner "
                f"compared with the model, which made {sum(m.chosen for m in models)} decisions and "
                f"learned {sum(m.learned for m in models)} rewards; {self.twins} twins; "
                f"{self.retries} retries; {forgotten} learners forgotten; "
                f"{self.snapshots.restored} snapshots restored")


def facts(said):
    status, answer = said
    if status != 200:
        return status
    return [[decision[name] for name in ("arm", "score", "eligible", "uniform")]
            for decision in answer.get("decisions", [answer])]


def must(said, *statuses):
    status, answer = said
    if status not in statuses:
        raise AssertionError(f"the service answered {status}: {answer}")
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="end after this time")
    parser.add_argument("--longest", type=float, default=0.2, help="seconds before a kill")
    parser.add_argument("--twin-every", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="manyarms-kill-") as name:
        folder = pathlib.Path(name)
        places = {"sqlite": SqlitePlaces, "postgresql": PostgresPlaces}[arguments.store](folder)
        test = KillTest(places, folder, arguments)
        try:
            test.run()
            print(f"{arguments.store}: {test.summary()}")
        finally:
            test.service.kill()
            places.close()


if __name__ == "__main__":
    main()
