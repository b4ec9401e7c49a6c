"""Starts of partitions, with actors that are only names."""

from __future__ import annotations

from typing import Any

import pytest

from manyarms import errors
from manyarms.cluster import _partition, _partitions
from stand_ins import Control


def partitions_over(control: Control) -> Any:
    made: Any = _partitions.Partitions.__new__(_partitions.Partitions)
    made.name = "shop"
    made._control = control
    made._description = {"options": ["--threads", "2"]}
    return made


def test_a_partition_that_is_made_while_the_population_is_stopped_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    control = Control()
    partitions = partitions_over(control)
    killed: list[object] = []
    stops = False

    def start(*given: Any) -> str:
        if stops:
            control.put("stopped", b"yes")
        return f"actor of {given[3]} with {given[4]}"

    monkeypatch.setattr(_partition, "find", lambda name, number: None)
    monkeypatch.setattr(_partition, "start", start)
    monkeypatch.setattr(_partitions.ray, "kill", killed.append)
    actor = "actor of partition 1 with ['--threads', '2']"
    assert partitions.start(1) == actor
    stops = True
    with pytest.raises(errors.UnavailableError, match="was stopped"):
        partitions.start(1)
    assert killed == [actor]
    with pytest.raises(errors.UnavailableError, match="was stopped"):
        partitions.start(0)
    assert killed == [actor]
