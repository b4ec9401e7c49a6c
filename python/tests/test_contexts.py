"""Contexts: decisions are those of a slow model, and learners decide as bandits."""

from __future__ import annotations

import copy
import pathlib
import pickle
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
from random_arms import arms
from slow_model import SlowBandit, ranking
from threads_together import together

from manyarms import Bandit, Certified, Decision, Hnsw, Population, Scan

DIM, CONTEXT_DIM = 4, 3


def contexts(count: int, seed: int = 5) -> np.ndarray:
    return arms(count, CONTEXT_DIM, seed)


def reward(x: np.ndarray, context: np.ndarray, step: int = 0) -> float:
    """What arms bring depends on the context, and on the arm and the context alone."""
    return float(context[0] * x[1] - context[2] * x[0] + x[2] + context[1]
                 + 0.1 * np.sin(step))


@pytest.mark.parametrize("constants", [True, False])
@pytest.mark.parametrize("search", [Scan(), Certified(background=False, check_every=1)])
@pytest.mark.parametrize("policy", ["ts", "ucb"])
def test_decisions_are_those_of_a_slow_model(policy: Any, search: Any, constants: bool) -> None:
    X, C = arms(60), contexts(120)
    bandit = Bandit(DIM, policy, search, 1.0, seed=9, context_dim=CONTEXT_DIM,
                    context_constants=constants)
    slow = SlowBandit(DIM, policy, 1.0, 9, CONTEXT_DIM, constants)
    bandit.add_arms(range(60), X)
    slow.arms = dict(enumerate(X))
    for step in range(120):
        c = C[step % 4 if step % 2 else step]  # some recur
        scores = slow.scores(c)
        count = 1 + step % 3
        chosen = bandit.choose_many(count, context=c) if count > 1 else [bandit.choose(context=c)]
        # Scores are computed in float, so that arms within rounding may be exchanged.
        for decision, arm in zip(chosen, ranking(scores)[:count], strict=True):
            assert decision.score == pytest.approx(scores[arm], rel=1e-5, abs=1e-5)
            assert scores[int(decision.arm)] == pytest.approx(scores[arm], rel=1e-5, abs=1e-5)
            assert slow.decide(int(decision.arm), c) == decision.id
            value = reward(X[int(decision.arm)], c, step)
            bandit.learn(decision, value)
            slow.learn(decision.id, value)
        if step % 10 == 0:
            bandit.observe(7, 0.5, context=C[3])
            bandit.observe_features(X[8], -0.5, context=C[4])
            bandit.observe_many([1, 1], [0.25, 1.0], contexts=C[5:7])
            for x, value, c in ((7, 0.5, C[3]), (8, -0.5, C[4]), (1, 0.25, C[5]), (1, 1.0, C[6])):
                slow.observe(X[x], value, c)
        expected = [slow.predict(x, c) for x in X[:5]]
        np.testing.assert_allclose(bandit.predict(X[:5], context=c), expected, atol=1e-8)
        np.testing.assert_allclose(bandit.scores(range(5), context=c), expected, atol=1e-8)
        assert bandit.predict(X[0], context=c) == pytest.approx(expected[0], abs=1e-8)
        np.testing.assert_allclose(bandit.uncertainty([0, 1], context=c),
                                   [slow.uncertainty(x, c) for x in X[:2]], rtol=1e-8)
    one = 1 if constants else 0
    assert bandit.mean.shape == (CONTEXT_DIM + one, DIM + one)
    np.testing.assert_allclose(bandit.mean.ravel(), slow.mean(), atol=1e-8)


def test_the_mean_predicts() -> None:
    for constants, ones in ((True, [1]), (False, [])):
        bandit = Bandit(DIM, context_dim=CONTEXT_DIM, context_constants=constants)
        for x, c in zip(arms(30), contexts(30)):
            bandit.observe_features(x, reward(x, c), context=c)
        x, c = arms(1, seed=8)[0], contexts(1, seed=9)[0]
        assert bandit.predict(x, context=c) == pytest.approx(
            np.append(c, ones) @ bandit.mean @ np.append(x, ones))


def small(**options: Any) -> Bandit:
    bandit = Bandit(DIM, context_dim=CONTEXT_DIM, **options)
    bandit.add_arms(range(20), arms(20))
    return bandit


