"""Clicks and forgetting."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import manyarms

RNG = np.random.default_rng(5)
X = RNG.normal(size=(200, 3))


def bandit(**options):
    made = manyarms.Bandit(3, **options)
    made.add_arms(range(200), X)
    return made


def population(**options):
    made = manyarms.Population(3, **options)
    made.add_arms(range(200), X)
    return made


class SlowClicks:
    """The mode and the curvature of the log posterior, by Newton's method in all dimensions."""

    def __init__(self, dim):
        self.precision = np.eye(dim)
        self.mean = np.zeros(dim)

    def learn(self, x, click):
        theta = self.mean.copy()
        for _ in range(50):
            q = 1 / (1 + np.exp(-x @ theta))
            slope = self.precision @ (theta - self.mean) - (click - q) * x
            theta -= np.linalg.solve(self.precision + q * (1 - q) * np.outer(x, x), slope)
        q = 1 / (1 + np.exp(-x @ theta))
        self.precision += q * (1 - q) * np.outer(x, x)
        self.mean = theta


def test_clicks_are_learned_as_by_a_slow_model():
    one = bandit(rewards="clicks")
    slow = SlowClicks(3)
    for t in range(150):
        decision = one.choose()
        click = float(t % 3 == 0)
        one.learn(decision, click)
        slow.learn(X[decision.arm].astype(np.float32).astype(float), click)
        assert 0 <= decision.score <= 1
    assert np.allclose(one.mean, slow.mean, atol=1e-8)
    assert np.allclose(one.predict(X), 1 / (1 + np.exp(-X @ slow.mean)), atol=1e-6)


def test_forgetting_is_that_of_discounted_sums():
    one = bandit(forgetting=0.9)
    weights = 0.9 ** np.arange(39, -1, -1)
    arms = np.arange(40)
    rewards = np.cos(arms)
    one.observe_many(arms, rewards)
    rows = X[:40].astype(np.float32).astype(float)
    gram = (rows * weights[:, None]).T @ rows
    moment = (rows * weights[:, None]).T @ rewards
    # The prior keeps between 7/8 and all of its weight.
    least, most = (np.linalg.solve(gram + part * np.eye(3), moment) for part in (0.875, 1.0))
    assert np.allclose(one.mean, least, atol=np.abs(least - most).max() * 3 + 1e-12)
    assert not np.allclose(one.mean, np.linalg.solve(rows.T @ rows + np.eye(3), rows.T @ rewards),
                           atol=1e-3)


def test_a_half_life_is_a_forgetting():
    assert bandit(half_life=10).forgetting == 0.5 ** 0.1
    assert population(half_life=1).forgetting == 0.5
    assert bandit(rewards="clicks").rewards == "clicks"


def test_a_share_is_forgotten():
    one = bandit()
    one.observe_many(range(50), np.ones(50))
    rows = X[:50].astype(np.float32).astype(float)
    one.forget(0.75)
    expected = np.linalg.solve(rows.T @ rows / 4 + np.eye(3), rows.sum(0) / 4)
    assert np.allclose(one.mean, expected)
    one.forget(1)
    assert np.array_equal(one.mean, np.zeros(3))


def test_learners_forget_by_themselves():
    many = population(forgetting=0.95, rewards="clicks")
    for learner in ("a", 7):
        lone = bandit(forgetting=0.95, rewards="clicks", seed=many.seed_of(learner))
        for t in range(60):
            decision, expected = many.choose(learner), lone.choose()
            assert decision.arm == expected.arm
            many.learn(learner, decision, t % 2)
            lone.learn(expected, t % 2)
            if t == 30:
                many.forget(learner, 0.5)
                lone.forget(0.5)
        assert np.array_equal(many.mean("a"), lone.mean) == (learner == "a")
    many.forget("a")
    assert list(many.learners) == [7]


@pytest.mark.parametrize("click", [2, -0.5, float("nan"), 1 + 1e-9])
def test_what_is_no_click_is_refused(click):
    one = bandit(rewards="clicks")
    many = population(rewards="clicks")
    decision, theirs = one.choose(), many.choose("a")
    before = one.mean
    for call in (
        lambda: one.learn(decision, click),
        lambda: one.learn_many([decision], [click]),
        lambda: one.observe(3, click),
        lambda: one.observe_many([3, 4], [1, click]),
        lambda: many.learn("a", theirs, click),
        lambda: many.learn_for(["a"], [theirs], [click]),
    ):
        with pytest.raises(manyarms.errors.InvalidArgumentError,
                           match=f"reward .with clicks. is {click}, must be from 0 to 1"):
            call()
    assert one.pending == 1
    assert np.array_equal(one.mean, before)
    one.learn(decision, 1)
    many.learn("a", theirs, 0.5)


@pytest.mark.parametrize(("options", "message"), [
    ({"rewards": "kisses"}, "no rewards 'kisses', only 'linear' and 'clicks'"),
    ({"rewards": "clicks", "negative_rewards": True}, "negative_rewards"),
    ({"forgetting": 0.0}, "forgetting is 0, must be from 0.01 to 1"),
    ({"forgetting": 1.5}, "forgetting is 1.5"),
    ({"forgetting": float("nan")}, "forgetting is nan"),
    ({"half_life": 0}, "half-life is 0, must be finite and at least 0.16"),
    ({"half_life": float("inf")}, "half-life is inf"),
    ({"half_life": 5, "forgetting": 0.9}, "must be one of them"),
])
def test_options_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        bandit(**options)
    with pytest.raises(ValueError, match=message):
        population(**options)


def test_policies_that_cannot_forget():
    with pytest.raises(manyarms.errors.UnsupportedError, match="elim cannot forget"):
        bandit(policy="elim", forgetting=0.9)
    with pytest.raises(manyarms.errors.UnsupportedError, match="elim cannot forget"):
        bandit(policy="elim").forget(0.5)
    shared = population(prior="shared")
    shared.observe("a", 1, 1.0)
    with pytest.raises(manyarms.errors.UnsupportedError, match="shared prior"):
        shared.forget("a", 0.5)
    with pytest.raises(manyarms.errors.UnsupportedError, match="shared prior"):
        population(prior="shared", forgetting=0.9)


def test_shares_that_are_refused_change_nothing():
    one = bandit()
    many = population()
    one.observe(1, 1.0)
    many.observe("a", 1, 1.0)
    before = one.mean
    for share in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="share is"):
            one.forget(share)
        with pytest.raises(ValueError, match="share is"):
            many.forget("a", share)
    with pytest.raises(TypeError):
        many.forget("a", None)
    with pytest.raises(KeyError):
        many.forget("b", 0.5)
    assert np.array_equal(one.mean, before)
    assert np.array_equal(many.mean("a"), before)


def test_everything_is_saved(tmp_path):
    one = bandit(rewards="clicks", half_life=20, policy="ucb")
    for t in range(50):
        one.learn(one.choose(), t % 2)
    one.forget(0.3)
    again = pickle.loads(pickle.dumps(one))
    assert (again.rewards, again.forgetting) == ("clicks", one.forgetting)
    for t in range(50):
        decision = one.choose()
        assert again.choose() == decision
        one.learn(decision, t % 2)
        again.learn(decision, t % 2)
    assert np.array_equal(again.mean, one.mean)
