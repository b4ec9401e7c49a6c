"""Random sequences with several learners, against a bandit for each of them."""

from __future__ import annotations

import pickle
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import manyarms

DIM = 3
ROWS = st.lists(st.integers(-8, 8), min_size=DIM, max_size=DIM).map(
    lambda row: np.array(row, dtype=np.float32) / 4
)
REWARDS = st.integers(-20, 20).map(lambda reward: reward / 10)
CONTEXT_DIM = 2
# Few, so that contexts recur, and some are zero.
CONTEXTS = st.lists(st.integers(-2, 2), min_size=CONTEXT_DIM, max_size=CONTEXT_DIM)
LEARNERS = st.sampled_from([0, 1, 2**64 - 1, "", "1", "Zoë"])


class Comparison(RuleBasedStateMachine):
    """A population, and the bandits that its learners should be."""

    @initialize(
        policy=st.sampled_from(["ts", "ucb"]),
        search=st.sampled_from(["certified", "scan"]),
        # Contexts and negative rewards exclude each other.
        more=st.sampled_from([{}, {"negative_rewards": True}, {"context_dim": CONTEXT_DIM},
                              {"context_dim": CONTEXT_DIM, "context_constants": False}]),
        seed=st.integers(0, 2**64 - 1),
        rows=st.lists(ROWS, max_size=40),
    )
    def begin(self, policy: Any, search: Any, more: dict[str, Any], seed: int,
              rows: list[np.ndarray]) -> None:
        self.options: dict[str, Any] = dict(
            policy=policy, search=search, max_pending=6, **more)
        self.population = manyarms.Population(DIM, seed=seed, **self.options)
        self.bandits: dict[int | str, manyarms.Bandit] = {}
        # Decisions of each learner that may still be pending: ours and theirs.
        self.waiting: list[tuple[int | str, int, int]] = []
        self.arms: dict[int, np.ndarray] = {}
        self.add(dict(enumerate(rows)))

    def bandit(self, learner: int | str) -> manyarms.Bandit:
        """The learner's twin, which may come into being now."""
        bandit = manyarms.Bandit(DIM, seed=self.population.seed_of(learner), **self.options)
        if self.arms:
            # In the order of the population, on which ties do not depend.
            bandit.add_arms(list(self.arms), np.array(list(self.arms.values())))
        return self.bandits.setdefault(learner, bandit)

    def given(self, context: list[int]) -> dict[str, Any]:
        """The context, for learners that have contexts."""
        return {"context": context} if self.population.context_dim else {}

    @rule(arms=st.dictionaries(st.integers(0, 60), ROWS, max_size=10))
    def add(self, arms: dict[int, np.ndarray]) -> None:
        new = {arm: row for arm, row in arms.items() if arm not in self.arms}
        for one in (self.population, *self.bandits.values()):
            one.add_arms(list(new), np.array(list(new.values())).reshape(-1, DIM))
        self.arms |= new

    @precondition(lambda self: self.arms)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        gone = data.draw(st.sampled_from(sorted(self.arms)))
        for one in (self.population, *self.bandits.values()):
            one.remove_arms([gone])
        del self.arms[gone]

    @precondition(lambda self: self.arms)
    @rule(data=st.data(), row=ROWS)
    def update(self, data: st.DataObject, row: np.ndarray) -> None:
        changed = data.draw(st.sampled_from(sorted(self.arms)))
        for one in (self.population, *self.bandits.values()):
            one.update_arms([changed], row.reshape(1, -1))
        self.arms[changed] = row

    def compare(self, learner: int | str, ours: list[manyarms.Decision],
                theirs: list[manyarms.Decision]) -> None:
        assert [(d.arm, d.score) for d in ours] == [(d.arm, d.score) for d in theirs]
        self.waiting += [(learner, a.id, b.id) for a, b in zip(ours, theirs)]

    @precondition(lambda self: self.arms)
    @rule(learner=LEARNERS, context=CONTEXTS)
    def choose(self, learner: int | str, context: list[int]) -> None:
        given = self.given(context)
        self.compare(learner, [self.population.choose(learner, **given)],
                     [self.bandit(learner).choose(**given)])

    @precondition(lambda self: self.arms)
    @rule(learner=LEARNERS, data=st.data(), count=st.integers(1, 5), context=CONTEXTS)
    def choose_among(self, learner: int | str, data: st.DataObject, count: int,
                     context: list[int]) -> None:
        some = data.draw(st.lists(st.sampled_from(sorted(self.arms)), unique=True, min_size=1))
        given = self.given(context)
        self.compare(learner,
                     self.population.choose_many(learner, count, eligible=some, **given),
                     self.bandit(learner).choose_many(count, eligible=some, **given))

    @precondition(lambda self: self.arms)
    @rule(asked=st.lists(st.tuples(st.integers(0, 1), CONTEXTS), max_size=6))
    def choose_for(self, asked: list[tuple[int, list[int]]]) -> None:
        learners, contexts = [key for key, _ in asked], [context for _, context in asked]
        decisions = self.population.choose_for(
            learners, contexts if self.population.context_dim else None)
        for (learner, context), ours in zip(asked, decisions, strict=True):
            self.compare(learner, [ours], [self.bandit(learner).choose(**self.given(context))])

    @precondition(lambda self: self.arms)
    @rule(learner=LEARNERS, context=CONTEXTS)
    def choose_with_another_context(self, learner: int | str, context: list[int]) -> None:
        """Superfluous without contexts, too long with them."""
        with pytest.raises(manyarms.errors.InvalidArgumentError, match="context"):
            self.population.choose(learner, context=[*context, 1])

    @precondition(lambda self: not self.arms)
    @rule(learner=LEARNERS, context=CONTEXTS)
    def choose_from_nothing(self, learner: int | str, context: list[int]) -> None:
        with pytest.raises(manyarms.errors.NoArmsError):
            self.population.choose(learner, **self.given(context))

    @precondition(lambda self: self.waiting)
    @rule(data=st.data(), reward=REWARDS, dismissed=st.booleans())
    def reward(self, data: st.DataObject, reward: float, dismissed: bool) -> None:
        which = data.draw(st.integers(0, len(self.waiting) - 1))
        learner, ours, theirs = self.waiting.pop(which)
        refused = []
        for learns, first in ((self.population, (learner, ours)),
                              (self.bandits[learner], (theirs,))):
            try:
                learns.dismiss(*first) if dismissed else learns.learn(*first, reward)
            except KeyError:  # older than the last max_pending
                refused.append(learns)
        assert len(refused) in (0, 2)

    @rule(learner=LEARNERS, row=ROWS, reward=REWARDS, context=CONTEXTS)
    def observe(self, learner: int | str, row: np.ndarray, reward: float,
                context: list[int]) -> None:
        given = self.given(context)
        self.population.observe_features(learner, row, reward, **given)
        self.bandit(learner).observe_features(row, reward, **given)
        assert (self.population.predict(learner, row, **given)
                == self.bandit(learner).predict(row, **given))

    @precondition(lambda self: self.bandits)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        learner = data.draw(st.sampled_from(list(self.bandits)))
        self.population.forget(learner)
        del self.bandits[learner]
        self.waiting = [entry for entry in self.waiting if entry[0] != learner]

    @precondition(lambda self: self.bandits)
    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        """A learner goes away and comes back from its bytes."""
        learner = data.draw(st.sampled_from(list(self.bandits)))
        exported = self.population.export_learner(learner)
        if data.draw(st.booleans()):
            self.population.forget(learner)
        self.population.import_learner(learner, exported)

    @rule()
    def save_and_load(self) -> None:
        self.population = pickle.loads(pickle.dumps(self.population))

    @invariant()
    def has_the_same_learners(self) -> None:
        assert set(self.population.learners) == set(self.bandits)
        for learner, bandit in self.bandits.items():
            assert self.population.describe(learner)["pending"] == bandit.pending
            np.testing.assert_array_equal(self.population.mean(learner), bandit.mean)


TestPopulation = Comparison.TestCase
TestPopulation.settings = settings(
    max_examples=80, stateful_step_count=40, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
