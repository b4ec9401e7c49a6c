"""A client of a bandit whose snapshots are taken and restored while it is killed."""

import random

from http_connection import Gone
from kill_checks import list_arms, same_arm
from model import Differs

BANDIT = "rollback"
SETTINGS = {"dim": 3, "arms": "numbers", "seed": 14}
LEARNERS = ("a", "b")
ROWS = [[1.0, 0.0, 0.0], [0.25, -1.5, 3.0]]
PATH = f"/v1/bandits/{BANDIT}"


class SnapshotClient:
    def __init__(self, seed):
        self.random = random.Random(f"{seed}/snapshots")
        self.count = 0
        self.arms = {}  # as they were acknowledged
        self.snapshots = {}  # what was seen when each was taken; None if it is not known
        self.under_way = None  # (kind, facts)
        self.failure = None
        self.acknowledged = 0
        self.restored = 0

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
        kinds = {"put": 4, "remove": 2, "choose": 8, "take": 1, "restore": 1, "delete": 1}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        getattr(self, f"_{kind}")(connection)
        self.under_way = None

    def _call(self, connection, method, path, value=None, allowed=(200, 201, 204)):
        status, answer = connection.call(method, PATH + path, value)
        if status not in allowed:
            raise AssertionError(f"{method} {path} {value} was answered {status}: {answer}")
        self.acknowledged += 1
        return answer

    def _vector(self):
        return [round(self.random.gauss(0, 1), 3) for _ in range(3)]

    def _put(self, connection):
        arms = {self.random.randrange(1, 40): {"features": self._vector(), "tags": []}
                for _ in range(3)}
        self._change(connection, "/arms", [{"arm": arm, **one} for arm, one in arms.items()],
                     {**self.arms, **arms})

    def _remove(self, connection):
        if len(self.arms) < 5:
            return
        gone = self.random.sample(sorted(self.arms), 2)
        self._change(connection, "/remove-arms", gone,
                     {arm: one for arm, one in self.arms.items() if arm not in gone})

    def _change(self, connection, path, value, after):
        self.under_way = ("arms", after)
        self._call(connection, "POST", path, {"arms": value})
        self.arms = after

    def _choose(self, connection):
        if not self.arms:
            return
        learner = self.random.choice(LEARNERS)
        answer = self._call(connection, "POST", "/choose", {"learner": learner})
        self._call(connection, "POST", "/reward",
                   {"decision": answer["decision"], "reward": self.random.random()})

    def _take(self, connection):
        self.count += 1
        name = f"s{self.count}"
        self.under_way = ("take", name)
        self._call(connection, "PUT", f"/snapshots/{name}")
        self.snapshots[name] = None
        self.under_way = None
        self.snapshots[name] = (dict(self.arms), self._seen(connection))

    def _restore(self, connection):
        known = [name for name, seen in self.snapshots.items() if seen]
        if not known:
            return
        name = self.random.choice(known)
        arms, seen = self.snapshots[name]
        self.under_way = ("arms", dict(arms))
        self._call(connection, "POST", f"/snapshots/{name}/restore")
        self.arms = dict(arms)
        now = self._seen(connection)
        if now != seen:
            raise Differs(f"snapshot {name} was {seen}, restored it is {now}")
        self.restored += 1

    def _delete(self, connection):
        if len(self.snapshots) < 4:
            return
        name = self.random.choice(sorted(self.snapshots))
        self.under_way = ("delete", name)
        self._call(connection, "DELETE", f"/snapshots/{name}")
        del self.snapshots[name]

    def _seen(self, connection):
        return [self._call(connection, "POST", "/predict", {"learner": learner, "rows": ROWS})
                for learner in LEARNERS]

    def check(self, connection):
        """After a restart: arms and snapshots are those that were acknowledged."""
        kind, facts = self.under_way or (None, None)
        self.under_way = None
        there = {snapshot["name"] for snapshot in
                 self._call(connection, "GET", "/snapshots")["snapshots"]}
        if kind == "take" and facts in there:
            self.snapshots[facts] = None
        if kind == "delete" and facts not in there:
            del self.snapshots[facts]
        if there != set(self.snapshots):
            raise Differs(f"snapshots {set(self.snapshots)} were acknowledged, now there "
                          f"are {there}")
        arms = list_arms(connection, BANDIT)
        if kind == "arms" and not are_same(arms, self.arms):
            self.arms = facts
        if not are_same(arms, self.arms):
            raise Differs(f"{BANDIT}: the arms are {arms}, acknowledged were {self.arms}")
        self._restore(connection)


def are_same(there, expected):
    return there.keys() == expected.keys() and all(
        same_arm(there[arm], expected[arm]) for arm in expected)
