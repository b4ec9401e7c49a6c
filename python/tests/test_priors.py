"""Priors: given ones as in a slow model, and shared ones as a slow model learns them."""

from __future__ import annotations

import copy
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
from random_arms import arms
from slow_model import SlowBandit, ranking

import manyarms
from manyarms import Bandit, Certified, Population, Prior, Scan, SharedPrior, errors

DIM = 4


def some_prior(size: int = DIM, seed: int = 3) -> Prior:
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((size, size))
    return Prior(rng.standard_normal(size), half @ half.T + np.eye(size))


def slow_with(prior: Prior, slow: SlowBandit) -> SlowBandit:
    slow.v = prior.precision.copy()
    slow.b = prior.precision @ prior.mean
    return slow


def taste_of(learner: int) -> np.ndarray:
    """Tastes have a mean that is not 0."""
    own = np.random.default_rng(learner).standard_normal(DIM) * [1, 0.5, 0.2, 0.1]
    return np.array([2.0, -1.0, 0.5, 0.0]) + own


@pytest.mark.parametrize("context_dim", [0, 2])
@pytest.mark.parametrize("search", [Scan(), Certified(background=False, check_every=1)])
@pytest.mark.parametrize("policy", ["ts", "ucb"])
def test_a_given_prior_is_that_of_a_slow_model(policy: Any, search: Any,
                                               context_dim: int) -> None:
    size = (context_dim + 1) * (DIM + 1) if context_dim else DIM
    prior = some_prior(size)
    X, C = arms(60), arms(80, 2, seed=6)
    bandit = Bandit(DIM, policy, search, 1.0, seed=9, prior=prior, context_dim=context_dim)
    slow = slow_with(prior, SlowBandit(DIM, policy, 1.0, 9, context_dim))
    bandit.add_arms(range(60), X)
    slow.arms = dict(enumerate(X))
    np.testing.assert_allclose(bandit.mean.ravel(), prior.mean, atol=1e-10)
    for step in range(80):
        context = C[step] if context_dim else None
        decision = bandit.choose(context=context)
        scores = slow.scores(context)
        best = ranking(scores)[0]
        # Scores are computed in float, so that arms within rounding may be exchanged.
        assert decision.score == pytest.approx(scores[best], rel=1e-5, abs=1e-5)
        assert scores[int(decision.arm)] == pytest.approx(scores[best], rel=1e-5, abs=1e-5)
        value = float(X[int(decision.arm)] @ taste_of(1) + np.sin(step))
        slow.observe(X[int(decision.arm)], value, context)
        bandit.learn(decision, value)
        np.testing.assert_allclose(bandit.mean.ravel(), slow.mean(), atol=1e-8)
        np.testing.assert_allclose(bandit.uncertainty([0, 1], context=context),
                                   [slow.uncertainty(x, context) for x in X[:2]], rtol=1e-8)


def test_regularisation_is_a_prior() -> None:
    plain = Bandit(DIM, regularisation=3.0)
    given = Bandit(DIM, prior=Prior(np.zeros(DIM), 3.0 * np.eye(DIM)))
    for bandit in (plain, given):
        bandit.add_arms(range(60), arms(60))
    for step in range(50):
        ours, theirs = given.choose(), plain.choose()
        assert (ours.arm, ours.score) == (theirs.arm, pytest.approx(theirs.score, rel=1e-6))
        given.learn(ours, np.sin(step))
        plain.learn(theirs, np.sin(step))
    assert plain.prior is None and given.prior == Prior([0] * DIM, np.diag([3.0] * DIM))


