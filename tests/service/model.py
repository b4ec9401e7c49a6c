"""A bandit in a process of its own, which never crashes.

It is fed with what the store says happened, in the store's order, and makes every
choice by itself: `manyarms.Population` has to choose the same arm with the same
score. So each decision of the service is compared with that of a process that was
never killed.
"""

import manyarms

EXPRESSIONS = {
    "red": lambda tags: "red" in tags,
    "not red": lambda tags: "red" not in tags,
    "red or blue": lambda tags: "red" in tags or "blue" in tags,
    "new and not (red or blue)":
        lambda tags: "new" in tags and not ("red" in tags or "blue" in tags),
}
TAGS = ("red", "blue", "new")

NOT_FOR_POPULATIONS = ("arms", "reward_wait", "default_reward", "aggregation", "mode",
                       "probability_draws")


class Differs(AssertionError):
    """The store and the model disagree."""


class BanditModel:
    def __init__(self, settings):
        options = {name: value for name, value in settings.items()
                   if name not in NOT_FOR_POPULATIONS}
        self.population = manyarms.Population(**options)
        self.aggregation = settings.get("aggregation", "first")
        self.tags = {}  # by arm
        self.names = {}  # from what clients call arms to their numbers
        self.free = []  # places without an arm, in the order in which they became so
        self.decisions = {}  # by the store's number: (learner, decision), while pending
        self.parts = {}  # rewards of these, in their order
        self.seen = 0  # the number of the last event
        self.chosen = 0
        self.learned = 0

    def apply(self, history, decisions, rewards, request_of):
        """`history` has versions of arms; request_of(row) is what a client sent."""
        events = [(sequence, 0, change)
                  for sequence, change in arm_changes(history, self.seen)]
        events += [(slate[0]["sequence"], 1, slate) for slate in slates(decisions)]
        events += [(row["sequence"], 2, row) for row in rewards]
        for _, kind, event in sorted(events, key=lambda event: event[:2]):
            if kind == 0:
                self._change_arms(*event)
            elif kind == 1:
                self._choose(event, request_of(event[0]))
            else:
                self._reward(event)

    def forget(self, learner):
        if self.population.knows(learner):
            self.population.forget(learner)
        self.decisions = {number: one for number, one in self.decisions.items()
                          if one[0] != learner}

    def expected(self, learner, rows, context):
        return [float(value) for value in
                self.population.predict(learner, rows, **given_context(context))]

    def _change_arms(self, put, removed):
        # Arms that are added together take the places that were freed last first,
        # and then new ones.
        turn = {place: -index for index, place in enumerate(self.free)}
        new = sorted((row for row in put if row["arm"] not in self.tags),
                     key=lambda row: turn.get(row["place"], row["place"] + 1))
        old = [row for row in put if row["arm"] in self.tags]
        if removed:
            self.population.remove_arms([row["arm"] for row in removed])
        for row in removed:
            del self.tags[row["arm"]]
            self.free.append(row["place"])
            self.names.pop(called(row), None)
        for row in new:
            if self.free and self.free.pop() != row["place"]:
                raise Differs(f"the service put an arm in another place: {row}")
        if new:
            self.population.add_arms([row["arm"] for row in new], [row["features"] for row in new])
        if old:
            self.population.update_arms([row["arm"] for row in old],
                                        [row["features"] for row in old])
        for row in put:
            self.tags[row["arm"]] = row["tags"]
            self.names[called(row)] = row["arm"]

    def _choose(self, slate, request):
        learner = slate[0]["learner"]
        eligible = None
        if request.get("arms"):
            eligible = [self.names[arm] for arm in request["arms"]]
        elif request.get("tags"):
            holds = EXPRESSIONS[request["tags"]]
            eligible = [arm for arm in self.population.ids.tolist() if holds(self.tags[arm])]
        options = {"eligible": eligible, **given_context(request.get("context"))}
        if "count" in request:
            chosen = self.population.choose_many(learner, request["count"], **options)
        else:
            chosen = [self.population.choose(learner, **options)]
        if len(chosen) != len(slate):
            raise Differs(f"the store has {len(slate)} decisions where the model makes "
                          f"{len(chosen)}: {slate[0]}")
        for row, decision in zip(slate, chosen, strict=True):
            facts = (row["arm"], row["score"], row["eligible"], row["uniform"])
            own = (decision.arm, decision.score, decision.eligible, decision.uniform)
            if facts != own:
                raise Differs(f"the service chose {facts}, the model {own}: {row}, {request}")
            self.decisions[row["sequence"]] = (learner, decision.id)
        self.chosen += len(chosen)

    def _reward(self, row):
        kind = row["kind"]
        if kind == "observed":
            self.population.observe_features(row["learner"], row["features"], row["reward"],
                                             **given_context(row["context"]))
        elif kind == "part":
            self.parts.setdefault(row["decision"], []).append(row["reward"])
        elif kind in ("learned", "default"):
            parts = self.parts.pop(row["decision"], None)
            if parts and kind == "learned":
                reward = sum(parts) if self.aggregation == "sum" else parts[-1]
                if reward != row["reward"]:
                    raise Differs(f"{row} was learned, its parts are {parts}")
            learner, decision = self.decisions.pop(row["decision"])
            self.population.learn(learner, decision, row["reward"])
        elif kind == "dismissed":
            learner, decision = self.decisions.pop(row["decision"])
            self.population.dismiss(learner, decision)
        else:
            return
        self.learned += kind in ("observed", "learned", "default")


def given_context(context):
    return {"context": context} if context else {}


def called(row):
    return row["name"] or row["arm"]


def slates(decisions):
    """Decisions of one choice together; a slate must be there wholly."""
    rows = sorted(decisions, key=lambda row: row["sequence"])
    while rows:
        slate = rows[: rows[0]["slate"]]
        numbers = [row["sequence"] for row in slate]
        whole = (len(slate) == rows[0]["slate"]
                 and [row["rank"] for row in slate] == list(range(len(slate)))
                 and numbers == list(range(numbers[0], numbers[0] + len(slate)))
                 and len({(row["learner"], row["event"]) for row in slate}) == 1)
        if not whole:
            raise Differs(f"a slate is not whole: {slate}")
        yield slate
        rows = rows[len(slate) :]


def arm_changes(history, after):
    """[(sequence, (arms put, arms removed))] of versions of arms, after a sequence."""
    put, removed = {}, {}
    for row in history:
        if row["added"] > after:
            put.setdefault(row["added"], []).append(row)
        if row["removed"] > after:
            removed.setdefault(row["removed"], []).append(row)
    for sequence in sorted(put.keys() | removed.keys()):
        arms = put.get(sequence, [])
        stay = {row["arm"] for row in arms}
        gone = [row for row in removed.get(sequence, []) if row["arm"] not in stay]
        yield sequence, (arms, gone)
