"""Bad input of every kind: the natural exception, a helpful message, no change."""

from __future__ import annotations

import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import manyarms
from manyarms import Bandit, Population, errors

X = np.eye(3, dtype=np.float32)


def made(ids: Any = (1, 2, 3)) -> Bandit:
    bandit = Bandit(3, "ts", "scan")
    bandit.add_arms(ids, X)
    decision = bandit.choose()
    bandit.learn(decision, 1.0)
    bandit.choose()
    return bandit


def nan() -> np.ndarray:
    rows = X.copy()
    rows[1, 2] = np.nan
    return rows


CASES: list[tuple[str, Callable[[Bandit], Any], type[Exception], list[str]]] = [
    ("a generator of ids", lambda b: b.add_arms((i for i in [7]), X[:1]), TypeError, ["ids", "list", "generator"]),
    ("a set of ids", lambda b: b.add_arms({7}, X[:1]), TypeError, ["ids", "set"]),
    ("a dict of ids", lambda b: b.add_arms({7: 1}, X[:1]), TypeError, ["ids", "dict"]),
    ("one id", lambda b: b.add_arms(7, X[:1]), TypeError, ["ids", "int"]),
    ("one text", lambda b: b.add_arms("abc", X), TypeError, ["ids", "str"]),
    ("ids of both kinds", lambda b: b.add_arms(["a", 7], X[:2]), TypeError, ["all ints or all strings"]),
    ("texts among ints", lambda b: b.add_arms(["a"], X[:1]), TypeError, ["ints for ids", "not strings"]),
    ("a float for an id", lambda b: b.add_arms([1.5], X[:1]), TypeError, ["ids", "float"]),
    ("an array of floats for ids", lambda b: b.add_arms(np.array([1.5]), X[:1]), TypeError, ["float64"]),
    ("a bool for an id", lambda b: b.add_arms([True], X[:1]), TypeError, ["bool"]),
    ("a negative id", lambda b: b.add_arms([-1], X[:1]), ValueError, ["-1", "0 to 2**64 - 1"]),
    ("a negative id in an array", lambda b: b.add_arms(np.array([7, -5]), X[:2]), ValueError, ["-5"]),
    ("an id that is too large", lambda b: b.add_arms([2**64], X[:1]), ValueError, [str(2**64)]),
    ("ids in a matrix", lambda b: b.add_arms(np.array([[7]]), X[:1]), TypeError, ["one-dimensional", "2 dimensions"]),
    ("an id that is there", lambda b: b.add_arms([7, 2], X[:2]), errors.DuplicateIdError, ["arm 2 "]),
    ("an id twice", lambda b: b.add_arms([7, 7], X[:2]), ValueError, ["arm 7 ", "twice"]),
    ("lists of unequal length", lambda b: b.add_arms([7, 8], [[1, 2, 3], [1, 2]]), errors.InvalidArgumentError, ["rows of one length"]),
    ("lists that are too long", lambda b: b.add_arms([7], [[1, 2, 3, 4]]), ValueError, ["4 features", "dimension 3"]),
    ("lists that are too few", lambda b: b.add_arms([7], []), ValueError, ["0 rows", "1 arms"]),
    ("a list for a matrix", lambda b: b.add_arms([7], [1, 2, 3]), TypeError, ["two-dimensional", "1 dimensions"]),
    ("texts in lists", lambda b: b.add_arms([7], [["1", "2", "3"]]), TypeError, ["features", "numbers", "<U1"]),
    ("nothing in lists", lambda b: b.add_arms([7], [[None, 1, 2]]), TypeError, ["features", "object"]),
    ("bools in lists", lambda b: b.add_arms([7], [[True, False, True]]), TypeError, ["features", "bool"]),
    ("a masked row in a list", lambda b: b.add_arms([7], [np.ma.masked_less(X[0], 1)]), TypeError, ["features", "masked"]),
    ("nan in lists", lambda b: b.add_arms([7, 8], [[1, 2, 3], [1, float("nan"), 3]]), ValueError, ["row 1 of 2", "feature 1", "nan"]),
    ("a dict of features", lambda b: b.add_arms([7], {0: [1, 2, 3]}), TypeError, ["features", "dict", "numpy.array"]),
    ("a text of features", lambda b: b.add_arms([7], "abc"), TypeError, ["features", "str"]),
    ("ints that are too large", lambda b: b.add_arms([7], np.array([[1, 2, 1000001]])), errors.InvalidArgumentError, ["feature 2 is 1000001,", "1e+06"]),
    ("ints that are far too large", lambda b: b.add_arms([7], [[1, -2**40, 3]]), errors.InvalidArgumentError, ["feature 1 is -1099511627776,", "1e+06"]),
    ("rows of halves", lambda b: b.add_arms([7], np.ones((1, 3), dtype=np.float16)), TypeError, ["float16"]),
    ("one row for a matrix", lambda b: b.add_arms([7], X[0]), TypeError, ["two-dimensional", "1 dimensions"]),
    ("rows that are too long", lambda b: b.add_arms([7], np.ones((1, 4))), ValueError, ["4 features", "dimension 3"]),
    ("rows that are too few", lambda b: b.add_arms([7, 8], X[:1]), ValueError, ["1 rows", "2 arms"]),
    ("not a number", lambda b: b.add_arms([7, 8, 9], nan()), ValueError, ["row 1 of 3", "feature 2", "nan"]),
    ("infinity", lambda b: b.add_arms([7], np.full((1, 3), np.inf)), ValueError, ["inf"]),
    ("a double beyond float", lambda b: b.add_arms([7], np.full((1, 3), 1e300)), ValueError, ["1e+300", "1e+06"]),
    ("a double beyond float in a row", lambda b: b.observe_features(np.array([1, 2, -1e40]), 1.0), errors.InvalidArgumentError, ["feature 2", "-1e+40", "1e+06"]),
    ("a missing argument", lambda b: b.add_arms([7]), TypeError, ["incompatible"]),
    ("removing an unknown arm", lambda b: b.remove_arms([1, 9]), KeyError, ["no arm 9"]),
    ("a mask of numbers", lambda b: b.choose(eligible=np.array([1, 2, 2, 1])), errors.DuplicateIdError, ["twice", "mask", "bools"]),
    ("masked features", lambda b: b.add_arms([7], np.ma.masked_less(X[:1], 0)), TypeError, ["features", "masked"]),
    ("masked ids", lambda b: b.remove_arms(np.ma.masked_less(np.array([1, 2]), 2)), TypeError, ["ids", "masked"]),
    ("features of objects", lambda b: b.add_arms([7], X[:1].astype(object)), TypeError, ["features", "object"]),
    ("too much room", lambda b: b.reserve(2**50), errors.TooLargeError, ["arms", "limit"]),
    ("an unknown mode", lambda b: b.choose_many(2, "worst"), errors.InvalidArgumentError, ["worst", "best"]),
    ("removing an arm twice", lambda b: b.remove_arms([1, 1]), errors.DuplicateIdError, ["arm 1 ", "twice"]),
    ("updating an unknown arm", lambda b: b.update_arms([1, 9], X[:2]), errors.UnknownIdError, ["arm 9"]),
    ("updating by what is no number", lambda b: b.update_arms([1, 2, 3], nan()), ValueError, ["nan"]),
    ("no eligible arm", lambda b: b.choose(eligible=[]), LookupError, ["no arm is eligible"]),
    ("an unknown eligible arm", lambda b: b.choose(eligible=[1, 9]), KeyError, ["arm 9"]),
    ("a mask that is too short", lambda b: b.choose(eligible=np.ones(2, dtype=bool)), ValueError, ["length 2", "3 arms"]),
    ("a mask of nothing", lambda b: b.choose(eligible=np.zeros(3, dtype=bool)), errors.NoArmsError, ["eligible"]),
    ("a mask of two dimensions", lambda b: b.choose(eligible=np.ones((3, 1), dtype=bool)), TypeError, ["one dimension", "2"]),
    ("a mask of floats", lambda b: b.choose(eligible=np.ones(3)), TypeError, ["eligible", "float64"]),
    ("bools in a list", lambda b: b.choose(eligible=[True, False, True]), TypeError, ["mask", "numpy.array"]),
    ("bytes for ids", lambda b: b.add_arms(b"abc", X), TypeError, ["ids", "bytes"]),
    ("times for ids", lambda b: b.add_arms(np.array(["2026-01-01"], dtype="datetime64[ns]"), X[:1]), TypeError, ["datetime64"]),
    ("complex rewards", lambda b: b.observe_many([1], np.array([1j])), TypeError, ["complex"]),
    ("no ids in an array", lambda b: b.choose(eligible=np.array([])), LookupError, ["no arm is eligible"]),
    ("a negative reserve", lambda b: b.reserve(-1), ValueError, ["-1"]),
    ("a function for eligible", lambda b: b.choose(eligible=lambda arm: True), TypeError, ["eligible", "function"]),
    ("fewer than no choices", lambda b: b.choose_many(-1), ValueError, ["count", "-1"]),
    ("too many choices", lambda b: b.choose_many(2**21), ValueError, ["2097152", "1048576"]),
    ("a mode that is none", lambda b: b.choose_many(2, "worst"), ValueError, ["worst", "best", "draws"]),
    ("learning twice", lambda b: b.learn(1, 1.0), KeyError, ["decision 1 ", "already"]),
    ("learning the unknown", lambda b: b.learn(99, 1.0), errors.UnknownIdError, ["decision 99 ", "not been made"]),
    ("learning a text", lambda b: b.learn("x", 1.0), TypeError, ["a Decision or an int", "str"]),
    ("a reward that is a text", lambda b: b.learn(2, "much"), TypeError, ["reward: float"]),
    ("a reward that is nothing", lambda b: b.learn(2, None), TypeError, ["reward: float"]),
    ("a reward that is no number", lambda b: b.learn(2, float("nan")), ValueError, ["nan"]),
    ("a reward without bound", lambda b: b.learn(2, float("inf")), ValueError, ["inf"]),
    ("rewards that are too few", lambda b: b.learn_many([2], []), ValueError, ["0 rewards", "1 decision"]),
    ("one of many decisions unknown", lambda b: b.learn_many([2, 99], [1.0, 1.0]), KeyError, ["99"]),
    ("a decision twice", lambda b: b.learn_many([2, 2], [1.0, 1.0]), errors.DuplicateIdError, ["decision 2 "]),
    ("a text among rewards", lambda b: b.learn_many([2], ["x"]), TypeError, ["str"]),
    ("a text for rewards", lambda b: b.learn_many([2], "1"), TypeError, ["rewards", "str"]),
    ("one number for rewards", lambda b: b.learn_many([2], 1.0), TypeError, ["rewards", "float"]),
    ("dismissing the unknown", lambda b: b.dismiss(99), KeyError, ["99"]),
    ("observing an unknown arm", lambda b: b.observe(9, 1.0), KeyError, ["no arm 9", "features"]),
    ("observing a text", lambda b: b.observe("a", 1.0), TypeError, ["ints"]),
    ("observing a float", lambda b: b.observe(1.5, 1.0), TypeError, ["an int or a string", "float"]),
    ("observing some of many", lambda b: b.observe_many([1, 9], [1.0, 1.0]), KeyError, ["9"]),
    ("observing features that are too short", lambda b: b.observe_features(np.ones(2), 1.0), ValueError, ["2 features", "3"]),
    ("observing several rows", lambda b: b.observe_features([[1, 2, 3]], 1.0), TypeError, ["one-dimensional", "2 dimensions"]),
    ("observing no features", lambda b: b.observe_features([], 1.0), ValueError, ["0 features", "3"]),
    ("predicting a number", lambda b: b.predict(3.0), TypeError, ["one- or two-dimensional", "float"]),
    ("predicting one row that is too short", lambda b: b.predict([1, 2]), ValueError, ["2 features", "dimension 3"]),
    ("predicting three dimensions", lambda b: b.predict(np.ones((1, 1, 3))), TypeError, ["one- or two-dimensional", "3 dimensions"]),
    ("predicting rows that are too long", lambda b: b.predict(np.ones((2, 4))), ValueError, ["4 features"]),
    ("saving nowhere", lambda b: b.save("/nowhere/at/all"), OSError, ["/nowhere/at/all", "No such file"]),
    ("saving to a number", lambda b: b.save(3), TypeError, ["path"]),
    ("half a character", lambda b: b.add_arms(["\ud800"], X[:1]), ValueError, ["surrogates"]),
]


