"""Probabilities of choices, and choices that are drawn uniformly."""

from __future__ import annotations

import copy
import math
import pathlib
import pickle
import re

import numpy as np
import pytest
from random_arms import arms

import manyarms
from manyarms import Bandit, Population, errors

COUNT = 12


def taught(**options: object) -> Bandit:
    bandit = Bandit(4, seed=3, **options)  # type: ignore[arg-type]
    bandit.add_arms(range(COUNT), arms(COUNT))
    for step in range(10):
        bandit.observe(step % 4, 0.2 * step)
    return bandit


def test_propensities_are_those_of_a_dense_posterior() -> None:
    x = arms(COUNT).astype(float)
    v, b = np.eye(4), np.zeros(4)
    for step in range(10):
        v += np.outer(x[step % 4], x[step % 4])
        b += 0.2 * step * x[step % 4]
    covariance = np.linalg.inv(v)
    rng = np.random.default_rng(5)
    draws = rng.multivariate_normal(covariance @ b, 4 * covariance, size=300_000)
    shares = np.bincount((draws @ x.T).argmax(axis=1), minlength=COUNT) / len(draws)

    bandit = taught(explore_uniform=0.2)
    values, deviations = bandit.propensities(range(COUNT), draws=300_000)
    assert values.sum() == pytest.approx(1)
    # Twelve differences of two shares of as many draws: by luck one exceeds 5
    # times its standard error with a probability of 10^-5.
    expected = 0.2 / COUNT + 0.8 * shares
    assert (abs(values - expected) <= 5 * math.sqrt(2) * deviations).all()


def test_a_propensity_is_that_of_the_next_choice_and_changes_nothing() -> None:
    asked, silent = taught(explore_uniform=0.3), taught(explore_uniform=0.3)
    uniform = 0
    for step in range(100):
        values, deviations = asked.propensities(list(range(COUNT)), 200)
        decision = asked.choose()
        assert decision == silent.choose()
        assert decision.eligible == COUNT
        uniform += decision.uniform
        arm = int(decision.arm)
        assert asked.propensity(decision, 200) == (values[arm], deviations[arm])
        assert asked.propensity(decision.id, 200) == (values[arm], deviations[arm])
        again = pickle.loads(pickle.dumps(asked))
        assert again.propensity(decision, draws=200) == (values[arm], deviations[arm])
        asked.learn(decision, step % 3)
        silent.learn(decision, step % 3)
    # 30 of 100 with a standard deviation of 4.6.
    assert 7 <= uniform <= 53


def test_what_is_logged_counts_the_decision_among_the_draws() -> None:
    share = 0.3
    bandit, shop = taught(explore_uniform=share), Population(4, explore_uniform=share, seed=1)
    shop.add_arms(range(COUNT), arms(COUNT))
    lone = Bandit(4, explore_uniform=share, seed=shop.seed_of("eve"))
    lone.add_arms(range(COUNT), arms(COUNT))
    for step in range(60):
        decision = bandit.choose()
        further = 50 if decision.uniform else 49
        value, _ = bandit.propensity(decision, further)
        hits = (value - share / COUNT) / (1 - share) * further
        part = (hits + (not decision.uniform)) / 50
        logged = bandit.logging_probability(decision, 50)
        assert logged == pytest.approx(share / COUNT + (1 - share) * part)
        assert bandit.logging_probability(decision.id, draws=50) == logged
        again = pickle.loads(pickle.dumps(bandit))
        assert again.logging_probability(decision, 50) == logged
        bandit.learn(decision, step % 3)

        one, other = shop.choose("eve", eligible=[1, 4, 6]), lone.choose(eligible=[1, 4, 6])
        assert shop.logging_probability(
            "eve", one, 20, eligible=[1, 4, 6]
        ) == lone.logging_probability(other, 20, eligible=[1, 4, 6])
        shop.learn("eve", one, step % 3)
        lone.learn(other, step % 3)
        with pytest.raises(errors.UnknownIdError):
            shop.logging_probability("eve", one)


def test_what_is_logged_makes_constant_rewards_worth_what_they_are(
    tmp_path: pathlib.Path,
) -> None:
    """By the share of further draws in place of it, they would be worth far more."""
    bandit = Bandit(4, explore_uniform=0.05, seed=2)
    bandit.add_arms(range(1000), arms(1000))
    path = tmp_path / "log.jsonl"
    with manyarms.Log(path, bandit) as log:
        for _ in range(3000):
            decision = bandit.choose()
            log.decision(decision, probability=bandit.logging_probability(decision, 50))
            log.reward(decision, 1.0)
            bandit.dismiss(decision)
    columns = manyarms.read_log(path)
    estimate = manyarms.evaluation.ips(
        columns["reward"], columns["probability"], np.full(3000, 1 / 1000)
    )
    assert abs(estimate.value - 1) <= 4 * estimate.standard_error < 0.5


