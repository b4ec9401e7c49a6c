"""The adapter for river, compared with river."""

from __future__ import annotations

import copy
import importlib
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import manyarms
from manyarms.adapters import river
from manyarms.adapters._untaught import OPTIONS



# One-hot features make arms independent, as they are with one model for each arm.
def one_hot(arms):
    return np.eye(arms, dtype=np.float32)


class Machines:
    """What river asks of a Gym environment, without Gym."""

    MEANS = (0.1, 0.9, 0.5, 0.3)

    class Space:
        n = 4

        def seed(self, seed):
            pass

    def __init__(self, steps):
        self.action_space = self.Space()
        self.left = steps

    def reset(self, *, seed):
        self.rng = np.random.default_rng(seed)

    def step(self, arm):
        assert isinstance(arm, int)
        self.left -= 1
        return None, self.MEANS[arm] + 0.3 * self.rng.normal(), self.left == 0, False, {}


class TestRiver:
    def bandit(self, policy="ucb", arms=4, **options):
        bandit = manyarms.Bandit(arms, policy, **options)
        bandit.add_arms(range(arms), one_hot(arms))
        return bandit

    def test_runs_in_rivers_evaluate(self):
        bandits = importlib.import_module("river.bandit")
        policies = [
            river.Policy(self.bandit("ts", exploration=0.3)),
            river.Policy(self.bandit("ucb", exploration=0.5)),
            bandits.RandomPolicy(seed=1),
        ]
        rows = list(bandits.evaluate(policies, Machines(200), n_episodes=3, seed=7))
        assert len(rows) == 3 * 3 * 200
        means = [
            np.mean([row["reward"] for row in rows if row["policy_idx"] == index])
            for index in range(3)
        ]
        assert means[0] > 0.75 and means[1] > 0.75 and means[2] < 0.6
        # evaluate works on clones: what was handed over is untouched.
        assert policies[0].bandit.pending == 0 and policies[0]._n == 0
        assert np.all(policies[0].bandit.predict(one_hot(4)) == 0)

    def test_replays_a_log_as_river_does(self):
        bandits = importlib.import_module("river.bandit")
        rng = np.random.default_rng(3)
        log = []
        for _ in range(2000):
            offered = sorted(rng.choice(4, size=3, replace=False).tolist())
            arm = int(rng.choice(offered))
            log.append((offered, None, arm, float(Machines.MEANS[arm] + 0.3 * rng.normal())))
        policy = river.Policy(self.bandit(exploration=0.5))
        total, used = bandits.evaluate_offline(policy, iter(log))
        chance, chances = bandits.evaluate_offline(bandits.RandomPolicy(seed=1), iter(log))
        assert used == policy._n > 500
        assert total.get() / used > chance.get() / chances + 0.1

    @pytest.mark.parametrize("beta", [1.0, 4.0])
    def test_decides_as_rivers_linucb_does_without_noise(self, beta):
        bandits = importlib.import_module("river.bandit")

        class WithoutNoise(bandits.LinUCBDisjoint):
            """river bounds the next reward, we bound its mean: 1/beta less variance."""

            def _pull(self, arm_ids, context):
                def bound(arm):
                    dist = self._bayes_lin_regs[arm].predict_one(context, with_dist=True)
                    return dist.mu + np.sqrt(dist.sigma**2 - 1 / self.beta)

                return max(arm_ids, key=bound)

        theirs = WithoutNoise(beta=beta, seed=1)
        # Precision 1 + beta n there, beta times our 1/beta + n.
        ours = river.Policy(
            self.bandit(exploration=beta**-0.5, regularisation=1 / beta)
        )
        rng = np.random.default_rng(11)
        one = {"one": 1.0}
        pulled = []
        for _ in range(300):
            offered = sorted(rng.choice(4, size=3, replace=False).tolist())
            arm = theirs.pull(offered, one)
            assert ours.pull(offered) == arm
            reward = Machines.MEANS[arm] + rng.normal()
            theirs.update(arm, one, reward)
            ours.update(arm, reward)
            pulled.append(arm)
        assert set(pulled) == {0, 1, 2, 3}
        expected = [theirs._bayes_lin_regs[arm].predict_one(one) for arm in range(4)]
        assert ours.bandit.predict(one_hot(4)) == pytest.approx(expected, rel=1e-6)

    def test_predicts_as_rivers_shared_model_does(self):
        linear = importlib.import_module("river.linear_model")
        theirs = linear.BayesianLinearRegression(alpha=1, beta=2.0)
        features = np.random.default_rng(2).normal(size=(30, 5)).astype(np.float32)
        bandit = manyarms.Bandit(5, "ts", regularisation=0.5)
        bandit.add_arms(range(30), features)
        ours = river.Policy(bandit)
        rows = [dict(enumerate(row.astype(float))) for row in features]
        rng = np.random.default_rng(4)
        for _ in range(200):
            arm = ours.pull(range(30))
            reward = float(features[arm].sum() + rng.normal())
            ours.update(arm, reward)
            theirs.learn_one(rows[arm], reward)
        assert ours.bandit.predict(features) == pytest.approx(
            [theirs.predict_one(row) for row in rows], rel=1e-5, abs=1e-6
        )

    def test_pulls_among_what_is_offered_only(self):
        bandit = manyarms.Bandit(3, "ts")
        bandit.add_arms(["x", "y", "z"], one_hot(3))
        policy = river.Policy(bandit)
        assert {policy.pull(["x", "z"]) for _ in range(100)} == {"x", "z"}
        assert {policy.pull(np.array(["x", "z"])) for _ in range(100)} == {"x", "z"}
        assert {policy.pull() for _ in range(100)} == {"x", "y", "z"}
        with pytest.raises(KeyError, match="there is no arm 'w'"):
            policy.pull(["x", "w"])
        with pytest.raises(manyarms.Error, match="no arm is eligible"):
            policy.pull([])
        bandit.add_arms(["w"], one_hot(3)[:1])  # the bandit stays the caller's
        assert policy.pull(["w"]) == "w"
        assert bandit.pending == 0

    def test_an_array_of_ints_has_ids_not_places(self):
        policy = river.Policy(self.bandit(arms=3))
        policy.update(1, 9.0)
        assert policy.pull(np.array([2])) == 2
        assert policy.pull(np.array([True, False, False])) == 0

    def test_clones_have_learned_nothing(self):
        bandit = self.bandit("ts", seed=9, exploration=0.7, regularisation=2.0)
        policy = river.Policy(bandit, burn_in=1)
        policy.update(2, 5.0)
        bandit.remove_arms([1])
        clone = policy.clone()
        assert sorted(clone.bandit.ids.tolist()) == [0, 2, 3]
        assert not clone.bandit.mean.any() and policy.bandit.mean.any()
        assert (clone._n, clone.burn_in, policy._n) == (0, 1, 1)
        assert clone.ranking == [] and policy.ranking == [2]
        for name in ("policy", "search", "exploration", "regularisation", "seed", "dim"):
            assert getattr(clone.bandit, name) == getattr(bandit, name)
        other = policy.clone({"bandit": self.bandit("ucb"), "burn_in": 0})
        assert (other.bandit.policy, other.burn_in) == ("ucb", 0)
        with pytest.raises(ValueError, match="no parameter 'epsilon'"):
            policy.clone({"epsilon": 0.1})
        with pytest.raises(ValueError, match="include_attributes"):
            policy.clone(include_attributes=True)
        kept = copy.deepcopy(policy)
        assert np.array_equal(kept.bandit.mean, policy.bandit.mean) and kept._n == 1
        kept.update(0, 1.0)
        assert policy._n == 1

    @pytest.mark.parametrize("options", [
        {"policy": "elim", "exploration": 3.0, "accuracy": 0.02},
        {"policy": "ts", "search": manyarms.Hnsw(shortlist=7), "max_pending": 5},
        {"policy": "ts", "negative_rewards": True},
        {"policy": "ts", "exploration": manyarms.TheoryRadius(1000, 0.1)},
    ], ids=str)
    def test_clones_have_all_options(self, options):
        bandit = manyarms.Bandit(3, **options)
        bandit.add_arms(["x", "y"], one_hot(3)[:2])
        clone = river.Policy(bandit).clone().bandit
        for name in OPTIONS:
            assert getattr(clone, name) == getattr(bandit, name)
        assert clone.ids == ["x", "y"]
        assert clone.features(clone.ids) == pytest.approx(bandit.features(bandit.ids))

    def test_is_a_policy_of_river(self):
        base = importlib.import_module("river.bandit").base
        bandit = self.bandit()
        policy = river.Policy(bandit, burn_in=2)
        assert isinstance(policy, base.Policy)
        assert not isinstance(policy, base.ContextualPolicy)
        params = policy._get_params()
        assert list(params) == ["bandit", "reward_obj", "reward_scaler", "burn_in"]
        assert params["bandit"] is bandit and params["burn_in"] == 2
        assert not policy._is_stochastic and policy._memory_usage
        twin = pickle.loads(pickle.dumps(policy))
        twin.update(0, 1.0)
        assert (twin._n, policy._n) == (1, 0)

    def test_ranks_arms_as_river_does(self):
        bandits = importlib.import_module("river.bandit")
        ours = river.Policy(self.bandit())
        theirs = bandits.EpsilonGreedy(0.1)
        for arm, reward in ((1, 2.0), (3, 0.3), (1, -1.0), (0, 0.7)):
            ours.update(arm, reward)
            theirs.update(arm, reward)
        assert ours.ranking == theirs.ranking == [0, 1, 3]
        assert ours._counts == theirs._counts

    def test_burns_in_as_river_does(self):
        bandits = importlib.import_module("river.bandit")
        ours = river.Policy(self.bandit(), burn_in=2)
        theirs = bandits.EpsilonGreedy(0.1, burn_in=2, seed=1)
        rng = np.random.default_rng(2)
        burning = 0
        while any(theirs._counts[arm] < 2 for arm in range(4)):
            offered = rng.choice(4, size=3, replace=False).tolist()
            if any(theirs._counts[arm] < 2 for arm in offered):
                burning += 1
                arm = theirs.pull(offered)
                assert ours.pull(offered) == arm
                assert ours.pull(np.array(offered)) == arm
            for policy in (ours, theirs):
                policy.update(arm, 1.0)
        assert burning == 8
        ours.update(2, 100.0)
        assert ours.pull(range(4)) == 2
        early = river.Policy(self.bandit(), burn_in=1)
        assert early.pull() == 0 and early.pull(np.array([False, False, True, True])) == 2
        with pytest.raises(KeyError, match="there is no arm 9"):
            early.pull([9, 0])

    def test_burns_in_with_masks_and_ids_of_all_kinds(self):
        late = np.array([False, False, True, True])
        for mask in (
            late, pd.Series(late), pd.Series(late, dtype="boolean"),
            pd.Series(late, dtype=pd.ArrowDtype(pa.bool_())), pa.array(late),
            pa.chunked_array([late[:1], late[1:]]),
        ):
            policy = river.Policy(self.bandit(), burn_in=1)
            plain = river.Policy(self.bandit())
            assert policy.pull(mask) == 2 == plain.pull(mask)
            policy.update(2, 1.0)
            assert policy.pull(mask) == 3  # which has not been pulled yet
        for ids in (pd.Series([2, 3], dtype="Int64"), pa.array([2, 3])):
            assert policy.pull(ids) == 3
        for refused, error in (
            (np.ma.masked_array(late, mask=~late), TypeError),
            (pd.Series([True, False, None, True], dtype="boolean"), ValueError),
            (late[:3], ValueError),
        ):
            for either in (policy, plain):
                with pytest.raises(error):
                    either.pull(refused)

    def test_scales_rewards_as_river_does(self):
        bandits = importlib.import_module("river.bandit")
        preprocessing = importlib.import_module("river.preprocessing")
        scaler = preprocessing.TargetStandardScaler(None)
        ours = river.Policy(self.bandit("ucb"), reward_scaler=scaler)
        theirs = bandits.UCB(delta=1, reward_scaler=scaler.clone())
        for step in range(50):
            for policy in (ours, theirs):
                policy.update(step % 4, 100.0 + 10 * np.sin(step))
        for arm in range(4):
            assert ours._rewards[arm].get() == pytest.approx(theirs._rewards[arm].get())
        before = copy.deepcopy(ours.reward_scaler).__dict__
        with pytest.raises(KeyError, match="there is no arm 7"):
            ours.update(7, 1e6)
        assert str(ours.reward_scaler.__dict__) == str(before) and ours._n == 50

    def test_learns_from_metrics_of_models(self):
        selection = importlib.import_module("river.model_selection")
        metrics = importlib.import_module("river.metrics")
        dummy = importlib.import_module("river.dummy")
        models = [dummy.NoChangeClassifier(), dummy.PriorClassifier()]
        policy = river.Policy(self.bandit("ts", arms=2, exploration=0.3))
        model = selection.BanditClassifier(models, metrics.Accuracy(), policy)
        for step in range(300):  # never what was before, so that the first is wrong
            model.learn_one({"x": 1.0}, step % 2 == 0)
        assert model.policy._counts[1] > 200
        assert model.policy._n == 300 and policy._n == 0
        errors = policy.clone({"reward_obj": metrics.MAE()})
        errors.update(1, 3.0, 1.0)  # smaller is better
        assert errors.bandit.scores([1])[0] == pytest.approx(-1.0)

    def test_refuses_what_it_cannot_learn(self):
        stats = importlib.import_module("river.stats")
        metrics = importlib.import_module("river.metrics")
        policy = river.Policy(self.bandit())
        with pytest.raises(TypeError, match="one reward, not 2"):
            policy.update(0, 1.0, 2.0)
        with pytest.raises(TypeError, match="one reward, not 0"):
            policy.update(0)
        with pytest.raises(TypeError):
            policy.pull([0, 1], {"age": 3})
        for reward in (float("nan"), 1e30):
            with pytest.raises(ValueError, match="reward"):
                policy.update(0, reward)
        with pytest.raises(KeyError, match="there is no arm 8"):
            policy.update(8, 1.0)
        assert policy._n == 0 and not policy._counts and policy.ranking == []
        for options, error in (
            ({"burn_in": -1}, ValueError), ({"burn_in": 1.5}, TypeError),
            ({"reward_obj": metrics.MAE(), "reward_scaler": stats.Mean()}, ValueError),
        ):
            with pytest.raises(error, match="burn_in|reward_scaler"):
                river.Policy(self.bandit(), **options)
        with pytest.raises(TypeError, match=r"must be a manyarms.Bandit"):
            river.Policy(None)
        with pytest.raises(ValueError, match="ContextualPolicy is for"):
            river.Policy(manyarms.Bandit(2, context_dim=1))

    def test_takes_over_a_bandit_without_a_copy(self):
        bandit = manyarms.Bandit(16)
        rows = np.random.default_rng(1).standard_normal((50_000, 16), dtype=np.float32)
        bandit.add_arms(range(50_000), rows)
        policy = river.Policy(bandit)
        assert policy.bandit is bandit
        # Whatever has the arms is a Bandit, and none is reachable but this.
        found = [value for value in vars(policy).values() if isinstance(value, manyarms.Bandit)]
        assert found == [bandit]
        assert policy.pull(range(50_000)) in bandit
