"""A million cycles of everything leave memory where it was."""

from __future__ import annotations

import pytest
import numpy as np

from manyarms import Bandit, Population


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * 4096


@pytest.mark.slow
@pytest.mark.parametrize("texts", [False, True])
def test_a_million_cycles_take_no_memory(texts: bool) -> None:
    dim, arms, cycles = 8, 1000, 500_000  # for ints and for texts
    rng = np.random.default_rng(1)
    X = rng.standard_normal((4096, dim)).astype(np.float32)
    bandit = Bandit(dim, seed=2, max_pending=1000)

    def name(number: int) -> int | str:
        return f"arm {number}" if texts else number

    bandit.add_arms([name(i) for i in range(arms)], X[:arms])
    late = []
    after_warm_up = 0
    for cycle in range(cycles):
        decision = bandit.choose()
        if cycle % 3 == 0:
            late.append(decision)  # learned later, some never
        else:
            bandit.learn(decision, 0.5)
        if len(late) == 50:
            bandit.learn_many(late[:25], [1.0] * 25)
            late.clear()
        if cycle % 2 == 0:
            bandit.remove_arms([name(cycle // 2)])
            bandit.add_arms([name(arms + cycle // 2)], X[[cycle % 4096]])
        else:
            bandit.update_arms([name(cycle // 2 + 1)], X[[(7 * cycle) % 4096]])
        if cycle % 10 == 0:
            bandit.choose_many(3, eligible=[name(cycle // 2 + 5)])
        if cycle == cycles // 5:
            after_warm_up = resident_bytes()
    assert len(bandit) == arms
    # A leak of a hundred bytes a cycle would be 40 MB.
    assert resident_bytes() - after_warm_up < 4_000_000


@pytest.mark.slow
def test_learners_that_come_and_go_take_no_memory() -> None:
    dim, arms, cycles = 8, 1000, 1_000_000
    X = np.random.default_rng(1).standard_normal((4096, dim)).astype(np.float32)
    population = Population(dim, max_pending=20, order_budget=2_000_000)
    population.add_arms(range(arms), X[:arms])
    after_warm_up = 0
    for cycle in range(cycles):
        # Some learners choose often; others come, choose three times and go.
        learner = cycle % 50 if cycle % 2 else f"guest {cycle // 6}"
        decision = population.choose(learner)
        if cycle % 3:
            population.learn(learner, decision, 0.5)
        if cycle % 6 == 5:
            population.forget(f"guest {cycle // 6}")
        if cycle % 4 == 0:
            population.remove_arms([cycle // 4])
            population.add_arms([arms + cycle // 4], X[[cycle % 4096]])
        if cycle == cycles // 5:
            after_warm_up = resident_bytes()
    assert len(population) == arms
    assert len(population.learners) <= 51
    # A leak of a hundred bytes a cycle would be 80 MB.
    assert resident_bytes() - after_warm_up < 4_000_000


@pytest.mark.slow
def test_contexts_that_come_and_go_take_no_memory() -> None:
    dim, context_dim, arms, cycles = 4, 3, 1000, 200_000
    rng = np.random.default_rng(1)
    X = rng.standard_normal((4096, dim)).astype(np.float32)
    C = rng.standard_normal((4096, context_dim)).astype(np.float32)
    bandit = Bandit(dim, max_pending=100, context_dim=context_dim)
    population = Population(dim, max_pending=20, order_budget=2_000_000, context_dim=context_dim)
    for one in (bandit, population):
        one.add_arms(range(arms), X[:arms])
    after_warm_up = 0
    for cycle in range(cycles):
        # Some contexts recur and get orders; others come once, with some 4096 values.
        context = C[cycle % 8] if cycle % 2 else C[cycle % 4096] + (cycle % 997) / 997
        learner = cycle % 20 if cycle % 2 else f"guest {cycle // 6}"
        decision, own = bandit.choose(context=context), population.choose(learner, context=context)
        if cycle % 3:
            bandit.learn(decision, 0.5)
            population.learn(learner, own, 0.5)
        if cycle % 6 == 5:
            population.forget(f"guest {cycle // 6}")
        if cycle % 10 == 0:
            population.choose_for([0, 1, 0], C[[1, 2, cycle % 4096]])
        if cycle % 4 == 0:
            for one in (bandit, population):
                one.remove_arms([cycle // 4])
                one.add_arms([arms + cycle // 4], X[[cycle % 4096]])
        if cycle == cycles // 5:
            after_warm_up = resident_bytes()
    assert len(bandit) == len(population) == arms
    assert len(population.learners) <= 21
    # A leak of a hundred bytes a cycle would be 16 MB.
    assert resident_bytes() - after_warm_up < 4_000_000
