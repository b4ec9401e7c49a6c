"""A bandit on a cluster decides as one in one process does, to the last bit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pairs import Pair

POLICIES = ["ts", "ucb"]


@pytest.fixture(params=POLICIES)
def pair(request: pytest.FixtureRequest, nodes: Any) -> Iterator[Pair]:
    pair = Pair(100_000, seed=7, policy=request.param)
    with pair.many:
        yield pair
        pair.check()


def thirds(ids: np.ndarray) -> np.ndarray:
    return ids % 3 == 1


def test_two_thousand_steps_with_arms_that_come_and_go(pair: Pair) -> None:
    sent = []
    for step in range(2_000):
        if step % 100 == 50:
            pair.change(10)
        pair.step()
        if step in (99, 1_999):
            sent.append(pair.many.stats["sent"])
    assert pair.many.stats["choices"] == 2_000
    # The aim is that at least 95 % of those after the first hundred need no message.
    assert sent[1] - sent[0] <= 0.05 * 1_900
    assert sent[0] > 0, "nothing was ever asked, so nothing was tested"
    assert pair.many.stats["surveys"] > 0


def test_slates_masks_and_ids(pair: Pair) -> None:
    for step in range(400):
        if step % 10 == 5:
            pair.change(10)
        pair.slate(5)
        some = pair.random.choice(pair.one.ids, 50, replace=False)
        pair.slate(3, eligible=some)
        pair.slate(2, eligible=list(map(int, some[:2])))
        if step % 20 == 0:
            pair.slate(4, mask=thirds)
            pair.draws(3)
            pair.draws(2, eligible=some)
            pair.draws(2, mask=thirds)
        pair.step()


def test_a_node_that_is_killed_in_the_middle(pair: Pair, nodes: Any) -> None:
    for step in range(2_000):
        if step % 50 == 20:
            pair.change(10)
        if step == 1_000:
            assert nodes.kill(pair.processes())
            nodes.add()
        if step % 40 == 10:
            pair.slate(3, mask=thirds)
        pair.step()
    assert pair.many.stats["restores"] > 0


def test_shards_that_move(pair: Pair, nodes: Any) -> None:
    before = pair.processes()
    for step in range(1_000):
        pair.step()
    for shards in (3, 5):
        moving = threading.Thread(target=pair.many.rebalance, args=(shards,))
        moving.start()
        for step in range(10_000):
            if step % 20 == 10:
                pair.change(5)
            pair.step()
            if not moving.is_alive():
                break
        moving.join()
        assert len(pair.many.describe_shards()) == shards
    for step in range(1_000):
        if step % 20 == 10:
            pair.slate(3, mask=thirds)
        pair.step()
    assert not before & pair.processes()
