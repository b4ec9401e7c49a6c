"""What a choice that needs no message costs."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from pairs import Pair


def test_a_choice_without_a_message_costs_at_most_twice_that_of_one_process(
        nodes: Any) -> None:
    pair = Pair(100_000, seed=11)
    with pair.many:
        for _ in range(300):
            pair.step()
        seconds: tuple[list[float], list[float]] = ([], [])
        for _ in range(1_500):
            sent = pair.many.stats["sent"]
            began = time.perf_counter()
            one = pair.one.choose()
            between = time.perf_counter()
            many = pair.many.choose()
            end = time.perf_counter()
            if pair.many.stats["sent"] == sent:
                seconds[0].append(between - began)
                seconds[1].append(end - between)
            pair.learned([one], [many])
        assert len(seconds[0]) > 1_000
        # Medians do not see what other processes of the machine take now and then.
        assert np.median(seconds[1]) <= 2 * np.median(seconds[0])