class SlowHierarchy:
    """One normal vector of the common mean and all learners, and EM over it.

    All precisions are in units of the noise's, as the library's are.
    """

    def __init__(self, data: list[tuple[np.ndarray, np.ndarray]]) -> None:
        self.data = data
        self.precision = np.eye(DIM)
        self.noise = 1.0

    def posterior(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean, and covariance in units of the noise, of (mu, theta_1, ...)."""
        size = DIM * (1 + len(self.data))
        precision, moment = np.zeros((size, size)), np.zeros(size)
        mu = slice(0, DIM)
        precision[mu, mu] = np.eye(DIM)
        for i, (rows, rewards) in enumerate(self.data, 1):
            own = slice(i * DIM, (i + 1) * DIM)
            precision[mu, mu] += self.precision
            precision[own, own] = self.precision + rows.T @ rows
            precision[mu, own] = precision[own, mu] = -self.precision
            moment[own] = rows.T @ rewards
        covariance = np.linalg.inv(precision)
        return covariance @ moment, covariance

    def improve(self) -> None:
        mean, covariance = self.posterior()
        spread, residual = np.zeros((DIM, DIM)), 0.0
        for i, (rows, rewards) in enumerate(self.data, 1):
            own = slice(i * DIM, (i + 1) * DIM)
            apart = np.zeros((DIM, len(mean)))
            apart[:, own], apart[:, :DIM] = np.eye(DIM), -np.eye(DIM)
            spread += np.outer(apart @ mean, apart @ mean) + self.noise * (
                apart @ covariance @ apart.T)
            residual += ((rewards - rows @ mean[own]) ** 2).sum() + self.noise * np.trace(
                rows @ covariance[own, own] @ rows.T)
        everything = np.concatenate([rewards for _, rewards in self.data])
        self.noise = (residual + (everything**2).mean()) / (len(everything) + 1)
        spread /= self.noise
        # The multiple of the identity counts as much as DIM + 1 learners.
        count = len(self.data)
        variance = (1 + np.trace(spread) / DIM) / (count + 1)
        self.precision = np.linalg.inv(
            ((DIM + 1) * variance * np.eye(DIM) + spread) / (DIM + 1 + count))

    def prior(self) -> tuple[np.ndarray, np.ndarray]:
        mean, covariance = self.posterior()
        return mean[:DIM], np.linalg.inv(np.linalg.inv(self.precision) + covariance[:DIM, :DIM])


def test_a_shared_prior_is_what_a_slow_model_learns() -> None:
    population = Population(DIM, prior=SharedPrior(refit_growth=0))
    X = arms(200)
    noise = np.random.default_rng(4).standard_normal(200)
    data = []
    for learner in range(12):
        rows = X[learner * 10 : learner * 10 + 3 + learner]
        rewards = rows @ taste_of(learner) + 0.5 * noise[: len(rows)]
        data.append((rows.astype(float), rewards))
        for x, value in zip(rows, rewards):
            population.observe_features(learner, x, float(value))
    assert population.prior == Prior([0] * DIM, np.eye(DIM))
    slow = SlowHierarchy(data)
    for refit in range(1, 3):  # the second begins where the first ended
        population.learn_prior()
        for _ in range(5):
            slow.improve()
        mean, precision = slow.prior()
        np.testing.assert_allclose(population.prior.mean, mean, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(population.prior.precision, precision, rtol=1e-6, atol=1e-8)
        assert population.stats["prior_refits"] == refit
    # Learners keep what they began with, and new ones begin with what was learned.
    assert population.prior_of(3) == Prior([0] * DIM, np.eye(DIM))
    assert population.prior_of("new") == population.prior
    np.testing.assert_allclose(population.mean("new"), population.prior.mean, rtol=1e-9)


def played(prior: Any, policy: Any = "ts", search: Any = "certified") -> Population:
    population = Population(DIM, policy, search, exploration=0.5, seed=3, prior=prior)
    population.add_arms(range(300), arms(300))
    return population


def choose_and_learn(population: Population, learner: int, step: int) -> None:
    decision = population.choose(learner)
    x = arms(300)[int(decision.arm)]
    population.learn(learner, decision, float(x @ taste_of(learner) + 0.3 * np.sin(step)))


@pytest.mark.parametrize("policy", ["ts", "ucb"])
@pytest.mark.parametrize("search", ["scan", "certified"])
def test_learners_decide_as_bandits_with_their_priors(policy: Any, search: Any) -> None:
    population = played("shared", policy, search)
    X = arms(300)
    bandits: dict[int, Bandit] = {}
    priors = []
    for step in range(600):
        # Learners come one after the other, so that they begin with several priors.
        learner = int(np.random.default_rng(step).integers(1 + step // 30))
        ours = population.choose(learner)
        value = float(X[int(ours.arm)] @ taste_of(learner) + 0.3 * np.sin(step))
        if learner not in bandits:
            prior = population.prior_of(learner)
            assert prior is not None
            priors.append(prior)
            bandits[learner] = Bandit(DIM, policy, search, 0.5, prior=prior,
                                      seed=population.seed_of(learner))
            bandits[learner].add_arms(range(300), X)
        bandit = bandits[learner]
        theirs = bandit.choose()
        assert (ours.arm, ours.score) == (theirs.arm, theirs.score)
        population.learn(learner, ours, value)
        bandit.learn(theirs, value)
        assert population.prior_of(learner) == bandit.prior
        np.testing.assert_array_equal(population.mean(learner), bandit.mean)
    assert population.stats["prior_refits"] >= 5
    assert sum(prior != priors[0] for prior in priors) > 10


def test_new_learners_profit() -> None:
    X = arms(300).astype(float)

    def regret(prior: Any) -> float:
        population, lost = played(prior), 0.0
        for learner in range(60):
            best = (X @ taste_of(learner)).max()
            for step in range(15):
                decision = population.choose(learner)
                value = float(X[int(decision.arm)] @ taste_of(learner))
                lost += best - value if learner >= 30 else 0
                population.learn(learner, decision, value + 0.3 * np.sin(7.0 * step))
        return lost

    assert regret("shared") < 0.6 * regret("independent")


@pytest.mark.parametrize("prior", ["shared", SharedPrior(refit_growth=0.5), some_prior()])
def test_saving_and_copying(tmp_path: pathlib.Path, prior: Any) -> None:
    population = played(prior)
    for step in range(200):
        choose_and_learn(population, step % 7, step)
    population.save(tmp_path / "shop")
    again = [Population.load(tmp_path / "shop"), copy.deepcopy(population),
             pickle.loads(pickle.dumps(population))]
    for step in range(200, 400):  # the prior is learned anew in between
        for one in (population, *again):
            choose_and_learn(one, step % 11, step)
    for one in again:
        assert one.prior == population.prior
        assert one.stats["prior_refits"] == population.stats["prior_refits"]
        for learner in population.learners:
            assert one.prior_of(learner) == population.prior_of(learner)
            np.testing.assert_array_equal(one.mean(learner), population.mean(learner))
    assert (population.stats["prior_refits"] > 1) == (not isinstance(prior, Prior))


def test_a_learner_takes_its_prior_along() -> None:
    population, other = played("shared"), played("shared")
    for step in range(200):
        choose_and_learn(population, step % 7, step)
        choose_and_learn(other, 100 + step % 7, step)
    population.observe("late", 3, 1.0)
    other.import_learner("late", population.export_learner("late"))
    assert other.prior_of("late") == population.prior_of("late") != other.prior
    np.testing.assert_array_equal(other.mean("late"), population.mean("late"))


def test_priors_are_values(tmp_path: pathlib.Path) -> None:
    prior = some_prior()
    assert pickle.loads(pickle.dumps(prior)) == prior == copy.deepcopy(prior)
    assert prior != some_prior(seed=4) and prior != "shared"
    assert "4 coefficients" in repr(prior)
    shared = SharedPrior(refit_growth=0.5)
    assert pickle.loads(pickle.dumps(shared)) == shared != SharedPrior()
    assert eval(repr(shared), vars(manyarms)) == shared  # noqa: S307
    bandit = Bandit(DIM, prior=prior)
    bandit.observe_features([1, 2, 3, 4], 5.0)
    bandit.save(tmp_path / "bandit")
    for again in (Bandit.load(tmp_path / "bandit"), pickle.loads(pickle.dumps(bandit))):
        assert again.prior == prior
        np.testing.assert_array_equal(again.mean, bandit.mean)


def crooked() -> np.ndarray:
    precision = np.eye(DIM)
    precision[0, 1] = 0.5
    return precision


BAD: list[tuple[str, Any, Any]] = [
    ("mean has 3 values, must have 4", np.zeros(3), np.eye(3)),
    ("precision of a prior has 9 values, must have 4 x 4", np.zeros(4), np.eye(3)),
    ("the precision of a prior must be numbers in rows", np.zeros(4), []),
    ("the precision of a prior must be numbers in rows", np.zeros(4), np.ones(16)),
    ("mean has 0 values, must have 4", [], np.zeros((0, 0))),
    ("the mean of a prior must be numbers in one row", np.zeros((2, 2)), np.eye(4)),
    ("the mean of a prior must be numbers", ["1", "2", "3", "4"], np.eye(4)),
    ("the mean of a prior must be numbers", [1, 2, None, 4], np.eye(4)),
    ("none of them missing", np.ma.array(np.zeros(4), mask=[0, 1, 0, 0]), np.eye(4)),
    ("not symmetric: the entry in row 1, column 0 is 0, .* 0.5", np.zeros(4), crooked()),
    ("eigenvalues from -1 to 1", np.zeros(4), np.diag([1, 1, 1, -1])),
    ("eigenvalues from 0 to 1", np.zeros(4), np.diag([1, 1, 1, 0])),
    ("eigenvalues from 1 to 1e\\+10", np.zeros(4), np.diag([1, 1, 1, 1e10])),
    ("value 2 of the prior's mean is nan", [0, 0, np.nan, 0], np.eye(4)),
    ("value 2 of the prior's mean is -inf", [0, 0, -np.inf, 0], np.eye(4)),
    ("value 2 of the prior's mean is 2000000000, .* 1e\\+09", [0, 0, 2e9, 0], np.eye(4)),
    ("precision is not finite", np.zeros(4), np.diag([1, 1, 1, np.nan])),
    ("the mean of a prior must be numbers", "four", np.eye(4)),
    ("the precision of a prior must be numbers", np.zeros(4), [[1], [1, 2]]),
]


@pytest.mark.parametrize(("text", "mean", "precision"), BAD)
def test_bad_priors(text: str, mean: Any, precision: Any) -> None:
    for make in (Bandit, Population):
        with pytest.raises(errors.InvalidArgumentError, match=text):
            make(DIM, prior=Prior(mean, precision))


def test_bad_kinds_of_priors() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="no prior 'sharing', only 'independent'"):
        Population(DIM, prior="sharing")  # type: ignore[arg-type]
    for growth in (-1.0, 0.001, float("nan"), 1e7):
        with pytest.raises(errors.InvalidArgumentError, match="refit growth"):
            Population(DIM, prior=SharedPrior(refit_growth=growth))
    for prior in (1, None, np.eye(4)):
        with pytest.raises(TypeError):
            Population(DIM, prior=prior)  # type: ignore[arg-type]
    for prior in ("shared", SharedPrior()):
        with pytest.raises(errors.InvalidArgumentError, match="cannot share a prior"):
            Bandit(DIM, prior=prior)  # type: ignore[arg-type]
    assert Bandit(DIM, prior="independent").prior is None
    with pytest.raises(errors.UnsupportedError, match="theory"):
        Bandit(DIM, exploration=manyarms.TheoryRadius(10), prior=some_prior())
    with pytest.raises(errors.InvalidArgumentError, match="coefficients .* 256"):
        Population(257, prior="shared")
    for make, prior in ((Bandit, some_prior()), (Population, some_prior()), (Population, "shared")):
        with pytest.raises(errors.UnsupportedError, match="negative_rewards"):
            make(DIM, prior=prior, negative_rewards=True)  # type: ignore[operator]


def test_only_a_shared_prior_is_learned() -> None:
    for prior in ("independent", some_prior()):
        population = played(prior)
        choose_and_learn(population, 1, 1)
        before = pickle.dumps(population)
        with pytest.raises(errors.UnsupportedError, match="not shared"):
            population.learn_prior()
        assert pickle.dumps(population) == before
    assert played("independent").prior_of(1) is None
    empty = played("shared")
    assert empty.learn_prior() is False  # from nobody
    choose_and_learn(empty, 1, 1)
    assert len({some_prior(), some_prior(), SharedPrior(), SharedPrior()}) == 2
    other = played("shared")
    other.import_learner(1, memoryview(empty.export_learner(1)))
    assert other.export_learner(1) == empty.export_learner(1)
    empty = played("shared")
    assert empty.prior == Prior([0] * DIM, np.eye(DIM)) and empty.stats["prior_refits"] == 0
