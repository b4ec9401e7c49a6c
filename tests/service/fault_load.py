"""Clients that go on while a service cannot write, and note what is uncertain."""

import random
import threading
import time

import store_reader
from http_connection import Gone
from model import BanditModel, Differs

BANDIT = "shop"
SETTINGS = {"dim": 4, "seed": 5, "max_pending": 1 << 20, "exploration": 0.5,
            "explore_uniform": 0.1}
PATH = f"/v1/bandits/{BANDIT}"


class Load(threading.Thread):
    """One client. Every choice has an event and every reward an id, so that whatever
    was not acknowledged can be sent again."""

    def __init__(self, number, service):
        super().__init__()
        self.number = number
        self.service = service
        self.random = random.Random(number)
        self.count = 0
        self.over = threading.Event()
        self.requests = {}  # of events
        self.choices = {}  # answers that were acknowledged, by event
        self.rewards = {}  # likewise: (decision, reward), by id
        self.arms = {}
        self.uncertain = []  # requests without an answer, or refused with 503
        self.refused = 0
        self.slowest = 0.0
        self.failure = None

    def run(self):
        try:
            connection = None
            while not self.over.is_set():
                request = self.next_request()
                try:
                    connection = connection or self.service.connect(timeout=15)
                    began = time.monotonic()
                    said = connection.call(*request)
                    self.slowest = max(self.slowest, time.monotonic() - began)
                    self.take(request, *said)
                except Gone:
                    self.uncertain.append(request)
                    connection = None
                    time.sleep(0.02)
        except Exception as error:  # noqa: BLE001  # shown by the main thread
            self.failure = error

    def take(self, request, status, answer):
        if status == 503:
            self.refused += 1
            if answer["error"]["status"] != 503 or not answer["error"]["message"]:
                raise AssertionError(f"503 without a reason: {answer}")
            self.uncertain.append(request)
            time.sleep(0.005)
            return
        if status not in (200, 201):
            raise AssertionError(f"{request} was answered {status}: {answer}")
        _, path, value = request
        if path.endswith("/choose"):
            self.choices[value["event"]] = answer
        elif path.endswith("/reward"):
            self.rewards[value["id"]] = (answer["decision"], value["reward"])
        else:
            self.arms[path.rsplit("/", 1)[1]] = value

    def next_request(self):
        self.count += 1
        name = f"{self.number}-{self.count}"
        kind = self.random.random()
        if kind < 0.05:
            arm = f"a{self.number}-{self.random.randrange(10)}"
            vector = [round(self.random.gauss(0, 1), 3) for _ in range(4)]
            return "PUT", f"{PATH}/arms/{arm}", {"features": vector, "tags": []}
        if kind < 0.4 and self.choices:
            event = self.random.choice(list(self.choices)[-20:])
            decision = self.choices[event]["decision"]
            value = {"decision": decision, "reward": self.random.random(), "id": name}
            return "POST", f"{PATH}/reward", value
        value = {"learner": f"u{self.number}-{self.random.randrange(4)}", "event": name}
        self.requests[name] = value
        return "POST", f"{PATH}/choose", value

    def settle(self):
        """Sends again what is uncertain; now everything must be acknowledged."""
        connection = self.service.connect()
        again, self.uncertain = self.uncertain, []
        for request in again:
            self.take(request, *connection.call(*request))
        connection.close()
        if self.uncertain:
            raise Differs(f"still refused: {self.uncertain[0]}")


def prepare(service):
    rng = random.Random(3)
    must(service.call("PUT", PATH, SETTINGS), 201)
    arms = [{"arm": f"base-{i}", "features": [round(rng.gauss(0, 1), 3) for _ in range(4)]}
            for i in range(50)]
    must(service.call("POST", f"{PATH}/arms", {"arms": arms}), 200)


def must(said, *statuses):
    if said[0] not in statuses:
        raise AssertionError(f"the service answered {said}")
    return said[1]


def verify(service, reader, loads):
    """Everything acknowledged is there, once, and the state is the model's."""
    until = store_reader.last_sequence(reader)
    decisions, rewards, arms = store_reader.news(reader, 0, until)
    by_event = {}
    for row in decisions:
        if row["event"] in by_event:
            raise Differs(f"event {row['event']} is there twice")
        by_event[row["event"]] = row
    ids = [row["id"] for row in rewards if row["id"]]
    if len(ids) != len(set(ids)):
        raise Differs("a reward is there twice")
    by_id = {row["id"]: row for row in rewards}
    requests = {}
    for load in loads:
        requests.update(load.requests)
        for event, answer in load.choices.items():
            row = by_event.get(event)
            if row is None or (row["sequence"], row["score"]) != (answer["decision"],
                                                                  answer["score"]):
                raise Differs(f"acknowledged {answer}, in the store {row}")
        for number, (decision, reward) in load.rewards.items():
            row = by_id.get(number)
            if row is None or (row["decision"], row["reward"]) != (decision, reward):
                raise Differs(f"reward {number} of {decision} was acknowledged, in the store "
                              f"it is {row}")
        for arm, value in load.arms.items():
            there = must(service.call("GET", f"{PATH}/arms/{arm}"), 200)
            if there["features"] != value["features"]:
                raise Differs(f"arm {arm} was acknowledged as {value}, it is {there}")
    model = BanditModel(SETTINGS)
    model.apply(arms, decisions, rewards, lambda row: requests[row["event"]])
    rows = [[1, 0, 0.5, 0], [-0.25, 3, 0, 1]]
    for learner in model.population.learners:
        answer = must(service.call("POST", f"{PATH}/predict",
                                   {"learner": learner, "rows": rows}), 200)
        if answer["expected"] != model.expected(learner, rows, None):
            raise Differs(f"{learner}: the service expects {answer}, the model "
                          f"{model.expected(learner, rows, None)}")
    return len(decisions), len(rewards)
