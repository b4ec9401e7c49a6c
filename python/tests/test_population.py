"""Many learners over one set of arms."""

from __future__ import annotations

import copy
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest
from random_arms import arms
from threads_together import together

from manyarms import Bandit, Certified, Decision, Hnsw, Population, errors

LEARNERS: list[int | str] = [0, 7, "7", "Zoë", 2**64 - 1]


def reward(learner: int | str, row: np.ndarray[Any, Any], step: int) -> float:
    """A learner's own taste, with noise."""
    taste = np.random.default_rng(sum(map(ord, str(learner)))).standard_normal(len(row))
    return float(taste @ row + 0.1 * np.sin(step))


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("policy", ["ts", "ucb"])
@pytest.mark.parametrize("search", ["scan", "certified"])
def test_learners_decide_as_bandits_of_their_own(
        policy: Any, search: Any, negative: bool) -> None:
    given = arms(2000)
    names = [f"arm {i}" for i in range(2000)]
    population = Population(4, policy, search, seed=3, negative_rewards=negative)
    bandits = {learner: Bandit(4, policy, search, seed=population.seed_of(learner),
                               negative_rewards=negative)
               for learner in LEARNERS}
    everybody: list[Any] = [population, *bandits.values()]
    for one in everybody:
        one.add_arms(names, given)
    random = np.random.default_rng(1)
    for step in range(400):
        learner = LEARNERS[random.integers(len(LEARNERS))]
        bandit = bandits[learner]
        if step % 50 == 20:
            for one in everybody:
                one.remove_arms([names[step]])
        if step % 10 == 5:
            some = [name for name in population.ids if int(str(name)[4:]) % 3 == 0]
            ours, theirs = (population.choose(learner, eligible=some),
                            bandit.choose(eligible=some))
        elif step % 10 == 6:
            ours = population.choose_many(learner, 5)[-1]
            theirs = bandit.choose_many(5)[-1]
        else:
            ours, theirs = population.choose(learner), bandit.choose()
        assert (ours.arm, ours.score) == (theirs.arm, theirs.score)
        if step % 7:
            value = reward(learner, given[names.index(str(ours.arm))], step)
            population.learn(learner, ours, value)
            bandit.learn(theirs, value)
    for learner, bandit in bandits.items():
        np.testing.assert_array_equal(population.mean(learner), bandit.mean)
        np.testing.assert_array_equal(population.predict(learner, given[:5]),
                                      bandit.predict(given[:5]))
        assert population.predict(learner, given[0]) == bandit.predict(given[0])
        some = names[100:110]
        np.testing.assert_array_equal(population.scores(learner, some), bandit.scores(some))
        np.testing.assert_array_equal(population.uncertainty(learner, some),
                                      bandit.uncertainty(some))
        assert population.describe(learner)["pending"] == bandit.pending


def small(**options: Any) -> Population:
    population = Population(4, **options)
    population.add_arms(range(50), arms(50))
    return population


def test_learners_begin_when_they_are_first_named() -> None:
    population = small()
    assert population.learners == []
    decision = population.choose("b")
    population.observe(3, 7, 1.0)
    population.observe_features("a", [1, 0, 0, 0], 2.0)
    assert population.learners == [3, "a", "b"]
    assert population.knows("a") and population.knows(3) and not population.knows("3")
    assert population.describe("b") == {"choices": 1, "rewards": 0, "pending": 1}
    assert population.describe("a") == {"choices": 0, "rewards": 1, "pending": 0}
    assert population.predict("nobody", [1, 0, 0, 0]) == 0.0
    assert not population.knows("nobody")
    population.learn("b", decision.id, 0.5)
    population.forget("b")
    assert population.learners == [3, "a"]
    assert "learners=2" in repr(population) and len(population) == 50 and 7 in population


def test_choices_for_many_are_those_one_by_one() -> None:
    together, alone = small(), small()
    learners = [i * i % 17 for i in range(60)]
    for step in range(10):
        decisions = together.choose_for(np.array(learners))
        assert decisions == [alone.choose(learner) for learner in learners]
        rewards = [0.01 * step * i for i in range(60)]
        together.learn_for(learners, decisions, rewards)
        for learner, decision, value in zip(learners, decisions, rewards):
            alone.learn(learner, decision, value)
    for learner in set(learners):
        assert together.export_learner(learner) == alone.export_learner(learner)
    assert together.choose_for([]) == []


