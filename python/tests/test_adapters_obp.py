"""The adapter for Open Bandit Pipeline, compared with it."""

from __future__ import annotations

import copy
import importlib

import numpy as np
import pandas as pd
import pytest

from manyarms.adapters import obp
from manyarms.errors import InvalidArgumentError


# One-hot features make arms independent, as they are with one model for each arm.
def one_hot(arms):
    return np.eye(arms, dtype=np.float32)


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
        with pytest.raises(ValueError, match="ContextualPolicy is for contexts"):
            policy.select_action(np.ones((1, 3)))
        with pytest.raises(ValueError, match="ContextualPolicy is for contexts"):
            policy.update_params(0, 1.0, np.ones((1, 3)))
        assert policy.n_trial == 0

    def test_estimates_probabilities_of_actions(self):
        policies = importlib.import_module("obp.policy.base")
        policy = obp.Policy(one_hot(4), len_list=2, exploration=1.0)
        assert isinstance(policy, policies.BaseContextFreePolicy)
        assert not isinstance(policy, policies.BaseContextualPolicy)
        policy.update_params(2, 3.0)
        dist = policy.compute_batch_action_dist(n_rounds=5, n_sim=4000)
        assert dist.shape == (5, 4, 2) and np.array_equal(dist[0], dist[4])
        assert dist.sum(axis=1) == pytest.approx(np.ones((5, 2)))
        # Each draw is one of independent normals: 1.5 +- 0.5^0.5 and three of 0 +- 1.
        draws = np.random.default_rng(1).normal(size=(200_000, 4))
        draws[:, 2] = 1.5 + draws[:, 2] * 0.5**0.5
        order = np.argsort(-draws, axis=1)
        for place in range(2):
            expected = np.bincount(order[:, place], minlength=4) / len(draws)
            # Hoeffding, 4000 lists: off by 0.06 with probability 2 exp(-28.8) < 1e-12.
            assert dist[0, :, place] == pytest.approx(expected, abs=0.06)
        certain = obp.Policy(one_hot(4), policy="ucb", exploration=0.1)
        certain.update_params(1, 1.0)
        assert certain.compute_batch_action_dist()[0, :, 0].tolist() == [0, 1, 0, 0]
        for counts in ({"n_rounds": 0}, {"n_sim": 0}):
            with pytest.raises(ValueError, match="must be at least 1"):
                policy.compute_batch_action_dist(**counts)


