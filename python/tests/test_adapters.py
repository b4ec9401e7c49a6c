"""The adapters, compared with the libraries that they stand in for."""

from __future__ import annotations

import copy
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import manyarms
from manyarms.adapters import mabwiser, obp, river

LearningPolicy = mabwiser.LearningPolicy


# One-hot features make arms independent, as they are with one model for each arm.
def one_hot(arms):
    return np.eye(arms, dtype=np.float32)


def test_adapters_need_no_other_library():
    code = (
        "import sys\n"
        "for name in ('mabwiser', 'obp', 'river'): sys.modules[name] = None\n"
        "import manyarms.adapters as adapters\n"
        "policy = adapters.obp.Policy([[1.0], [2.0]])\n"
        "policy.update_params(policy.select_action()[0], 1.0)\n"
        "try: policy.policy_type\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "pip install obp" in done.stdout


class TestMabwiser:
    ARMS = ["a", "b", "c", "d", "e"]
    MEANS = dict(zip(ARMS, [0.1, 0.5, -0.3, 0.45, 0.2]))

    def pair(self, name, **options):
        """MABWiser's and ours, both having seen each arm once."""
        theirs_module = importlib.import_module("mabwiser.mab")
        their_policy = getattr(theirs_module.LearningPolicy, name)(**options)
        theirs = theirs_module.MAB(self.ARMS, their_policy)
        ours = mabwiser.MAB(
            self.ARMS, getattr(LearningPolicy, name)(**options), one_hot(len(self.ARMS))
        )
        rewards = [0.3, -0.2, 0.9, 0.0, 0.4]
        theirs.fit(self.ARMS, rewards, [[1]] * len(self.ARMS))
        ours.fit(self.ARMS, rewards)
        return theirs, ours

    @pytest.mark.parametrize("l2_lambda", [1.0, 0.25, 3.0])
    @pytest.mark.parametrize(
        ("name", "options"),
        [("LinUCB", {"alpha": 1.25}), ("LinUCB", {"alpha": 0.1}), ("LinGreedy", {"epsilon": 0})],
    )
    def test_decides_as_mabwiser_does(self, name, options, l2_lambda):
        theirs, ours = self.pair(name, **options, l2_lambda=l2_lambda)
        rng = np.random.default_rng(5)
        for _ in range(200):
            arm = theirs.predict([[1]])
            assert ours.predict() == arm
            # Scores are single-precision.
            assert ours.predict_expectations() == pytest.approx(
                theirs.predict_expectations([[1]]), rel=1e-5, abs=1e-6
            )
            reward = self.MEANS[arm] + rng.normal()
            theirs.partial_fit([arm], [reward], [[1]])
            ours.partial_fit([arm], [reward])

    def test_thompson_draws_as_mabwiser_does(self):
        theirs_module = importlib.import_module("mabwiser.mab")
        theirs = theirs_module.MAB(self.ARMS, theirs_module.LearningPolicy.LinTS(0.7, 2.0))
        ours = mabwiser.MAB(self.ARMS, LearningPolicy.LinTS(0.7, 2.0), one_hot(5))
        decisions = self.ARMS + ["a", "a", "d"]
        rewards = [0.3, -0.2, 0.9, 0.0, 0.4, 1.0, -0.5, 2.0]
        # The second feature of the context is idle: MABWiser squeezes draws of a
        # single one out of shape when it is given several contexts.
        theirs.fit(decisions, rewards, [[1, 0]] * len(decisions))
        ours.fit(decisions, rewards)
        count = 20_000
        their_draws = theirs.predict_expectations([[1, 0]] * count)
        our_draws = [ours.predict_expectations() for _ in range(count)]
        # Arm by arm, since MABWiser's arms all draw the same noise. An empirical
        # distribution is further than 0.027 from the true one with probability
        # 2 exp(-2 * 20000 * 0.027^2) < 1e-12 (Dvoretzky, Kiefer, Wolfowitz).
        for arm in self.ARMS:
            left = np.sort([draw[arm] for draw in their_draws])
            right = np.sort([draw[arm] for draw in our_draws])
            both = np.concatenate([left, right])
            apart = np.searchsorted(left, both) - np.searchsorted(right, both)
            assert np.abs(apart).max() / count < 2 * 0.027
        assert {ours.predict() for _ in range(count)} == set(self.ARMS)

    def test_untried_arms_follow_the_formula_where_mabwiser_does_not(self):
        theirs_module = importlib.import_module("mabwiser.mab")
        policy = theirs_module.LearningPolicy.LinUCB(alpha=2.0, l2_lambda=4.0)
        theirs = theirs_module.MAB([1, 2], policy)
        theirs.fit([1], [0.5], [[1]])
        ours = mabwiser.MAB([1, 2], policy, one_hot(2))  # their policy does, too
        ours.fit([1], [0.5])
        assert theirs.predict_expectations([[1]])[2] == pytest.approx(2 * 4**0.5)
        assert ours.predict_expectations()[2] == pytest.approx(2 / 4**0.5)
        assert ours.predict_expectations()[1] == pytest.approx(
            theirs.predict_expectations([[1]])[1]
        )

    def test_arms_come_and_go_as_in_mabwiser(self):
        theirs, ours = self.pair("LinUCB", alpha=1.0)
        features = np.zeros(len(self.ARMS))
        with pytest.raises(manyarms.Error, match="already"):
            ours.add_arm("a", features)
        for mab in (theirs, ours):
            mab.remove_arm("c")
        assert sorted(ours.arms) == sorted(theirs.arms)
        assert "c" not in ours.predict_expectations()
        theirs.add_arm("f")
        ours.add_arm("f", features)  # nothing is known or uncertain about zeros
        assert ours.predict_expectations()["f"] == 0
        assert sorted(ours.arms) == sorted(theirs.arms)
        with pytest.raises(KeyError, match="there is no arm 'c'"):
            ours.remove_arm("c")

    def test_fit_forgets_and_partial_fit_does_not(self):
        features = np.random.default_rng(1).normal(size=(4, 2))
        mab = mabwiser.MAB([1, 2, 3, 4], LearningPolicy.LinGreedy(0), features)
        mab.fit([1, 2], [1.0, 2.0])
        once = mab.predict_expectations()
        mab.partial_fit([3], [-5.0])
        assert mab.predict_expectations() != once
        mab.add_arm(5, [1.0, 1.0])
        mab.fit([1, 2], [1.0, 2.0])
        assert mab.predict_expectations().items() > once.items()
        assert mab.bandit.pending == 0

    def test_thompson_draws_anew_after_each_fit(self):
        mab = mabwiser.MAB([1, 2], mabwiser.LearningPolicy.LinTS(alpha=1.0), np.eye(2))
        played = set()
        for _ in range(100):
            mab.fit([1, 2], [0.5, 0.5])
            played.add(mab.predict())
        assert played == {1, 2}  # fails with probability 2**-99

    def test_greedy_tries_other_arms_with_probability_epsilon(self):
        mab = mabwiser.MAB([1, 2], LearningPolicy.LinGreedy(0.5), one_hot(2))
        mab.fit([1], [1.0])
        second = sum(mab.predict() == 2 for _ in range(4000)) / 4000
        # Hoeffding: off by 0.06 with probability 2 exp(-2 * 4000 * 0.06^2) < 1e-12.
        assert abs(second - 0.25) < 0.06

    def test_failures_say_why_and_change_nothing(self):
        mab = mabwiser.MAB(self.ARMS, LearningPolicy.LinUCB(), one_hot(5))
        mab.fit(["a"], [1.0])
        before = mab.predict_expectations()
        for call in (
            lambda: mab.predict([[1]]),
            lambda: mab.predict_expectations([[1]]),
            lambda: mab.fit(["a"], [1.0], [[1]]),
            lambda: mab.partial_fit(["a"], [1.0], contexts=[[1]]),
        ):
            with pytest.raises(ValueError, match="features belong to arms"):
                call()
        with pytest.raises(KeyError, match="there is no arm 'z'"):
            mab.fit(["a", "z"], [1.0, 2.0])
        with pytest.raises(ValueError, match="nan"):
            mab.fit(["a"], [float("nan")])
        assert mab.predict_expectations() == before
        with pytest.raises(TypeError, match=r"LinUCB\(...\), not UCB1"):
            mabwiser.MAB([1], type("UCB1", (), {})(), [[1.0]])
        scaled = type("LinTS", (), {"alpha": 1, "l2_lambda": 1, "scale": True})()
        with pytest.raises(ValueError, match="scale the arms' features"):
            mabwiser.MAB([1], scaled, [[1.0]])

    def test_pickles(self):
        _, ours = self.pair("LinTS")
        twin = pickle.loads(pickle.dumps(ours))
        assert [ours.predict() for _ in range(20)] == [twin.predict() for _ in range(20)]


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

    def test_clones_begin_where_it_began(self):
        bandit = self.bandit()
        bandit.observe(2, 1.0)
        policy = river.Policy(bandit)
        policy.update(2, 5.0)
        clone = policy.clone()
        once = self.bandit()
        once.observe(2, 1.0)
        assert np.array_equal(clone.bandit.predict(one_hot(4)), once.predict(one_hot(4)))
        assert clone._n == 0 and policy._n == 1
        assert policy.clone({"bandit": self.bandit("ts")}).bandit.policy == "ts"
        with pytest.raises(ValueError, match="no parameter 'reward_obj'"):
            policy.clone({"reward_obj": None})

    def test_refuses_contexts_and_metrics(self):
        policy = river.Policy(self.bandit())
        with pytest.raises(ValueError, match="features belong to arms"):
            policy.pull([0, 1], context={"age": 3})
        with pytest.raises(TypeError, match="one reward, not 2"):
            policy.update(0, {"age": 3}, 1.0)
        assert policy._n == 0


class TestObp:
    def feedback(self, rounds=3000, seed=12345):
        """OBP's own synthetic data, whose rewards depend on actions and contexts."""
        dataset_module = importlib.import_module("obp.dataset")
        dataset = dataset_module.SyntheticBanditDataset(
            n_actions=8,
            dim_context=3,
            reward_type="continuous",
            reward_function=dataset_module.linear_reward_function,
            random_state=seed,
        )
        feedback = dataset.obtain_batch_bandit_feedback(n_rounds=rounds)
        feedback["position"] = np.zeros(rounds, dtype=int)
        return dataset, feedback

    def test_runs_in_obps_simulator(self):
        simulator = importlib.import_module("obp.simulator")
        ope = importlib.import_module("obp.ope")
        dataset, feedback = self.feedback(rounds=5000)
        policy = obp.Policy(dataset.action_context, exploration=0.5)
        dist = simulator.run_bandit_simulation(feedback, policy)
        assert dist.shape == (5000, 8, 1)
        assert np.array_equal(dist.sum(axis=1), np.ones((5000, 1)))
        # The simulator lets a policy learn where it agrees with the log.
        chosen = dist[:, :, 0].argmax(axis=1)
        assert policy.n_trial == (chosen == feedback["action"]).sum() > 100
        assert policy.action_counts.sum() == policy.n_trial
        assert policy.bandit.pending == 0
        best = feedback["expected_reward"].mean(axis=0).argmax()
        assert (chosen[-1000:] == best).mean() > 0.9
        value = ope.ReplayMethod().estimate_policy_value(
            reward=feedback["reward"],
            action=feedback["action"],
            position=feedback["position"],
            action_dist=dist,
        )
        assert value > feedback["reward"].mean() + 0.1

    def test_obp_finds_it_better_than_its_random_policy(self):
        simulator = importlib.import_module("obp.simulator")
        policies = importlib.import_module("obp.policy")
        dataset, feedback = self.feedback(rounds=500)

        def value(policy):
            return simulator.calc_ground_truth_policy_value(
                feedback, dataset.sample_reward, policy, n_sim=2
            )

        policy = obp.Policy(dataset.action_context, exploration=1.0)
        best = feedback["expected_reward"].mean(axis=0).max()
        ours, random = value(policy), value(policies.Random(n_actions=8, random_state=1))
        assert policy.n_trial == 0  # OBP simulates with copies
        assert random < ours < best
        assert best - ours < 0.5 * (best - random)

    @pytest.mark.parametrize("batch_size", [1, 7])
    def test_decides_as_obps_linucb_does(self, batch_size):
        simulator = importlib.import_module("obp.simulator")
        policies = importlib.import_module("obp.policy")
        _, feedback = self.feedback(rounds=1500)
        feedback["context"] = np.ones((1500, 1))  # one number for each action
        feedback["position"] = np.random.default_rng(1).integers(3, size=1500)
        theirs = policies.LinUCB(
            dim=1, n_actions=8, len_list=3, epsilon=0.8, batch_size=batch_size
        )
        ours = obp.Policy(
            one_hot(8), len_list=3, batch_size=batch_size, policy="ucb", exploration=0.8
        )
        # Of equal actions OBP takes the last and we take the first: leave none equal.
        for trial in range(56):
            reward = float(np.sin(trial))
            theirs.update_params(trial % 8, reward, np.ones((1, 1)))
            ours.update_params(trial % 8, reward)
        dist = simulator.run_bandit_simulation(feedback, theirs)
        assert np.array_equal(simulator.run_bandit_simulation(feedback, ours), dist)
        assert ours.n_trial == theirs.n_trial > 150

    def test_goes_on_learning_after_a_refused_reward(self):
        policy = obp.Policy(np.eye(4), batch_size=2)
        for action, reward in ((1.0, 1.0), (1, 1e10), (9, 1.0)):
            with pytest.raises((TypeError, ValueError)):
                policy.update_params(action, reward)
        assert policy.n_trial == 0
        for _ in range(100):
            policy.update_params(2, 1.0)
        assert policy.bandit.predict(np.eye(4))[2] > 0.9

    def test_lists_have_no_action_twice(self):
        policy = obp.Policy(np.random.default_rng(1).normal(size=(6, 2)), len_list=4)
        for _ in range(50):
            actions = policy.select_action()
            assert actions.shape == (4,) and len(set(actions.tolist())) == 4

    def test_learns_in_batches_and_forgets(self):
        policy = obp.Policy(one_hot(3), batch_size=2)
        policy.update_params(1, np.array([1.0]))
        assert policy.bandit.predict(one_hot(3)).tolist() == [0, 0, 0]
        policy.update_params(np.int64(1), 1)
        assert policy.bandit.predict(one_hot(3)).tolist() == pytest.approx([0, 2 / 3, 0])
        draws = [policy.select_action()[0] for _ in range(20)]
        twin = copy.deepcopy(policy)
        policy.initialize()
        assert policy.n_trial == 0 and policy.action_counts.tolist() == [0, 0, 0]
        assert policy.bandit.predict(one_hot(3)).tolist() == [0, 0, 0]
        assert twin.n_trial == 2 and len(draws) == 20

    def test_failures_say_why(self):
        with pytest.raises(ValueError, match="len_list is 4, must be from 1 to"):
            obp.Policy(one_hot(3), len_list=4)
        with pytest.raises(ValueError, match="batch_size is 0"):
            obp.Policy(one_hot(3), batch_size=0)
        with pytest.raises(ValueError, match="a row of features for each action"):
            obp.Policy([1.0, 2.0])
        policy = obp.Policy(one_hot(3))
        with pytest.raises(ValueError, match="action is -1, must be from 0 to 2"):
            policy.update_params(-1, 1.0)
        with pytest.raises(ValueError, match="features belong to actions"):
            policy.select_action(np.ones((1, 3)))
        with pytest.raises(ValueError, match="features belong to actions"):
            policy.update_params(0, 1.0, np.ones((1, 3)))
        assert policy.n_trial == 0
