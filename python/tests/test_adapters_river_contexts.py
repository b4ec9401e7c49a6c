"""Contexts in the adapter for river, compared with river."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import manyarms
from manyarms.adapters import river


# One-hot features make arms independent, as they are with one model for each arm.
def one_hot(arms):
    return np.eye(arms, dtype=np.float32)


class TestRiverContexts:
    NAMES = ("age", "evening")

    def pair(self, beta, arms=3):
        """river's LinUCB without the noise of the next reward, and ours."""
        bandits = importlib.import_module("river.bandit")

        class WithoutNoise(bandits.LinUCBDisjoint):
            def _pull(self, arm_ids, context):
                def bound(arm):
                    dist = self._bayes_lin_regs[arm].predict_one(context, with_dist=True)
                    return dist.mu + np.sqrt(max(dist.sigma**2 - 1 / self.beta, 0))

                return max(arm_ids, key=bound)

        bandit = manyarms.Bandit(
            arms, "ucb", exploration=beta**-0.5, regularisation=1 / beta,
            context_dim=2, context_constants=False,
        )
        bandit.add_arms(range(arms), one_hot(arms))
        return WithoutNoise(beta=beta, seed=1), river.ContextualPolicy(bandit)

    def contexts(self, count, seed=1):
        rows = np.random.default_rng(seed).normal(size=(count, 2)).astype(np.float32)
        return [dict(zip(self.NAMES, row.astype(float).tolist())) for row in rows]

    @pytest.mark.parametrize("beta", [1.0, 4.0])
    def test_decides_and_expects_as_rivers_linucb_does(self, beta):
        theirs, ours = self.pair(beta)
        rng = np.random.default_rng(11)
        pulled = set()
        for step, context in enumerate(self.contexts(200)):
            arm = step % 3 if step < 3 else theirs.pull([0, 1, 2], context)
            if step >= 3:
                assert ours.pull([0, 1, 2], context) == arm
                assert ours.pull(range(3), context=context) == arm
            reward = context["age"] * (arm - 1) + 0.3 * rng.normal()
            theirs.update(arm, context, reward)
            ours.update(arm, context, reward)
            pulled.add(arm)
        assert pulled == {0, 1, 2} and ours._n == 200
        for context in self.contexts(5, seed=2):
            expected = [theirs._bayes_lin_regs[arm].predict_one(context) for arm in range(3)]
            row = [context[name] for name in ours.context_names]
            assert ours.bandit.scores(range(3), context=row) == pytest.approx(
                expected, rel=1e-6, abs=1e-6
            )

    def test_replays_a_log_with_contexts(self):
        bandits = importlib.import_module("river.bandit")
        rng = np.random.default_rng(3)
        log = []
        for context in self.contexts(2000):
            arm = int(rng.integers(3))
            log.append(([0, 1, 2], context, arm, context["age"] * (arm - 1)))
        _, policy = self.pair(1.0)
        assert isinstance(policy, bandits.base.ContextualPolicy)
        total, used = bandits.evaluate_offline(policy, iter(log))
        assert used == policy._n > 500
        # The best arm earns |age|, 0.8 on average, and chance earns 0.
        assert total.get() / used > 0.6

    def test_names_get_places_as_they_come(self):
        _, policy = self.pair(1.0)
        policy.update(0, {"age": 2.0}, 1.0)
        assert policy.context_names == ["age"]
        policy.update(1, {"evening": 1.0}, 1.0)
        assert policy.context_names == ["age", "evening"]
        with pytest.raises(ValueError, match="'height', but the names so far are 'age', 'evening'"):
            policy.pull([0, 1], {"height": 1.0})
        row = policy.bandit.scores([0], context=[2.0, 0.0])[0]
        assert row == pytest.approx(0.8)  # 4 / (1 + 4)
        assert policy.pull(context=np.array([2.0, 0.0])) in (0, 1, 2)  # rows will do, too
        clone = policy.clone()
        assert clone.context_names == [] and clone.bandit.context_dim == 2
        assert not clone.bandit.context_constants

    def test_burns_in_and_ranks(self):
        _, policy = self.pair(1.0)
        policy = policy.clone({"burn_in": 1})
        context = {"age": 1.0, "evening": 0.0}
        for _ in range(3):
            arm = policy.pull([0, 1, 2], context)
            policy.update(arm, context, float(arm))
        assert policy.ranking == [2, 1, 0]

    def test_failures_say_why_and_change_nothing(self):
        _, policy = self.pair(1.0)
        for call, error in (
            (lambda: policy.pull([0, 1]), ValueError),
            (lambda: policy.pull([0, 1], {"a": 1, "b": 2, "c": 3}), ValueError),
            (lambda: policy.pull([0, 1], {"a": float("nan")}), ValueError),
            (lambda: policy.pull([0, 1], [1.0]), ValueError),
            (lambda: policy.pull([0, 1], {"a": "1.5"}), TypeError),
            (lambda: policy.pull([0, 1], {"a": [1.0, 2.0]}), TypeError),
            (lambda: policy.pull([0, 1], {"a": None}), manyarms.errors.InvalidArgumentError),
            (lambda: policy.pull([0, 5], {"a": 1.0}), KeyError),
            (lambda: policy.pull([0, 1], {"a": 1001.0}), ValueError),
            (lambda: policy.update(0, {"a": 1.0}), TypeError),
            (lambda: policy.update(0, {"a": 1.0}, float("nan")), ValueError),
            (lambda: policy.update(0, {"a": 1.0}, "1.5"), TypeError),
            (lambda: policy.update(5, {"a": 1.0}, 1.0), KeyError),
        ):
            with pytest.raises(error):
                call()
            assert policy.context_names == []
        policy.pull([0, 1], {"age": 1.0})  # which has a place to itself
        assert policy.context_names == ["age"]
        assert policy._n == 0 and not policy.bandit.mean.any() and policy.bandit.pending == 0
        with pytest.raises(ValueError, match="Policy is for bandits without"):
            river.ContextualPolicy(manyarms.Bandit(2))