def test_some_arms_and_a_mask() -> None:
    bandit = taught()
    decision = bandit.choose(eligible=[1, 5, 7])
    assert decision.eligible == 3
    mask = np.zeros(COUNT, dtype=bool)
    mask[[7, 5, 1]] = True
    assert bandit.propensity(decision, eligible=mask) == bandit.propensity(
        decision, eligible=[7, 1, 5]
    )
    values, deviations = bandit.propensities([5, 2], eligible=mask)
    assert values[1] == deviations[1] == 0
    with pytest.raises(errors.InvalidArgumentError, match="12 arms are eligible.*same 3"):
        bandit.propensity(decision)


def test_ucb_is_certain() -> None:
    bandit = taught(policy="ucb", explore_uniform=0.06)
    assert bandit.explore_uniform == 0.06
    while (decision := bandit.choose()).uniform:
        pass
    assert bandit.propensity(decision) == (pytest.approx(0.94 + 0.06 / COUNT), 0)


def test_texts_contexts_and_learners() -> None:
    shop = Population(4, context_dim=1, explore_uniform=0.5, seed=8)
    names = [f"arm {i}" for i in range(COUNT)]
    shop.add_arms(names, arms(COUNT))
    lone = Bandit(4, context_dim=1, explore_uniform=0.5, seed=shop.seed_of("eve"))
    lone.add_arms(names, arms(COUNT))
    assert shop.explore_uniform == 0.5
    for step in range(20):
        one = np.array(shop.propensities("eve", names, 50, context=[step % 2]))
        two = np.array(lone.propensities(names, 50, context=[step % 2]))
        assert (one == two).all()
        decision = shop.choose("eve", context=[step % 2])
        other = lone.choose(context=[step % 2])
        assert (decision.arm, decision.uniform) == (other.arm, other.uniform)
        assert shop.propensity("eve", decision, 50) == lone.propensity(other, 50)
        shop.learn("eve", decision, step)
        lone.learn(other, step)
        with pytest.raises(errors.UnknownIdError):
            shop.propensity("eve", decision)


def test_what_has_changed_is_refused() -> None:
    bandit = taught()
    decision = bandit.choose()
    later = bandit.choose()
    bandit.learn(later, 1.0)
    with pytest.raises(errors.OutdatedError, match=f"decision {decision.id} ") as raised:
        bandit.propensity(decision)
    assert isinstance(raised.value, RuntimeError)
    now = bandit.choose()
    bandit.propensity(now)
    bandit.remove_arms([0 if now.arm != 0 else 1])
    with pytest.raises(errors.OutdatedError):
        bandit.propensity(now)


@pytest.mark.parametrize("share", [-0.5, 1.01, math.nan, math.inf])
def test_a_share_out_of_bounds(share: float) -> None:
    for kind in (Bandit, Population):
        with pytest.raises(errors.InvalidArgumentError, match="explore_uniform is"):
            kind(4, explore_uniform=share)


def test_bad_input() -> None:
    bandit = taught()
    decision = bandit.choose()
    with pytest.raises(errors.InvalidArgumentError, match="draws is 0"):
        bandit.propensity(decision, 0)
    with pytest.raises(ValueError, match="draws"):
        bandit.propensity(decision, -1)
    with pytest.raises(TypeError, match="draws"):
        bandit.propensity(decision, 2.5)  # type: ignore[arg-type]
    with pytest.raises(errors.UnknownIdError, match="99"):
        bandit.propensities([99])
    with pytest.raises(errors.UnknownIdError, match="99"):
        bandit.propensity(99)
    other = Bandit(4, seed=4)
    other.add_arms(range(100, 112), arms(COUNT))
    other.choose()
    with pytest.raises(errors.UnknownIdError, match="another bandit's"):
        other.propensity(decision)
    with pytest.raises(errors.UnknownIdError, match="another bandit's"):
        other.logging_probability(decision)
    with pytest.raises(errors.InvalidArgumentError, match="draws is 0"):
        bandit.logging_probability(decision, 0)
    with pytest.raises(TypeError, match="draws"):
        bandit.logging_probability(decision, 2.5)  # type: ignore[arg-type]
    elim = taught(policy="elim")
    with pytest.raises(errors.UnsupportedError, match="elim .*stages"):
        elim.propensity(elim.choose())


def test_decisions_say_what_they_are() -> None:
    bandit = taught(explore_uniform=1.0)
    decision = bandit.choose()
    assert decision.uniform
    assert decision.score == 0
    assert re.fullmatch(r"Decision\(id=1, arm=\d+, score=0, uniform=True\)", repr(decision))
    for copied in (copy.copy(decision), pickle.loads(pickle.dumps(decision))):
        assert copied == decision
        assert (copied.eligible, copied.uniform) == (COUNT, True)
    assert "uniform" not in repr(taught().choose())
    slate = bandit.choose_many(5)
    assert all(d.uniform for d in slate)
    assert len({d.arm for d in slate}) == 5
    assert bandit.propensity(slate[0]) == (pytest.approx(1 / COUNT), 0)
    with pytest.raises(errors.UnsupportedError, match="slate"):
        bandit.propensity(slate[1])


def test_decisions_of_earlier_versions_can_be_unpickled() -> None:
    made = manyarms.Decision.__new__(manyarms.Decision)
    made.__setstate__((5, 7, 0.25, 7))
    assert (made.id, made.arm, made.score, made.eligible, made.uniform) == (5, 7, 0.25, 0, False)
