"""Clients that drive a service until it is killed, and note what it acknowledged."""

import random

from http_connection import Gone
from model import EXPRESSIONS, TAGS

BANDITS = {
    "shop": {"dim": 4, "explore_uniform": 0.1, "seed": 11},
    "feed": {"dim": 3, "context_dim": 2, "arms": "numbers", "aggregation": "sum",
             "reward_wait": 0.3, "default_reward": 0.25, "seed": 12},
    "news": {"dim": 5, "policy": "ucb", "aggregation": "last", "reward_wait": 0.3,
             "forgetting": 0.99, "seed": 13},
}
for settings in BANDITS.values():
    settings.update(max_pending=1 << 20, exploration=0.5)
LEARNERS = 5  # of each client, in each bandit
MOST_ARMS = 30  # likewise


class Operation:
    """A request under way, and what it is to change."""

    def __init__(self, kind, bandit, method, path, value=None, **facts):
        self.kind = kind
        self.bandit = bandit
        self.request = (method, path, value)
        self.value = value
        self.facts = facts


class Client:
    """Its arms and learners are its own, so that it alone knows what they are."""

    def __init__(self, number, seed):
        self.number = number
        self.random = random.Random(f"{seed}/{number}")
        self.count = 0
        self.arms = {name: {} for name in BANDITS}  # what was acknowledged
        self.bandits = {}  # extra ones: whether they were acknowledged
        self.gone = []  # (bandit, learner) that are about to be forgotten
        self.forgotten = []  # likewise, forgotten
        self.choices = []  # (bandit, request, answer) since the last check
        self.rewards = []  # likewise
        self.observed = []  # (bandit, learner, reward)
        self.open = {name: [] for name in BANDITS}  # decisions to be rewarded
        self.pending = None
        self.failure = None
        self.acknowledged = 0

    def run(self, connect):
        """Until the service is gone."""
        try:
            connection = connect()
            while True:
                self.step(connection)
        except Gone:
            pass
        except Exception as error:  # noqa: BLE001  # shown by the main thread
            self.failure = error

    def step(self, connection):
        self.pending = self.next_operation()
        status, answer = connection.call(*self.pending.request)
        self.note(self.pending, status, answer)
        self.pending = None

    def next_operation(self):
        bandit = self.random.choice(list(BANDITS))
        kinds = {"choose": 30, "choices": 6, "reward": 25, "rewards": 6, "put": 6,
                 "put_many": 2, "remove": 4, "dismiss": 3, "activate": 3, "observe": 4,
                 "forget": 2, "create": 1}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        return getattr(self, f"_{kind}")(bandit)

    def unique(self):
        self.count += 1
        return f"{self.number}-{self.count}"

    def vector(self, size):
        return [round(self.random.gauss(0, 1), 3) for _ in range(size)]

    def context(self, bandit):
        return self.vector(BANDITS[bandit].get("context_dim", 0))

    # Operations.

    def choice(self, bandit, learner):
        request = {"learner": learner}
        if context := self.context(bandit):
            request["context"] = context
        if self.random.random() < 0.6:
            request["event"] = self.unique()
        if self.random.random() < 0.3:
            request["count"] = self.random.randint(1, 4)
        if self.random.random() < 0.2:
            request["active"] = False
        restricted = self.random.random()
        if restricted < 0.2 and len(self.arms[bandit]) > 3:
            request["arms"] = self.random.sample(sorted(self.arms[bandit]), 3)
        elif restricted < 0.4:
            request["tags"] = self.random.choice(list(EXPRESSIONS))
        return request

    def learner(self):
        return f"u{self.number}-{self.random.randrange(LEARNERS)}"

    def _choose(self, bandit):
        request = self.choice(bandit, self.learner())
        return Operation("choose", bandit, "POST", f"/v1/bandits/{bandit}/choose", request)

    def _choices(self, bandit):
        learners = self.random.sample(range(LEARNERS), 3)
        value = {"choices": [self.choice(bandit, f"u{self.number}-{i}") for i in learners]}
        return Operation("choices", bandit, "POST", f"/v1/bandits/{bandit}/choices", value)

    def reward(self, bandit):
        request = {"reward": self.random.random()}
        decisions = self.open[bandit]
        decision, event = decisions[self.random.randrange(len(decisions))]
        if BANDITS[bandit].get("aggregation", "first") == "first" or self.random.random() < 0.3:
            decisions.remove((decision, event))
        if event and self.random.random() < 0.5:
            request["event"] = event
        else:
            request["decision"] = decision
        if self.random.random() < 0.7:
            request["id"] = self.unique()
        return request

    def _reward(self, bandit):
        if not self.open[bandit]:
            return self._choose(bandit)
        return Operation("reward", bandit, "POST", f"/v1/bandits/{bandit}/reward",
                         self.reward(bandit))

    def _rewards(self, bandit):
        if len(self.open[bandit]) < 3:
            return self._choose(bandit)
        value = {"rewards": [self.reward(bandit) for _ in range(3)]}
        return Operation("rewards", bandit, "POST", f"/v1/bandits/{bandit}/rewards", value)

    def _about_decision(self, bandit, kind):
        if not self.open[bandit]:
            return self._choose(bandit)
        decision, event = self.open[bandit].pop()
        value = {"event": event} if event else {"decision": decision}
        return Operation(kind, bandit, "POST", f"/v1/bandits/{bandit}/{kind}", value)

    def _dismiss(self, bandit):
        return self._about_decision(bandit, "dismiss")

    def _activate(self, bandit):
        return self._about_decision(bandit, "activate")

    def _observe(self, bandit):
        learner = self.learner()
        value = {"learner": learner, "reward": self.random.random(),
                 "features": self.vector(BANDITS[bandit]["dim"])}
        if context := self.context(bandit):
            value["context"] = context
        return Operation("observe", bandit, "POST", f"/v1/bandits/{bandit}/observe", value)

    def new_arm(self, bandit):
        number = self.random.randrange(MOST_ARMS)
        if BANDITS[bandit].get("arms") == "numbers":
            return (self.number + 1) * 1000 + number
        return f"a{self.number}-{number}"

    def arm_value(self, bandit):
        tags = sorted(self.random.sample(TAGS, self.random.randrange(len(TAGS) + 1)))
        return {"features": self.vector(BANDITS[bandit]["dim"]), "tags": tags}

    def _put(self, bandit):
        arm = self.new_arm(bandit)
        value = self.arm_value(bandit)
        return Operation("put", bandit, "PUT", f"/v1/bandits/{bandit}/arms/{arm}", value,
                         after={arm: value})

    def _put_many(self, bandit):
        after = {self.new_arm(bandit): self.arm_value(bandit) for _ in range(5)}
        value = {"arms": [{"arm": arm, **one} for arm, one in after.items()]}
        return Operation("put_many", bandit, "POST", f"/v1/bandits/{bandit}/arms", value,
                         after=after)

    def _remove(self, bandit):
        if not self.arms[bandit]:
            return self._put(bandit)
        arm = self.random.choice(sorted(self.arms[bandit]))
        return Operation("remove", bandit, "DELETE", f"/v1/bandits/{bandit}/arms/{arm}",
                         after={arm: None})

    def _forget(self, bandit):
        """A learner that was used once or twice is forgotten, and never named again."""
        known = [key for key in self.gone if key[0] == bandit]
        if known and self.random.random() < 0.5:
            self.gone.remove(known[0])
            learner = known[0][1]
            return Operation("forget", bandit, "DELETE",
                             f"/v1/bandits/{bandit}/learners/{learner}", learner=learner)
        learner = f"gone-{self.unique()}"
        self.gone.append((bandit, learner))
        return Operation("choose", bandit, "POST", f"/v1/bandits/{bandit}/choose",
                         self.choice(bandit, learner))

    def _create(self, bandit):
        del bandit
        there = [name for name, exists in self.bandits.items() if exists]
        if there and self.random.random() < 0.5:
            return Operation("delete", there[0], "DELETE", f"/v1/bandits/{there[0]}")
        name = f"extra-{self.unique()}"
        return Operation("create", name, "PUT", f"/v1/bandits/{name}", {"dim": 2})

    # What was acknowledged.

    def note(self, operation, status, answer):
        allowed = {"forget": (204, 404), "choose": (200, 422), "delete": (204, 404)}
        if status not in allowed.get(operation.kind, (200, 201, 204)):
            raise AssertionError(f"{operation.request} was answered {status}: {answer}")
        self.acknowledged += 1
        getattr(self, f"_noted_{operation.kind}", lambda *_: None)(operation, answer)

    def _noted_choose(self, operation, answer):
        self.note_choice(operation.bandit, operation.value, answer)

    def _noted_choices(self, operation, answer):
        for request, one in zip(operation.value["choices"], answer["results"], strict=True):
            self.note_choice(operation.bandit, request, one)

    def note_choice(self, bandit, request, answer):
        if "error" in answer:  # no arm is eligible
            assert "tags" in request, answer
            return
        self.choices.append((bandit, request, answer))
        if not request["learner"].startswith("gone-"):
            for decision in decisions_of(answer):
                event = request.get("event", "") if "count" not in request else ""
                self.open[bandit].append((decision["decision"], event))
            del self.open[bandit][:-20]

    def _noted_reward(self, operation, answer):
        self.rewards.append((operation.bandit, operation.value, answer))

    def _noted_rewards(self, operation, answer):
        for request, one in zip(operation.value["rewards"], answer["results"], strict=True):
            assert "error" not in one, one
            self.rewards.append((operation.bandit, request, one))

    def _noted_observe(self, operation, answer):
        assert answer == {"learned": True}, answer
        value = operation.value
        self.observed.append((operation.bandit, value["learner"], value["reward"]))

    def _noted_put(self, operation, _):
        self.become(operation)

    _noted_put_many = _noted_put
    _noted_remove = _noted_put

    def become(self, operation):
        for arm, value in operation.facts["after"].items():
            if value is None:
                self.arms[operation.bandit].pop(arm, None)
            else:
                self.arms[operation.bandit][arm] = value

    def _noted_forget(self, operation, _):
        self.forgotten.append((operation.bandit, operation.facts["learner"]))

    def _noted_create(self, operation, _):
        self.bandits[operation.bandit] = True

    def _noted_delete(self, operation, _):
        self.bandits[operation.bandit] = False


def decisions_of(answer):
    return answer["decisions"] if "decisions" in answer else [answer]