def test_options_are_shown() -> None:
    bandit = small(context_constants=False)
    assert (bandit.context_dim, bandit.context_constants) == (3, False)
    assert "dim=4 context_dim=3 arms=20" in repr(bandit)
    population = Population(DIM, context_dim=2)
    assert (population.context_dim, population.context_constants) == (2, True)
    assert "dim=4 context_dim=2 arms=0" in repr(population)
    assert Bandit(2).context_dim == 0 and "context" not in repr(Bandit(2))


def test_a_context_may_be_given_as_features_are() -> None:
    values = [1, -2, 3]
    given = [values, tuple(values), np.array(values), np.array(values, dtype=np.float32),
             np.array(values, dtype=np.int8), np.array([values, values]).T[:, 0],
             pandas.Series(values), pandas.Series(values, dtype="Int64"), pyarrow.array(values)]
    decisions = [small().choose(context=context) for context in given]
    assert all(decision == decisions[0] for decision in decisions)
    rows = [[1, 2, 3], [4, 5, 6]]
    tables = [rows, np.array(rows), np.asfortranarray(np.array(rows, dtype=np.float32)),
              pandas.DataFrame(rows), pandas.DataFrame(rows).convert_dtypes(),
              pyarrow.table(dict(zip("abc", np.array(rows).T)))]
    means = []
    for table in tables:
        bandit = small()
        bandit.observe_many([1, 2], [0.5, 1.5], contexts=table)
        means.append(bandit.mean)
    for mean in means:
        np.testing.assert_array_equal(mean, means[0])


def test_choices_for_many_are_those_of_bandits() -> None:
    for policy in ("ts", "ucb"):
        X = arms(3000)
        options: dict[str, Any] = dict(policy=policy, context_dim=CONTEXT_DIM)
        population = Population(DIM, seed=4, **options)
        keys: list[int] = [7, 0, 2**64 - 1]
        bandits = {key: Bandit(DIM, seed=population.seed_of(key), **options) for key in keys}
        for one in (population, *bandits.values()):
            one.add_arms(range(3000), X)
        for step in range(60):
            learners = [keys[(step + i) % 3] for i in range(5)]  # some twice
            C = contexts(5, seed=step % 7)
            decisions = population.choose_for(learners, contexts=C)
            twins = [bandits[key].choose(context=c) for key, c in zip(learners, C)]
            assert [(d.arm, d.score) for d in decisions] == [(d.arm, d.score) for d in twins]
            rewards = [reward(X[int(d.arm)], c, step) for d, c in zip(decisions, C)]
            population.learn_for(learners, decisions, rewards)
            for key, twin, value in zip(learners, twins, rewards):
                bandits[key].learn(twin, value)
        for key, bandit in bandits.items():
            np.testing.assert_array_equal(population.mean(key), bandit.mean)
            c = contexts(1)[0]
            for call in ("scores", "uncertainty"):
                np.testing.assert_array_equal(getattr(population, call)(key, [3, 4], context=c),
                                              getattr(bandit, call)([3, 4], context=c))
            np.testing.assert_array_equal(population.predict(key, X[:3], context=c),
                                          bandit.predict(X[:3], context=c))
        assert population.choose_for([], contexts=[]) == [] == population.choose_for([])


@pytest.mark.parametrize("search", [Hnsw(shortlist=20), "lsh", "lsh-theory",
                                    Certified(first_pass=False)])
def test_every_search_serves_contexts(search: Any) -> None:
    """Approximate searches learn, too: they end far above chance."""
    X = arms(300)
    bandit = Bandit(DIM, "ts", search, 0.5, context_dim=CONTEXT_DIM)
    bandit.add_arms(range(300), X)
    shares = []
    for step, c in enumerate(contexts(300)):
        decision = bandit.choose(context=c)
        bandit.learn(decision, reward(X[int(decision.arm)], c, step))
        all_rewards = np.array([reward(x, c) for x in X])
        chosen = reward(X[int(decision.arm)], c)
        shares.append((chosen - all_rewards.mean()) / (all_rewards.max() - all_rewards.mean()))
    # Half of the way from chance to the best. A share by chance is at most 1, 0 on average
    # and has a deviation below 0.5, so the mean of 200 of them has one below 0.04.
    assert np.mean(shares[100:]) > 0.5


