"""Changes of all partitions, of which some fail in between."""

from __future__ import annotations

from typing import Any

import pytest

from manyarms import errors
from manyarms._requests import Body
from manyarms.cluster._replicated import Replicated
from stand_ins import Control, Service, answers_503

_BANDIT = "/v1/bandits/shop"


def made_of(*services: Service) -> tuple[Replicated, Control]:
    control = Control()
    given: Any = services
    return Replicated(control, given, 10.0), control


def arms(*given: int) -> Body:
    return Body("arms", lambda: (bytes(given),), len(given))


def add(replicated: Replicated, *given: int) -> Any:
    return replicated.make("POST", f"{_BANDIT}/arms?mode=add", arms(*given), counted=_BANDIT)


def remove(replicated: Replicated, *given: int) -> Any:
    return replicated.make("POST", f"{_BANDIT}/remove-arms", arms(*given), counted=_BANDIT)


@pytest.mark.parametrize("place", [0, 1])
def test_arms_that_are_only_in_the_memory_of_a_service_are_not_acknowledged(place: int) -> None:
    services = [Service(), Service()]
    replicated, control = made_of(*services)
    services[place].after = answers_503
    services[place].asked = Service.dies
    assert add(replicated, 1, 2)["arms"] == 2
    for service in services:
        service.dies()
        assert service.memory == {1, 2}
    assert not control.noted


def test_a_change_of_which_the_service_was_slow_is_made_once_everywhere() -> None:
    services = [Service(), Service()]
    replicated, control = made_of(*services)
    add(replicated, 1, 2, 3)

    def is_slow(service: Service) -> None:
        """The change is made after the question whether it was, before the next attempt."""
        def overtakes(again: Service) -> None:
            again.memory -= {2}

        service.before = overtakes
        answers_503(service)

    services[0].before = is_slow
    assert remove(replicated, 2) == {"removed": 1, "arms": 2}
    assert [service.stored for service in services] == [{1, 3}, {1, 3}]
    assert not control.noted


def test_whoever_comes_next_completes_what_the_first_partition_may_still_get() -> None:
    services = [Service(), Service()]
    replicated, control = made_of(*services)
    add(replicated, 1, 2, 3)

    def hangs(service: Service) -> None:
        raise errors.ClusterTimeout("partition 0 hangs")

    services[0].before = hangs
    with pytest.raises(errors.ClusterTimeout):
        remove(replicated, 2)
    assert control.noted
    replicated.complete()
    assert [service.stored for service in services] == [{1, 3}, {1, 3}]
    assert not control.noted


def test_what_is_refused_is_not_noted_any_more() -> None:
    services = [Service(), Service()]
    replicated, control = made_of(*services)
    add(replicated, 1)
    with pytest.raises(errors.ConflictError):
        add(replicated, 2, 1)
    with pytest.raises(errors.NotFoundError):
        remove(replicated, 5)
    assert not control.noted
    assert [service.stored for service in services] == [{1}, {1}]
