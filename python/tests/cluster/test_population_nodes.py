"""cluster.Population while the node of a partition dies."""

from __future__ import annotations

from typing import Any

from manyarms import cluster
from populations import (
    X, facts, is_running, one_process, population, postgres_url, process_of, wait_for,
)


PARTITIONS = 4


def test_learners_go_on_where_they_were_when_a_node_dies(nodes: Any) -> None:
    one = one_process()
    learners = [f"user {i}" for i in range(12)]

    def play(pop: cluster.Population) -> None:
        for learner in learners:
            decision, other = pop.choose(learner), one.choose(learner)
            assert facts(decision) == facts(other)
            pop.learn(decision, 1.0)
            one.learn(learner, other, 1.0)

    with postgres_url() as url:
        with population("nodes", url, partitions=PARTITIONS, timeout=120.0) as pop:
            for of in (pop, one):
                of.add_arms(range(20), X[:20])
            play(pop)
            before = {process_of("nodes", number) for number in range(PARTITIONS)}
            gone = nodes.kill(before)
            assert gone
            nodes.add()
            play(pop)
            after = {process_of("nodes", number) for number in range(PARTITIONS)}
            assert before & after == before - gone
            wait_for(lambda: not any(map(is_running, gone)))
            assert {pop.describe(learner)["rewards"] for learner in learners} == {2}