def test_contexts_of_a_batch_are_those_one_by_one() -> None:
    for policy in ("ts", "ucb"):
        together, alone = small(policy=policy), small(policy=policy)
        population = Population(DIM, policy, context_dim=CONTEXT_DIM)
        X = arms(4, seed=3)
        for step in range(10):
            C = contexts(4, seed=step)
            decisions = together.choose_many(4, "draws", contexts=C)
            assert decisions == [alone.choose(context=c) for c in C]
            for bandit in (together, alone):
                bandit.learn_many(decisions, C[:, 0])
            for x, c in zip(X, C):
                population.observe_features("a", x, float(c[1]), context=c)
            np.testing.assert_array_equal(together.predict(X, contexts=C),
                                          [alone.predict(x, context=c) for x, c in zip(X, C)])
            np.testing.assert_array_equal(
                population.predict("a", X, contexts=C),
                [population.predict("a", x, context=c) for x, c in zip(X, C)])
            assert together.predict(X[0], contexts=C[:1]) == alone.predict(X[0], context=C[0])
        assert together.choose_many(0, "draws", contexts=[]) == []


def future(one: Bandit) -> list[Decision]:
    decisions = []
    for step, c in enumerate(contexts(20, seed=11)):
        decision = one.choose(context=c)
        one.learn(decision, 0.1 * step)
        decisions.append(decision)
    return decisions


@pytest.mark.parametrize("policy", ["ts", "ucb"])
def test_saved_bandits_go_on_as_before(policy: str, tmp_path: pathlib.Path) -> None:
    bandit = small(policy=policy)
    pending = [bandit.choose(context=c) for c in contexts(6)]
    bandit.learn(pending[0], 1.0)
    bandit.save(tmp_path / "bandit")
    others = [Bandit.load(tmp_path / "bandit"), pickle.loads(pickle.dumps(bandit)),
              copy.deepcopy(bandit)]
    for one in (bandit, *others):
        assert one.context_dim == CONTEXT_DIM
        one.learn_many(pending[1:], [0.2 * i for i in range(5)])  # with their contexts
    expected = future(bandit)
    for other in others:
        np.testing.assert_array_equal(other.mean.shape, (CONTEXT_DIM + 1, DIM + 1))
        assert future(other) == expected


def test_learners_move_with_the_contexts_of_their_decisions(tmp_path: pathlib.Path) -> None:
    def made() -> Population:
        population = Population(DIM, seed=2, context_dim=CONTEXT_DIM)
        population.add_arms(range(20), arms(20))
        return population

    population, other = made(), made()
    pending = [population.choose("a", context=c) for c in contexts(6)]
    population.learn("a", pending[0], 1.0)
    population.save(tmp_path / "population")
    other.import_learner("a", population.export_learner("a"))
    others = [other, Population.load(tmp_path / "population"),
              pickle.loads(pickle.dumps(population))]
    for one in (population, *others):
        one.learn_many("a", pending[1:], [0.2 * i for i in range(5)])
    for one in others:
        np.testing.assert_array_equal(one.mean("a"), population.mean("a"))
        assert one.export_learner("a") == population.export_learner("a")
    with pytest.raises(ValueError, match="contexts of 3 values.*contexts of 2 values"):
        Population(DIM, seed=2, context_dim=2).import_learner(
            "a", population.export_learner("a"))


def test_threads_choose_in_contexts_while_arms_come_and_go() -> None:
    X = arms(1500)
    bandit = Bandit(DIM, context_dim=CONTEXT_DIM, search=Certified(check_every=5))
    population = Population(DIM, context_dim=CONTEXT_DIM, search=Certified(check_every=5))
    everybody = (bandit, population)
    for one in everybody:
        one.add_arms(range(1000), X[:1000])

    def choose(learner: int) -> None:
        for c in contexts(200, seed=learner):
            population.learn(learner, population.choose(learner, context=c), float(c[0]))
            bandit.learn(bandit.choose(context=c), float(c[0]))

    def choose_for() -> None:
        for seed in range(20):
            C = contexts(10, seed)
            decisions = population.choose_for(range(10, 20), C)
            population.learn_for(range(10, 20), decisions, C[:, 0])

    def change() -> None:
        for i in range(200):
            for one in everybody:
                one.add_arms([1000 + i], X[[1000 + i]])
                one.remove_arms([i])

    together(*[lambda i=i: choose(i) for i in range(3)], choose_for, change)
    assert len(bandit) == len(population) == 1000
    assert bandit.pending == 0
    assert [population.describe(i)["rewards"] for i in range(3)] == [200] * 3
    assert [population.describe(i)["rewards"] for i in range(10, 20)] == [20] * 10
