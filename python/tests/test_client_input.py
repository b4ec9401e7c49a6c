"""Bad input to the client: the natural exception, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import manyarms
from manyarms import errors
from manyarms._asking import number_of
from manyarms._requests import Requests
from manyarms._served_bandit import ServedBandit

# Nobody listens there, so that whatever is sent would be an UnavailableError.
NOWHERE = "http://127.0.0.1:9"
X = np.eye(3, dtype=np.float32)


def shop() -> ServedBandit:
    return ServedBandit(Requests(NOWHERE, None, 1.0, 0, None), "shop", 1_000)


CASES: list[tuple[str, Callable[[ServedBandit], Any], type[Exception], list[str]]] = [
    ("a set of ids", lambda b: b.add_arms({7}, X[:1]), TypeError, ["ids", "set"]),
    ("one text of ids", lambda b: b.add_arms("abc", X), TypeError, ["ids", "str"]),
    ("ids of both kinds", lambda b: b.add_arms(["a", 7], X[:2]), TypeError, ["all ints or all strings"]),
    ("a float for an id", lambda b: b.add_arms([1.5], X[:1]), TypeError, ["ids", "float"]),
    ("an array of floats for ids", lambda b: b.add_arms(np.array([1.5]), X[:1]), TypeError, ["float64"]),
    ("a bool for an id", lambda b: b.add_arms([True], X[:1]), TypeError, ["bool"]),
    ("a negative id", lambda b: b.add_arms([-1], X[:1]), ValueError, ["-1", "2**64"]),
    ("a negative id in an array", lambda b: b.add_arms(np.array([3, -5]), X[:2]), ValueError, ["-5"]),
    ("an id that is too large", lambda b: b.add_arms([2**64], X[:1]), ValueError, [str(2**64)]),
    ("ids in a matrix", lambda b: b.add_arms(np.array([[7]]), X[:1]), TypeError, ["one-dimensional"]),
    ("half a surrogate pair", lambda b: b.add_arms(["\ud800"], X[:1]), ValueError, ["UTF-8"]),
    ("too few rows", lambda b: b.add_arms([1, 2], X[:1]), ValueError, ["1 rows", "2 arms"]),
    ("unequal rows", lambda b: b.add_arms([1, 2], [[1, 2, 3], [1]]), ValueError, ["one length"]),
    ("texts as features", lambda b: b.add_arms([1], [["a", "b"]]), TypeError, ["features"]),
    ("halves", lambda b: b.add_arms([1], X[:1].astype(np.float16)), TypeError, ["float16"]),
    ("bools as features", lambda b: b.add_arms([1], X[:1] > 0), TypeError, ["bool"]),
    ("masked features", lambda b: b.add_arms([1], np.ma.masked_less(X[:1], 1)), TypeError, ["masked"]),
    ("one row for a matrix", lambda b: b.add_arms([1], X[0]), TypeError, ["dimensions"]),
    ("tags for too few", lambda b: b.add_arms([1, 2], X[:2], tags=[["a"]]), ValueError, ["1 arms", "2"]),
    ("a text for tags", lambda b: b.add_arms([1], X[:1], tags=["red"]), TypeError, ["tags", "str"]),
    ("numbers for tags", lambda b: b.add_arms([1], X[:1], tags=[[1]]), TypeError, ["tags", "int"]),
    ("nan with tags", lambda b: b.add_arms([1], X[:1] * np.nan, tags=[["a"]]), ValueError, ["row 0", "finite"]),
    ("a mask", lambda b: b.choose("a", eligible=np.array([True])), TypeError, ["mask"]),
    ("a float for a learner", lambda b: b.choose(1.5), TypeError, ["learner", "float"]),
    ("a negative learner", lambda b: b.choose(-1), ValueError, ["learner", "-1"]),
    ("nan in a context", lambda b: b.choose("a", context=[np.nan]), ValueError, ["finite"]),
    ("a matrix as context", lambda b: b.choose("a", context=[[1]]), TypeError, ["context"]),
    ("nan as reward", lambda b: b.learn(1, float("nan")), errors.InvalidArgumentError, ["finite"]),
    ("a text as reward", lambda b: b.learn(1, "much"), ValueError, ["much"]),
    ("a float as decision", lambda b: b.learn(1.0, 1.0), TypeError, ["decision", "float"]),
    ("None as decision", lambda b: b.dismiss(None), TypeError, ["decision", "NoneType"]),
    ("a bool as count", lambda b: b.choose_many("a", True), TypeError, ["count", "bool"]),
    ("too few events", lambda b: b.choose_for(["a", "b"], events=["x"]), ValueError, ["1 events", "2 learners"]),
    ("events of ints", lambda b: b.choose_for(["a"], events=[1]), TypeError, ["events", "int"]),
    ("a surrogate in a path", lambda b: b.describe("\ud800"), ValueError, ["UTF-8"]),
    ("a surrogate in a body", lambda b: b.choose("\ud800"), ValueError, ["UTF-8"]),
    ("rows of three dimensions", lambda b: b.predict("a", np.ones((1, 1, 1))), TypeError, ["dimensions"]),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_bad_input_is_refused_before_it_is_sent(case: Any) -> None:
    _, call, kind, words = case
    with pytest.raises(kind) as raised:
        call(shop())
    assert not isinstance(raised.value, errors.ServiceError)
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize("url", [
    "127.0.0.1:7420", "ftp://127.0.0.1", "http://", "http://a:b@host", "http://host?x=1",
    "http://host#x", "http://host:99999", "http://host:port", "http://ho st", "http://h/\n",
    "http://h\u00f6st",
])
def test_urls_that_are_refused(url: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="url"):
        manyarms.Client(url)


def test_other_arguments_that_are_refused() -> None:
    for token in ("", "a b", "a\r\nX: y", "\u00fc"):
        with pytest.raises(errors.InvalidArgumentError, match="token"):
            manyarms.Client(NOWHERE, token)
    for arguments in ({"timeout": 0}, {"timeout": float("nan")}, {"retries": -1}, {"batch": 0}):
        with pytest.raises(errors.InvalidArgumentError, match=next(iter(arguments))):
            manyarms.Client(NOWHERE, **arguments)  # type: ignore[arg-type]


def test_what_is_sent_is_made_of_what_is_given() -> None:
    assert number_of(np.int64(7)) == 7  # type: ignore[arg-type]
    assert repr(manyarms.Client("https://[::1]:8/below/")) == (
        "<manyarms.Client of https://[::1]:8/below/>")