class TestObpContexts:
    """What OBP's own tests, which its packages do not contain, ask of a policy."""

    def feedback(self, rounds, dim=3, seed=12345):
        dataset_module = importlib.import_module("obp.dataset")
        dataset = dataset_module.SyntheticBanditDataset(
            n_actions=6, dim_context=dim, reward_type="continuous",
            reward_function=dataset_module.linear_reward_function, random_state=seed,
        )
        feedback = dataset.obtain_batch_bandit_feedback(n_rounds=rounds)
        feedback["context"] = feedback["context"].astype(np.float32).astype(float)
        feedback["position"] = np.random.default_rng(1).integers(2, size=rounds)
        return dataset, feedback

    @pytest.mark.parametrize("batch_size", [1, 7])
    def test_decides_and_expects_as_obps_linucb_does(self, batch_size):
        simulator = importlib.import_module("obp.simulator")
        policies = importlib.import_module("obp.policy")
        _, feedback = self.feedback(rounds=1000)
        options = {"n_actions": 6, "len_list": 2, "batch_size": batch_size}
        theirs = policies.LinUCB(dim=3, epsilon=0.6, **options)
        ours = obp.ContextualPolicy(dim=3, policy="ucb", exploration=0.6, **options)
        # Of equal actions OBP takes the last and we take the first: leave none equal.
        for trial in range(42):
            context = np.random.default_rng(trial).normal(size=(1, 3)).astype(np.float32)
            for policy in (theirs, ours):
                policy.update_params(trial % 6, float(np.sin(trial)), context.astype(float))
        dist = simulator.run_bandit_simulation(feedback, theirs)
        assert np.array_equal(simulator.run_bandit_simulation(feedback, ours), dist)
        assert ours.n_trial == theirs.n_trial > 150
        assert np.array_equal(ours.action_counts, theirs.action_counts)
        if batch_size == 1:  # OBP computes theta_hat when it selects
            theirs.select_action(np.ones((1, 3)))
            for context in np.eye(3):
                expected = context @ theirs.theta_hat
                assert ours.bandit.scores(range(6), context=context) == pytest.approx(
                    expected, rel=1e-6, abs=1e-6
                )

    def test_draws_as_obps_lints_does(self):
        policies = importlib.import_module("obp.policy")
        theirs = policies.LinTS(dim=2, n_actions=3, random_state=1)
        ours = obp.ContextualPolicy(2, 3, exploration=1.0)
        for trial in range(30):
            context = np.random.default_rng(trial).normal(size=(1, 2))
            for policy in (theirs, ours):
                policy.update_params(trial % 3, float(context[0, 0] * (trial % 3)), context)
        context = np.array([[0.4, -0.2]])
        chosen = [theirs.select_action(context)[0] for _ in range(4000)]
        expected = np.bincount(chosen, minlength=3) / 4000
        dist = ours.compute_batch_action_dist(context, n_sim=4000)
        assert dist.shape == (1, 3, 1)
        # Hoeffding for both: off by 0.12 in all with probability below 1e-11.
        assert dist[0, :, 0] == pytest.approx(expected, abs=0.12)

    def test_features_and_contexts_are_better_than_neither(self):
        simulator = importlib.import_module("obp.simulator")
        dataset, feedback = self.feedback(rounds=4000)
        feedback["position"] = np.zeros(4000, dtype=int)

        def mean_reward(policy):
            dist = simulator.run_bandit_simulation(feedback, policy)
            chosen = dist[-1000:, :, 0].argmax(axis=1)
            return feedback["expected_reward"][-1000:][np.arange(1000), chosen].mean()

        plain = mean_reward(obp.Policy(dataset.action_context, exploration=0.5))
        contextual = mean_reward(
            obp.ContextualPolicy(3, action_context=dataset.action_context, exploration=0.5)
        )
        best = feedback["expected_reward"][-1000:].max(axis=1).mean()
        assert plain < contextual <= best
        assert best - contextual < 0.5 * (best - plain)

    def test_is_a_contextual_policy_of_obp(self):
        base = importlib.import_module("obp.policy.base")
        types = importlib.import_module("obp.policy.policy_type")
        policy = obp.ContextualPolicy(2, 3)
        assert isinstance(policy, base.BaseContextualPolicy)
        assert not isinstance(policy, base.BaseContextFreePolicy)
        assert policy.policy_type == types.PolicyType.CONTEXTUAL
        assert (policy.dim, policy.n_actions, policy.len_list) == (2, 3, 1)

    def test_learns_in_batches_and_forgets(self):
        policy = obp.ContextualPolicy(2, 3, batch_size=2)
        context = np.array([[1.0, 2.0]])
        policy.update_params(1, 1.0, context)
        context[0, 0] = 99.0  # the caller's array is his
        assert not policy.bandit.mean.any()
        policy.update_params(1, 1.0, np.array([1.0, 2.0]))
        # Two rewards of 1 for a context of squared length 5: 10 / (1 + 10).
        assert policy.bandit.scores([1], context=[1.0, 2.0])[0] == pytest.approx(10 / 11)
        policy.initialize()
        assert policy.n_trial == 0 and not policy.bandit.mean.any()

    @pytest.mark.parametrize("batch_size", [1, 3])
    def test_a_context_beyond_the_bound_changes_nothing(self, batch_size):
        policy = obp.ContextualPolicy(2, 3, batch_size=batch_size)
        for trial in range(2 * batch_size):
            with pytest.raises(ValueError, match="value 0 of context 0 is 1001.0, .* at most 1000"):
                policy.update_params(1, 1.0, [[1001.0, 0.0]])
            assert policy.n_trial == trial == policy.action_counts.sum()
            policy.update_params(0, 1.0, [[1000.0, 0.0]])
        assert policy.action_counts.tolist() == [2 * batch_size, 0, 0]
        rewards = 1e6 * 2 * batch_size  # each was learned once: c'c is a million
        assert policy.bandit.scores([0], context=[1000.0, 0.0])[0] == pytest.approx(
            rewards / (rewards + 1)
        )

    @pytest.mark.parametrize("batch_size", [1, 3])
    def test_rewards_wait_if_the_bandit_cannot_learn_them(self, batch_size):
        policy = obp.ContextualPolicy(2, 3, batch_size=batch_size)
        for _ in range(batch_size - 1):
            policy.update_params(0, 1.0, [[1.0, 0.0]])
        bandit, policy.bandit = policy.bandit, None
        with pytest.raises(AttributeError):
            policy.update_params(0, 1.0, [[1.0, 0.0]])
        assert policy.n_trial == batch_size - 1 == policy.action_counts.sum()
        policy.bandit = bandit
        policy.update_params(0, 1.0, [[1.0, 0.0]])
        assert policy.n_trial == batch_size
        expected = batch_size / (batch_size + 1)
        assert bandit.scores([0], context=[1.0, 0.0])[0] == pytest.approx(expected)

    def test_contexts_and_features_must_be_numbers(self):
        policy, twin = (obp.ContextualPolicy(2, 3) for _ in range(2))
        masked = np.ma.masked_greater([[1.0, 2.0]], 1.5)
        for context, error, text in (
            (masked, TypeError, "what is behind the mask"),
            ([["1.0", "2.0"]], TypeError, "must be numbers"),
            (pd.DataFrame([[1.0, pd.NA]]), InvalidArgumentError, "missing values"),
        ):
            for call in (
                policy.select_action,
                policy.compute_batch_action_dist,
                lambda row: policy.update_params(0, 1.0, row),
            ):
                with pytest.raises(error, match=text):
                    call(context)
        with pytest.raises(ValueError, match="value 1 of context 1 is 1001.0"):
            policy.compute_batch_action_dist([[1.0, 2.0], [1.0, 1001.0]], n_sim=1)
        context = pd.DataFrame([[1, 2]], dtype="Int64")
        for both in (policy, twin):
            both.update_params(0, 1.0, context)
        chosen = [[both.select_action(context)[0] for _ in range(50)] for both in (policy, twin)]
        assert chosen[0] == chosen[1]  # the calls that failed made no draws
        with pytest.raises(TypeError, match="action_context must not be a masked array"):
            obp.Policy(masked)

    def test_options_with_other_names_are_refused(self):
        with pytest.raises(ValueError, match="random_state is the seed"):
            obp.Policy(np.eye(2), seed=5)
        with pytest.raises(ValueError, match="random_state is the seed"):
            obp.ContextualPolicy(2, 3, seed=5)
        with pytest.raises(ValueError, match="dim is the number of values"):
            obp.ContextualPolicy(2, 3, context_dim=7)
        assert obp.Policy(np.eye(2), random_state=5).bandit.seed == 5

    def test_failures_say_why_and_change_nothing(self):
        policy = obp.ContextualPolicy(2, 3)
        for context in (np.ones(3), np.ones((2, 2)), [[np.nan, 1.0]], [[1e30, 1.0]], None):
            with pytest.raises((TypeError, ValueError), match="context|float"):
                policy.update_params(0, 1.0, context)
            with pytest.raises((TypeError, ValueError), match="context|float"):
                policy.select_action(context)
        assert policy.n_trial == 0 and policy.bandit.pending == 0
        for arguments, options, text in (
            ((0, 3), {}, "dim is 0"),
            ((2, 0), {}, "n_actions is 0"),
            ((2,), {}, "n_actions or action_context"),
            ((2, 3), {"action_context": np.eye(4)}, "n_actions is 3, must be the 4"),
            ((2, 3), {"len_list": 4}, "len_list is 4"),
            ((1000, 5), {}, "4096"),
        ):
            with pytest.raises((TypeError, ValueError), match=text):
                obp.ContextualPolicy(*arguments, **options)
        with pytest.raises(ValueError, match="ContextualPolicy is for contexts"):
            obp.Policy(np.eye(2), context_dim=2)
        with pytest.raises(ValueError, match="a row for each round"):
            policy.compute_batch_action_dist([1.0, 2.0])
