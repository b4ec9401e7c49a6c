"""What must hold of a service that was killed and has started again."""

import time
from collections import Counter

import store_reader
from kill_client import BANDITS, decisions_of
from model import BanditModel, Differs, given_context

# What a decision says when it is asked for, as it was answered.
SAME = ("arm", "score", "eligible", "uniform", "probability", "time")
KIND_OF_REASON = {"waiting": "part", "late": "late"}


class Checks:
    """Knows everything that was acknowledged, and what the store had so far."""

    def __init__(self, reader):
        self.reader = reader
        self.models = {name: BanditModel(settings) for name, settings in BANDITS.items()}
        self.numbers = {}  # of bandits in the store
        self.names = {}
        self.last = 0
        self.decisions = {name: {} for name in BANDITS}  # by number
        self.events = {name: {} for name in BANDITS}  # the first decision of each
        self.rewards = {name: Counter() for name in BANDITS}  # (decision, reward, kind)
        self.observed = {name: Counter() for name in BANDITS}  # (learner, reward)
        self.requests = {}  # of the first decision of each choice that is known
        self.unanswered = {}  # (bandit, learner): the request under way
        self.counts = Counter()

    def read_store(self, clients):
        """Takes what is new in the store, and lets the models do the same."""
        self.numbers = {row["name"]: row["bandit"]
                        for row in self.reader.rows("SELECT name, bandit FROM bandits")}
        self.names = {number: name for name, number in self.numbers.items()
                      if name in BANDITS}
        self._note_requests(clients)
        until = store_reader.last_sequence(self.reader)
        decisions, rewards, arms = store_reader.news(self.reader, self.last, until)
        decisions = [row for row in decisions if self._is_modelled(row)]
        rewards = [row for row in rewards if self._is_modelled(row)]
        for row in decisions:
            bandit = self.names[row["bandit"]]
            self.decisions[bandit][row["sequence"]] = row
            if row["event"] and row["rank"] == 0:
                self._once(self.events[bandit], row["event"], row["sequence"])
        for row in rewards:
            bandit = self.names[row["bandit"]]
            if row["kind"] == "observed":
                self.observed[bandit][row["learner"], row["reward"]] += 1
            elif row["kind"] in ("learned", "part", "late"):
                self.rewards[bandit][row["decision"], row["reward"], row["kind"]] += 1
        self.last = until
        for name, model in self.models.items():
            number = self.numbers[name]
            model.apply([row for row in arms if row["bandit"] == number],
                        [row for row in decisions if row["bandit"] == number],
                        [row for row in rewards if row["bandit"] == number],
                        lambda row, name=name: self._request_of(name, row))
            model.seen = until

    def _is_modelled(self, row):
        # Learners that are forgotten may be gone from the store at any time.
        return row["bandit"] in self.names and not row["learner"].startswith("gone-")

    @staticmethod
    def _once(known, key, value):
        if key in known:
            raise Differs(f"{key} is there twice: {known[key]} and {value}")
        known[key] = value

    def _note_requests(self, clients):
        self.unanswered.clear()
        for client in clients:
            for bandit, request, answer in client.choices:
                first = decisions_of(answer)[0]["decision"]
                self.requests[bandit, first] = request
            operation = client.pending
            if operation is None:
                continue
            requests = {"choose": lambda value: [value],
                        "choices": lambda value: value["choices"]}
            for request in requests.get(operation.kind, lambda _: [])(operation.value):
                self.unanswered[operation.bandit, request["learner"]] = request

    def _request_of(self, bandit, row):
        request = self.requests.get((bandit, row["sequence"]))
        if request is None:
            request = self.unanswered.pop((bandit, row["learner"]), None)
            self.counts["decisions without an answer"] += 1
        if request is None or request.get("event", "") != (row["event"] or ""):
            raise Differs(f"nobody asked for this decision: {row}")
        return request

    # What was acknowledged is there, once.

    def check_choices(self, connection, clients, sample):
        asked = []
        for client in clients:
            for bandit, request, answer in client.choices:
                if request["learner"].startswith("gone-"):
                    continue
                for decision in decisions_of(answer):
                    row = self.decisions[bandit].get(decision["decision"])
                    if row is None:
                        raise Differs(f"a decision is lost: {bandit}, {decision}")
                    if row["score"] != decision["score"] or called(row) != decision["arm"]:
                        raise Differs(f"answered {decision}, stored {row}")
                    asked.append((bandit, request, decision))
                    self.counts["decisions"] += 1
        self._ask_for_decisions(connection, sample(asked))

    def _ask_for_decisions(self, connection, asked):
        answers = connection.call_all(
            [("GET", f"/v1/bandits/{bandit}/decisions/{decision['decision']}", None)
             for bandit, _, decision in asked])
        for (bandit, request, decision), (status, said) in zip(asked, answers, strict=True):
            same = status == 200 and all(said.get(name) == decision[name]
                                         for name in SAME if name in decision)
            same = same and said["learner"] == request["learner"]
            same = same and said.get("event", "") == request.get("event", "")
            if not same:
                raise Differs(f"{bandit}: answered {decision}, now it is {status} {said}")
            self.counts["decisions asked for"] += 1

    def check_rewards(self, clients):
        for client in clients:
            for bandit, request, answer in client.rewards:
                self._check_reward(bandit, request, answer)
            for bandit, learner, reward in client.observed:
                if self.observed[bandit][learner, reward] != 1:
                    raise Differs(f"observed {learner}, {reward}: it is there "
                                  f"{self.observed[bandit][learner, reward]} times")
                self.counts["rewards"] += 1
        for bandit in BANDITS:
            twice = [key for key, count in (self.rewards[bandit] + self.observed[bandit]).items()
                     if count > 1]
            if twice:
                raise Differs(f"{bandit}: rewards are there twice: {twice[:3]}")

    def _check_reward(self, bandit, request, answer):
        kind = "learned" if answer["learned"] else KIND_OF_REASON.get(answer["reason"])
        if kind is None:
            return  # repeated
        key = (answer["decision"], request["reward"], kind)
        if self.rewards[bandit][key] != 1:
            raise Differs(f"{bandit}: reward {request}, answered {answer}, is there "
                          f"{self.rewards[bandit][key]} times")
        self.counts["rewards"] += 1

    def has_reward(self, bandit, decision, reward):
        return any(self.rewards[bandit][decision, reward, kind]
                   for kind in ("learned", "part", "late"))

    def check_arms(self, connection, clients):
        """All arms are as they were acknowledged; what was under way is done or not."""
        for bandit in BANDITS:
            there = list_arms(connection, bandit)
            expected = {}
            for client in clients:
                self._settle_arms(client, bandit, there)
                expected.update(client.arms[bandit])
            for arm, value in expected.items():
                if not same_arm(there.get(arm), value):
                    raise Differs(f"{bandit}: arm {arm} was acknowledged as {value}, "
                                  f"now it is {there.get(arm)}")
            extra = {arm for arm in there if not str(arm).startswith("base")
                     and not (isinstance(arm, int) and arm < 1000)} - expected.keys()
            if extra:
                raise Differs(f"{bandit}: nobody put the arms {extra}")
            self.counts["arms"] += len(expected)

    @staticmethod
    def _settle_arms(client, bandit, there):
        operation = client.pending
        if operation is None or operation.bandit != bandit or "after" not in operation.facts:
            return
        after = operation.facts["after"]
        done = [same_arm(there.get(arm), value) for arm, value in after.items()]
        before = [same_arm(there.get(arm), client.arms[bandit].get(arm)) for arm in after]
        if all(done):
            client.become(operation)
        elif not all(before):
            raise Differs(f"{bandit}: {operation.request} was done in part: {there}")

    def check_state(self, connection, rows):
        """Learners expect the same, to the last bit, as those of the models."""
        until = time.monotonic() + 5
        for bandit in BANDITS:
            # The service learns rewards by itself when their wait is over.
            while differing := self._differing(connection, bandit, *rows[bandit]):
                if time.monotonic() > until:
                    raise Differs(f"{bandit}: learner, service, model: {differing[0]}")
                self.read_store([])
            self.counts["learners compared"] += len(self.models[bandit].population.learners)

    def _differing(self, connection, bandit, features, context):
        model = self.models[bandit]
        learners = model.population.learners
        answers = connection.call_all(
            [("POST", f"/v1/bandits/{bandit}/predict",
              {"learner": learner, "rows": features, **given_context(context)})
             for learner in learners])
        expected = [(200, {"expected": model.expected(learner, features, context)})
                    for learner in learners]
        return [facts for facts in zip(learners, answers, expected, strict=True)
                if facts[1] != facts[2]]

    def check_bandits(self, clients):
        for client in clients:
            operation = client.pending
            pending = operation.bandit if operation else None
            for name, there in client.bandits.items():
                if name != pending and there != (name in self.numbers):
                    raise Differs(f"bandit {name}: acknowledged {there}, in the store "
                                  f"{name in self.numbers}")
            if operation and operation.kind in ("create", "delete"):
                client.bandits[pending] = pending in self.numbers

    def still_there(self, clients):
        """What the store has of learners that were forgotten."""
        left = []
        for table in ("decisions", "rewards", "learners"):
            learners = {row["learner"] for row in self.reader.rows(
                f"SELECT DISTINCT learner FROM {table} WHERE learner LIKE 'gone-%'")}
            left += [(table, learner) for client in clients
                     for _, learner in client.forgotten if learner in learners]
        return left


def called(row):
    return row["arm_name"] or row["arm"]


def same_arm(there, value):
    if there is None or value is None:
        return there is value
    return (sorted(there["tags"]) == sorted(value["tags"])
            and all(abs(a - b) < 1e-6 for a, b in
                    zip(there["features"], value["features"], strict=True)))


def list_arms(connection, bandit):
    arms = {}
    place = 0
    while place is not None:
        status, page = connection.call("GET", f"/v1/bandits/{bandit}/arms?from={place}&limit=1000")
        assert status == 200, page
        arms.update({arm["arm"]: arm for arm in page["arms"]})
        place = page["next"]
    return arms