@pytest.mark.parametrize("call, error, parts", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_is_refused_and_changes_nothing(
    call: Callable[[Bandit], Any], error: type[Exception], parts: list[str]
) -> None:
    bandit = made()
    before = pickle.dumps(bandit)
    with pytest.raises(error) as caught:
        call(bandit)
    for part in parts:
        assert part in str(caught.value)
    assert pickle.dumps(bandit) == before


ROW = X[0]
C = [1.0, 2.0]


def with_contexts() -> Bandit:
    bandit = Bandit(3, "ts", "scan", context_dim=2)
    bandit.add_arms([1, 2, 3], X)
    bandit.learn(bandit.choose(context=C), 1.0)
    bandit.choose(context=C)
    return bandit


# What is wrong with a context, and where one can be given.
WRONG_CONTEXTS: list[tuple[str, Any, type[Exception], list[str]]] = [
    ("missing", None, errors.InvalidArgumentError, ["no context given", "2 values"]),
    ("empty", [], errors.InvalidArgumentError, ["no context given", "2 values"]),
    ("too short", [1.0], errors.InvalidArgumentError, ["1 values given", "must have 2"]),
    ("too long", [1.0, 2.0, 3.0], errors.InvalidArgumentError, ["3 values given", "must have 2"]),
    ("not a number", [1.0, float("nan")], errors.InvalidArgumentError, ["value 1 of the context is nan", "1000"]),
    ("infinite", [-float("inf"), 1.0], errors.InvalidArgumentError, ["value 0 of the context is -inf", "1000"]),
    ("too large", [1.0, 1000.5], errors.InvalidArgumentError, ["value 1 of the context is 1000.5", "1000"]),
    ("a double beyond float", [1e300, 1.0], errors.InvalidArgumentError, ["value 0 of the context is 1e+300", "1000"]),
    ("texts", ["a", "b"], TypeError, ["context", "numbers", "<U1"]),
    ("a text", "ab", TypeError, ["context", "str"]),
    ("one number", 1.0, TypeError, ["context", "one-dimensional", "float"]),
    ("nothing in a list", [None, 1.0], TypeError, ["context", "object"]),
    ("bools", [True, False], TypeError, ["context", "bool"]),
    ("a row in a list", [[1.0, 2.0]], TypeError, ["context", "one-dimensional", "2 dimensions"]),
    ("masked", np.ma.masked_less(np.array([1.0, 2.0]), 2), TypeError, ["context", "masked"]),
    ("a dict", {"hour": 3}, TypeError, ["context", "dict"]),
]
IN_CONTEXT: list[Callable[[Any, Any], Any]] = [
    lambda b, c: b.choose(context=c),
    lambda b, c: b.choose(eligible=[1, 2], context=c),
    lambda b, c: b.choose_many(2, context=c),
    lambda b, c: b.choose_many(2, "draws", context=c),
    lambda b, c: b.observe(1, 1.0, context=c),
    lambda b, c: b.observe_features(ROW, 1.0, context=c),
    lambda b, c: b.predict(ROW, context=c),
    lambda b, c: b.predict(X, context=c),
    lambda b, c: b.scores([1], context=c),
    lambda b, c: b.uncertainty([1], context=c),
]
IN_CONTEXT_OF_A_LEARNER: list[Callable[[Any, Any], Any]] = [
    lambda p, c: p.choose("a", context=c),
    lambda p, c: p.choose("b", eligible=[1, 2], context=c),
    lambda p, c: p.choose_many("b", 2, context=c),
    lambda p, c: p.observe("b", 1, 1.0, context=c),
    lambda p, c: p.observe_features("b", ROW, 1.0, context=c),
    lambda p, c: p.predict("b", ROW, context=c),
    lambda p, c: p.predict("b", X, context=c),
    lambda p, c: p.scores("b", [1], context=c),
    lambda p, c: p.uncertainty("b", [1], context=c),
]


def population_with_contexts() -> Population:
    population = Population(3, "ts", "scan", context_dim=2)
    population.add_arms([1, 2, 3], X)
    population.choose("a", context=C)
    return population


def refuse(thing: Any, call: Callable[[], Any], error: type[Exception], parts: list[str]) -> None:
    before = pickle.dumps(thing)
    with pytest.raises(error) as caught:
        call()
    for part in parts:
        assert part in str(caught.value)
    assert pickle.dumps(thing) == before


@pytest.mark.parametrize("context, error, parts", [c[1:] for c in WRONG_CONTEXTS],
                         ids=[c[0] for c in WRONG_CONTEXTS])
def test_contexts_are_refused_and_change_nothing(
    context: Any, error: type[Exception], parts: list[str]
) -> None:
    bandit, population = with_contexts(), population_with_contexts()
    for call in IN_CONTEXT:
        call(bandit, C)  # this is right
        refuse(bandit, lambda: call(bandit, context), error, parts)
    for call in IN_CONTEXT_OF_A_LEARNER:
        refuse(population, lambda: call(population, context), error, parts)
    assert population.learners == ["a"]


def test_superfluous_contexts_are_refused() -> None:
    bandit, population = made(), Population(3)
    population.add_arms([1, 2, 3], X)
    for call in IN_CONTEXT:
        refuse(bandit, lambda: call(bandit, C), ValueError, ["2 values", "context_dim is 0"])
    for call in IN_CONTEXT_OF_A_LEARNER:
        refuse(population, lambda: call(population, C), ValueError, ["2 values", "context_dim is 0"])
    for thing, call in [
        (bandit, lambda: bandit.observe_many([1], [1.0], contexts=[C])),
        (bandit, lambda: bandit.choose_many(1, "draws", contexts=[C])),
        (bandit, lambda: bandit.predict(X[:1], contexts=[C])),
        (population, lambda: population.choose_for([1], [C])),
        (population, lambda: population.predict(1, X[:1], contexts=[C])),
    ]:
        refuse(thing, call, ValueError, ["contexts of 2 values", "context_dim is 0"])


@pytest.mark.parametrize("contexts, error, parts", [
    ([C], ValueError, ["1 contexts given", "must be 2"]),
    ([C, C, C], ValueError, ["3 contexts given", "must be 2"]),
    ([], ValueError, ["0 contexts given", "must be 2"]),
    ([[1], [2]], ValueError, ["contexts of 1 values", "must have 2"]),
    (np.ones((2, 3)), ValueError, ["contexts of 3 values", "must have 2"]),
    ([C, [1]], ValueError, ["contexts", "one length"]),
    ([C, [1, np.nan]], errors.InvalidArgumentError, ["value 1 of context 1 is nan", "1000"]),
    ([[2000, 1], C], errors.InvalidArgumentError, ["value 0 of context 0 is 2000", "1000"]),
    ([[1, -1e300], C], errors.InvalidArgumentError, ["value 1 of context 0 is -1e+300", "1000"]),
    (C, TypeError, ["contexts", "two-dimensional", "1 dimensions"]),
    ([["a", "b"], ["c", "d"]], TypeError, ["contexts", "numbers", "<U1"]),
    ("ab", TypeError, ["contexts", "str"]),
], ids=str)
def test_batches_of_contexts_are_refused(
    contexts: Any, error: type[Exception], parts: list[str]
) -> None:
    bandit, population = with_contexts(), population_with_contexts()
    for thing, call in [
        (bandit, lambda: bandit.observe_many([1, 2], [1.0, 2.0], contexts=contexts)),
        (bandit, lambda: bandit.choose_many(2, "draws", contexts=contexts)),
        (bandit, lambda: bandit.predict(X[:2], contexts=contexts)),
        (population, lambda: population.choose_for(["a", "b"], contexts)),
        (population, lambda: population.predict("b", X[:2], contexts=contexts)),
    ]:
        refuse(thing, call, error, parts)


def test_batches_need_contexts_of_one_kind() -> None:
    bandit, population = with_contexts(), population_with_contexts()
    missing = ["no contexts given", "2 of 2 values"]
    refuse(bandit, lambda: bandit.observe_many([1, 2], [1.0, 2.0]), ValueError, missing)
    refuse(population, lambda: population.choose_for(["a", "b"]), ValueError, missing)
    for call in (lambda: bandit.predict(X[:1], context=C, contexts=[C]),
                 lambda: bandit.choose_many(1, "draws", context=C, contexts=[C])):
        refuse(bandit, call, ValueError, ["context and contexts", "one of them"])
    refuse(bandit, lambda: bandit.choose_many(1, contexts=[C]), ValueError, ["best", "draws"])


def test_a_learner_is_refused_what_is_not_its_own() -> None:
    population = population_with_contexts()
    decision = population.choose("b", context=C)
    for call, parts in [
        (lambda: population.learn("a", decision, 1.0), ["not one of learner"]),
        (lambda: population.learn_for(["a"], [decision], [1.0]), ["not one of learner"]),
        (lambda: population.dismiss("a", decision), ["not one of learner"]),
        (lambda: population.learn("c", decision, 1.0), ["no learner", "c"]),
        (lambda: population.forget("c"), ["no learner", "c"]),
        (lambda: population.export_learner("c"), ["no learner", "c"]),
    ]:
        refuse(population, call, errors.UnknownIdError, parts)


CONSTRUCTORS: list[tuple[dict[str, Any], type[Exception], list[str]]] = [
    ({"dim": 0}, ValueError, ["dimension is 0"]),
    ({"dim": 5000}, ValueError, ["5000", "4096"]),
    ({"dim": -1}, ValueError, ["dim", "-1"]),
    ({"dim": "16"}, TypeError, ["dim must be an int", "str"]),
    ({"dim": 2, "policy": "linucb"}, ValueError, ["linucb", "'ucb'"]),
    ({"dim": 2, "search": "faiss"}, ValueError, ["faiss", "'hnsw'"]),
    ({"dim": 2, "exploration": -1.0}, ValueError, ["exploration", "-1"]),
    ({"dim": 2, "exploration": float("nan")}, ValueError, ["exploration", "nan"]),
    ({"dim": 2, "exploration": manyarms.TheoryRadius(0)}, ValueError, ["horizon"]),
    ({"dim": 2, "regularisation": 0.0}, ValueError, ["regularisation is 0"]),
    ({"dim": 2, "accuracy": 0.1}, ValueError, ["accuracy", "'elim'"]),
    ({"dim": 2, "policy": "elim", "accuracy": 0.5}, ValueError, ["accuracy is 0.5"]),
    ({"dim": 2, "max_pending": 0}, ValueError, ["pending decisions is 0"]),
    ({"dim": 2, "seed": -1}, ValueError, ["seed", "-1"]),
    ({"dim": 2, "policy": "ucb", "search": "hnsw"}, errors.UnsupportedError, ["ucb", "hnsw"]),
    ({"dim": 2, "search": manyarms.Hnsw(shortlist=0)}, ValueError, ["shortlist is 0"]),
    ({"dim": 2, "colour": "red"}, TypeError, ["incompatible"]),
    ({"dim": 2, "context_dim": -1}, ValueError, ["context_dim", "-1"]),
    ({"dim": 2, "context_dim": 1.5}, TypeError, ["context_dim must be an int", "float"]),
    ({"dim": 63, "context_dim": 64}, ValueError, ["64 values", "63 features", "4160", "4096"]),
    ({"dim": 2, "context_dim": 2**64 - 1}, ValueError, ["4096"]),
    ({"dim": 2, "context_dim": 1, "context_constants": "no"}, TypeError, ["incompatible"]),
    ({"dim": 2, "context_dim": 1, "regularisation": 1e-4}, ValueError, ["regularisation", "0.0001", "0.001"]),
    ({"dim": 2, "context_dim": 1, "policy": "elim"}, errors.UnsupportedError, ["elim", "contexts"]),
    ({"dim": 2, "context_dim": 1, "negative_rewards": True}, errors.UnsupportedError, ["negative_rewards", "contexts"]),
]


@pytest.mark.parametrize("options, error, parts", CONSTRUCTORS, ids=str)
def test_options_are_refused(
    options: dict[str, Any], error: type[Exception], parts: list[str]
) -> None:
    kinds: list[Any] = [Bandit]
    if "context_dim" in options:
        kinds.append(Population)
    for kind in kinds:
        with pytest.raises(error) as caught:
            kind(**options)
        # A population refuses elim with contexts or without.
        for part in parts if kind is Bandit else parts[:1]:
            assert part in str(caught.value)


def test_a_population_needs_a_budget_for_orders() -> None:
    for contexts in ({}, {"context_dim": 2}):
        with pytest.raises(errors.InvalidArgumentError, match="order budget is 0, .* from 1"):
            Population(2, order_budget=0, **contexts)


def test_option_objects_are_refused() -> None:
    with pytest.raises(ValueError, match="'cosine', only 'both'"):
        manyarms.Hnsw(metric="cosine")
    with pytest.raises(ValueError, match="'lsh', only 'symmetric'"):
        manyarms.Lsh(reduction="lsh")
    with pytest.raises(TypeError):
        manyarms.Hnsw(10)  # by name only


def test_nothing_can_be_chosen_of_nothing() -> None:
    with pytest.raises(errors.NoArmsError, match="no arms"):
        Bandit(3).choose()


def test_texts_are_refused_by_name() -> None:
    bandit = made(["a", "b", "c"])
    before = pickle.dumps(bandit)
    for call, error, message in [
        (lambda: bandit.add_arms(["d", "a"], X[:2]), errors.DuplicateIdError, "arm 'a'"),
        (lambda: bandit.add_arms(["d", "d"], X[:2]), errors.DuplicateIdError, "arm 'd'"),
        (lambda: bandit.add_arms(["d"], X[:2]), ValueError, "1 arms"),
        (lambda: bandit.add_arms([1], X[:1]), TypeError, "strings for ids"),
        (lambda: bandit.remove_arms(["b", "x"]), KeyError, "'x'"),
        (lambda: bandit.remove_arms(["b", "b"]), ValueError, "'b' is given twice"),
        (lambda: bandit.update_arms(["b", "b"], X[:2]), ValueError, "'b' is given twice"),
        (lambda: bandit.choose(eligible=["x"]), KeyError, "'x'"),
        (lambda: bandit.choose(eligible=[1]), TypeError, "strings"),
        (lambda: bandit.observe("x", 1.0), KeyError, "'x'"),
    ]:
        with pytest.raises(error, match=message):
            call()
        assert pickle.dumps(bandit) == before
    assert 1 not in bandit


def test_every_error_is_an_error_of_ours_and_of_python() -> None:
    kinds = [kind for name, kind in vars(errors).items()
             if name.endswith("Error") and name != "Error"]
    assert all(issubclass(kind, manyarms.Error) for kind in kinds)
    # Those of a service say what it says (test_client.py).
    ours = [kind for kind in kinds if not issubclass(kind, errors.ServiceError)]
    assert len(ours) == 15
    for kind in ours:
        assert any(base.__module__ == "builtins" and base is not Exception
                   for base in kind.__mro__[2:-3])


def test_loading_what_is_no_bandit(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="No such file") as missing:
        Bandit.load(tmp_path / "nothing")
    assert isinstance(missing.value, manyarms.Error)
    assert pathlib.Path(missing.value.filename) == tmp_path / "nothing"
    with pytest.raises(OSError):
        Bandit.load(tmp_path)
    (tmp_path / "text").write_text("just a text, and none that a bandit wrote")
    with pytest.raises(errors.CorruptFileError, match="text: .* begin"):
        Bandit.load(tmp_path / "text")