def test_bad_input_changes_nothing() -> None:
    population = small()
    ours, theirs = population.choose("a"), population.choose("b")
    before = pickle.dumps(population)
    bad: list[tuple[type[Exception], str, Any]] = [
        (errors.UnknownIdError, "no learner 'c'|no learner \"c\"",
         lambda: population.learn("c", ours, 1.0)),
        (KeyError, "not one of learner", lambda: population.learn("a", theirs, 1.0)),
        (KeyError, "not one of learner", lambda: population.dismiss("a", theirs)),
        (KeyError, "has not been made", lambda: population.learn("a", ours.id + 1, 1.0)),
        (ValueError, "reward", lambda: population.learn("a", ours, float("nan"))),
        (KeyError, "no learner", lambda: population.forget("c")),
        (KeyError, "no learner", lambda: population.describe("c")),
        (KeyError, "no learner", lambda: population.export_learner("c")),
        (TypeError, "learner", lambda: population.choose(1.5)),  # type: ignore[arg-type]
        (TypeError, "learner", lambda: population.choose(None)),  # type: ignore[arg-type]
        (TypeError, "learner", lambda: population.choose(True)),
        (ValueError, "learner", lambda: population.choose(-1)),
        (KeyError, "no arm", lambda: population.choose("a", eligible=[99])),
        (KeyError, "no arm", lambda: population.observe("c", 99, 1.0)),
        (ValueError, "2 decisions", lambda: population.learn_for(["a"], [ours, ours], [1.0])),
        (errors.DuplicateIdError, "twice",
         lambda: population.learn_many("a", [ours, ours], [1.0, 2.0])),
        (errors.CorruptFileError, "not a whole saved", lambda: population.import_learner("a", b"nonsense")),
    ]
    for kind, text, call in bad:
        with pytest.raises(kind, match=text):
            call()
    assert pickle.dumps(population) == before
    for options, kind in (({"policy": "elim"}, errors.UnsupportedError),
                          ({"order_budget": 0}, ValueError),
                          ({"max_pending": 0}, ValueError),
                          ({"policy": "ucb", "search": "hnsw"}, errors.UnsupportedError)):
        with pytest.raises(kind):
            Population(4, **options)  # type: ignore[arg-type]
    with pytest.raises(errors.NoArmsError):
        Population(4).choose_for(["a"])


def test_every_search_serves_a_population() -> None:
    for search in (Hnsw(), "lsh", "lsh-theory", Certified(first_pass=False)):
        population = small(search=search)
        for step in range(30):
            decision = population.choose(step % 3)
            population.learn(step % 3, decision, 1.0)
        assert population.learners == [0, 1, 2]


def test_saving_copying_and_moving_learners(tmp_path: pathlib.Path) -> None:
    population = Population(4, "ucb", seed=5, order_budget=10**6)
    population.add_arms([f"arm {i}" for i in range(50)], arms(50))
    for step in range(30):
        decision = population.choose(f"user {step % 3}")
        if step % 4:
            population.learn(f"user {step % 3}", decision, 0.1 * step)
    population.save(tmp_path / "shop")
    again = [Population.load(tmp_path / "shop"), copy.deepcopy(population),
             pickle.loads(pickle.dumps(population))]
    other = Population(4, "ucb", seed=5)
    other.add_arms([f"arm {i}" for i in range(50)], arms(50))
    for learner in population.learners:
        other.import_learner(learner, population.export_learner(learner))
    for loaded in (*again, other):
        assert loaded.learners == population.learners

    def future(one: Population) -> list[Decision]:
        decisions = []
        for step in range(20):
            decision = one.choose("user 1")
            one.learn("user 1", decision, 0.1 * step)
            decisions.append(decision)
        return decisions

    expected = future(population)
    for loaded in (*again, other):
        assert future(loaded) == expected
    assert again[0].order_budget == 10**6 and again[0].policy == "ucb"
    (tmp_path / "shop").write_bytes(b"MANYARMS" + bytes(100))
    with pytest.raises(errors.CorruptFileError):
        Population.load(tmp_path / "shop")


def test_threads_choose_for_different_learners_while_arms_come_and_go() -> None:
    given = arms(3000)
    population = Population(4, search=Certified(check_every=5))
    population.add_arms([f"arm {i}" for i in range(2000)], given[:2000])
    def choose(learner: int) -> None:
        for _ in range(300):
            decision = population.choose(learner)
            population.learn(learner, decision, float(decision.score > 1))

    def change() -> None:
        for i in range(300):
            population.add_arms([f"arm {2000 + i}"], given[[2000 + i]])
            population.remove_arms([f"arm {i}"])

    together(*[lambda i=i: choose(i) for i in range(3)], change)
    assert len(population) == 2000
    assert [population.describe(i)["rewards"] for i in range(3)] == [300] * 3


@pytest.mark.parametrize("policy", ["ts", "ucb"])
def test_stats_say_what_learners_take(policy: str) -> None:
    population = Population(16, policy)
    population.add_arms(range(20), np.random.default_rng(1).standard_normal((20, 16)))
    for learner in range(1000):
        population.learn(learner, population.choose(learner), 1.0)
    stats = population.stats
    assert stats["learners"] == 1000
    assert 1224 <= stats["learner_bytes"] / 1000 <= 1600
