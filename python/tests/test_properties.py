"""Random sequences of everything, against a slow model: the same decisions."""

from __future__ import annotations

import pathlib
import pickle
import tempfile
import time
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from slow_model import SlowBandit, ranking

import manyarms

DIM = 3
# A grid, so that equal arms and equal scores happen.
ROWS = st.lists(st.integers(-8, 8), min_size=DIM, max_size=DIM).map(
    lambda row: np.array(row, dtype=np.float32) / 4
)
REWARDS = st.integers(-20, 20).map(lambda reward: reward / 10)
CONTEXT_DIM = 2
OFTEN = np.array([0.5, 1], dtype=np.float32)
# One that recurs often, and others, which may be zero.
CONTEXTS = st.just(OFTEN) | st.lists(
    st.integers(-2, 2), min_size=CONTEXT_DIM, max_size=CONTEXT_DIM
).map(lambda values: np.array(values, dtype=np.float32) / 2)
IDS = st.integers(0, 2**64 - 1) | st.integers(0, 30)


class Comparison(RuleBasedStateMachine):
    """A fast and a slow bandit that live through the same things."""

    decisions = Bundle("decisions")

    @initialize(
        policy=st.sampled_from(["ts", "ucb"]),
        search=st.sampled_from(["certified", "scan"]),
        exploration=st.sampled_from([0.0, 0.5, 2.0]),
        seed=st.integers(0, 2**64 - 1),
        context_dim=st.sampled_from([0, CONTEXT_DIM]),
        constants=st.booleans(),
    )
    def begin(self, policy: str, search: str, exploration: float, seed: int,
              context_dim: int, constants: bool) -> None:
        contexts = dict(context_dim=context_dim, context_constants=constants)
        self.bandit = manyarms.Bandit(
            DIM, policy, search, exploration, seed=seed, **contexts
        )
        self.slow = SlowBandit(DIM, policy, exploration, seed, **contexts)

    def given(self, context: np.ndarray) -> dict[str, Any]:
        """The context, for a bandit that has contexts."""
        return {"context": context} if self.bandit.context_dim else {}

    @rule(arms=st.dictionaries(IDS, ROWS, max_size=40), double=st.booleans())
    def add(self, arms: dict[int, np.ndarray], double: bool) -> None:
        rows = np.array(list(arms.values()), dtype=np.float32).reshape(-1, DIM)
        features = rows.astype(np.float64) if double else rows
        if arms.keys() & self.slow.arms.keys():
            with pytest.raises(manyarms.errors.DuplicateIdError):
                self.bandit.add_arms(list(arms), features)
            return
        self.bandit.add_arms(list(arms), features)
        self.slow.arms |= {arm: row.astype(float) for arm, row in arms.items()}

    @precondition(lambda self: self.slow.arms)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        gone = data.draw(
            st.lists(st.sampled_from(sorted(self.slow.arms)), unique=True, max_size=10)
        )
        self.bandit.remove_arms(gone)
        for arm in gone:
            del self.slow.arms[arm]

    @precondition(lambda self: self.slow.arms)
    @rule(data=st.data())
    def update(self, data: st.DataObject) -> None:
        arms = data.draw(
            st.dictionaries(st.sampled_from(sorted(self.slow.arms)), ROWS, max_size=5)
        )
        rows = np.array(list(arms.values()), dtype=np.float32).reshape(-1, DIM)
        order = list(self.bandit.ids)
        self.bandit.update_arms(list(arms), np.asfortranarray(rows))
        assert list(self.bandit.ids) == order
        self.slow.arms |= {arm: row.astype(float) for arm, row in arms.items()}

    def compare(self, scores: dict[int, float], expected: list[int],
                chosen: list[manyarms.Decision], given: dict[str, Any]) -> None:
        """The same arms; but where scores differ by less than rounding in float,
        an order is as good as the other."""
        assert len(chosen) == len(expected)
        for decision, arm in zip(chosen, expected):
            tolerance = 1e-5 * (1 + abs(scores[arm]))
            assert abs(decision.score - scores[arm]) <= tolerance
            if decision.arm != arm:
                assert abs(scores[int(decision.arm)] - scores[arm]) <= tolerance
            assert self.slow.decide(int(decision.arm), **given) == decision.id

    @precondition(lambda self: self.slow.arms)
    @rule(target=decisions, context=CONTEXTS)
    def choose(self, context: np.ndarray) -> int:
        given = self.given(context)
        scores = self.slow.scores(**given)
        decision = self.bandit.choose(**given)
        self.compare(scores, ranking(scores)[:1], [decision], given)
        return decision.id

    @precondition(lambda self: self.slow.arms)
    @rule(target=decisions, data=st.data(), masked=st.booleans(),
          count=st.integers(1, 50), context=CONTEXTS)
    def choose_among(self, data: st.DataObject, masked: bool, count: int,
                     context: np.ndarray) -> int:
        eligible = data.draw(
            st.sets(st.sampled_from(sorted(self.slow.arms)), min_size=1)
        )
        given = self.given(context)
        scores = self.slow.scores(**given)
        chosen = self.bandit.choose_many(
            count,
            **given,
            eligible=np.isin(self.bandit.ids, np.array(list(eligible), dtype=np.uint64))
            if masked and max(self.slow.arms) < 2**63
            else list(eligible),
        )
        self.compare(scores, ranking(scores, eligible)[:count], chosen, given)
        return chosen[0].id

    @precondition(lambda self: self.slow.arms)
    @rule(contexts=st.lists(CONTEXTS, min_size=1, max_size=5), alike=st.booleans())
    def choose_draws(self, contexts: list[np.ndarray], alike: bool) -> None:
        count = len(contexts)
        if alike:
            contexts = contexts[:1] * count
            drawn = self.bandit.choose_many(count, "draws", **self.given(contexts[0]))
        else:
            drawn = self.bandit.choose_many(
                count, "draws", contexts=contexts if self.bandit.context_dim else None)
        for context, decision in zip(contexts, drawn, strict=True):
            given = self.given(context)
            scores = self.slow.scores(**given)
            self.compare(scores, ranking(scores)[:1], [decision], given)

    @rule(decision=decisions, reward=REWARDS, dismissed=st.booleans())
    def learn(self, decision: int, reward: float, dismissed: bool) -> None:
        if decision not in self.slow.decisions:
            with pytest.raises(KeyError):
                self.bandit.learn(decision, reward)
        elif dismissed:
            self.bandit.dismiss(decision)
            del self.slow.decisions[decision]
        else:
            self.bandit.learn(decision, reward)
            self.slow.learn(decision, reward)

    @precondition(lambda self: self.slow.arms)
    @rule(data=st.data(), reward=REWARDS, context=CONTEXTS)
    def observe(self, data: st.DataObject, reward: float, context: np.ndarray) -> None:
        arm = data.draw(st.sampled_from(sorted(self.slow.arms)))
        self.bandit.observe(arm, reward, **self.given(context))
        self.slow.observe(self.slow.arms[arm], reward, **self.given(context))

    @rule(row=ROWS, reward=REWARDS, context=CONTEXTS)
    def observe_features(self, row: np.ndarray, reward: float, context: np.ndarray) -> None:
        self.bandit.observe_features(row, reward, **self.given(context))
        self.slow.observe(row.astype(float), reward, **self.given(context))

    @rule()
    def save_and_load(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bandit"
            self.bandit.save(path)
            self.bandit = manyarms.Bandit.load(path)

    @rule()
    def pickle(self) -> None:
        self.bandit = pickle.loads(pickle.dumps(self.bandit))

    @invariant()
    def agree(self) -> None:
        if not hasattr(self, "bandit"):
            return
        assert len(self.bandit) == len(self.slow.arms)
        assert set(int(arm) for arm in self.bandit.ids) == set(self.slow.arms)
        assert self.bandit.pending == len(self.slow.decisions)
        probe, given = np.array([1.0, -0.5, 0.25]), self.given(np.array([0.5, -1.0]))
        assert self.bandit.predict(probe, **given) == pytest.approx(
            self.slow.predict(probe, **given), rel=1e-6, abs=1e-8
        )


TestComparison = Comparison.TestCase
# The same sequences each time, so that a failure is one of the change at hand; a
# busy machine is no failure. For others: max_examples=5000, derandomize=False.
TestComparison.settings = settings(
    max_examples=150,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)


class ComparisonWithOrders(Comparison):
    """The same among enough arms for certified search to use an order of them."""

    ARMS = 2000

    @initialize(
        policy=st.sampled_from(["ts", "ucb"]),
        # Without exploration an order may never pay.
        exploration=st.sampled_from([0.5, 2.0]),
        seed=st.integers(0, 2**64 - 1),
        context_dim=st.sampled_from([0, CONTEXT_DIM]),
    )
    def begin(self, policy: str, exploration: float, seed: int, context_dim: int) -> None:
        # In the foreground, when an order is made depends on the choices alone.
        self.bandit = manyarms.Bandit(
            DIM, policy, manyarms.Certified(background=False), exploration, seed=seed,
            context_dim=context_dim,
        )
        self.slow = SlowBandit(DIM, policy, exploration, seed, context_dim)
        rng = np.random.default_rng(seed)
        rows = rng.integers(-8, 9, (self.ARMS, DIM)).astype(np.float32) / 4
        arms = range(10**9, 10**9 + self.ARMS)
        self.bandit.add_arms(arms, rows)
        self.slow.arms = dict(zip(arms, rows.astype(float)))
        self.choose_until_there_is_an_order()

    def choose_until_there_is_an_order(self) -> None:
        """Of the arms in one context, if there are contexts."""
        given = self.given(OFTEN)
        for _ in range(2000):
            if self.bandit.stats["snapshots"] > 0:
                return
            decision = self.bandit.choose(**given)
            assert self.slow.decide(int(decision.arm), **given) == decision.id
            self.slow.draws += 1
            reward = float(self.slow.arms[int(decision.arm)].sum())
            self.bandit.learn(decision, reward)
            self.slow.learn(decision.id, reward)
        raise AssertionError("2,000 choices and no order")

    # Orders are not saved.
    @rule()
    def save_and_load(self) -> None:
        super().save_and_load()
        self.choose_until_there_is_an_order()

    @rule()
    def pickle(self) -> None:
        super().pickle()
        self.choose_until_there_is_an_order()

    @invariant()
    def has_an_order(self) -> None:
        if hasattr(self, "bandit"):
            assert self.bandit.stats["snapshots"] > 0


TestComparisonWithOrders = ComparisonWithOrders.TestCase
TestComparisonWithOrders.settings = settings(
    TestComparison.settings, max_examples=20, stateful_step_count=30
)


@pytest.mark.parametrize("background", [True, False])
@pytest.mark.parametrize("policy", ["ts", "ucb", "elim"])
def test_certified_decides_as_the_scan_among_thousands(
    policy: str, background: bool
) -> None:
    """Enough arms for orders to be made, with churn, slates and eligibility."""
    rng = np.random.default_rng(3)
    bandits = [
        manyarms.Bandit(8, policy, search, 1.0, seed=4)
        for search in (
            "scan",
            manyarms.Certified(background=background, check_every=1),
        )
    ]
    X = rng.standard_normal((8000, 8)).astype(np.float32)
    theta = rng.standard_normal(8)
    for bandit in bandits:
        bandit.add_arms(range(5000), X[:5000])
    for step in range(400):
        eligible = rng.random(5000) < rng.choice([0.002, 0.1, 0.9])
        for name, options in [
            ("choose", {}),
            ("choose_many", {"count": 20}),
            ("choose", {"eligible": eligible}),
        ]:
            one, other = [getattr(b, name)(**options) for b in bandits]
            assert one == other
        for bandit in bandits:
            decision = bandit.choose()
            arm = int(decision.arm)
            bandit.learn(decision, float(X[arm] @ theta))
            if step % 10 == 0:
                bandit.remove_arms([arm])
                bandit.add_arms([5000 + step // 10], X[[5000 + step // 10]])
    # In the background, when an order is ready depends on the machine; a minute is
    # far more than it needs.
    give_up = time.monotonic() + 60
    while (
        background
        and bandits[1].stats["snapshots"] == 0
        and time.monotonic() < give_up
    ):
        one, other = [bandit.choose() for bandit in bandits]
        assert one == other
    assert bandits[1].stats["snapshots"] > 0
