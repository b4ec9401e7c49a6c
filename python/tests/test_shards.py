"""Arms in shards: the decisions of one process, mostly without a message."""

from __future__ import annotations

import pickle
import statistics
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import manyarms
from manyarms._core import ArmShard, ShardedBandit

SHARDS = 4


class Cluster:
    """A learner and its shards in one process, with the messages between them."""

    def __init__(self, **options: Any) -> None:
        self.learner = ShardedBandit(**options)
        self.shards = [ArmShard(**options) for _ in range(SHARDS)]

    def change(self, kind: str, ids: NDArray[np.uint64], *rows: NDArray[np.float32]) -> None:
        """Lets shards and then the learner add, update or remove arms."""
        for place, shard in enumerate(self.shards):
            here = ids % SHARDS == place
            getattr(shard, kind)(ids[here], *(row[here] for row in rows))
        told = {"add": "added", "update": "updated", "remove": "removed"}[kind]
        getattr(self.learner, told)(ids, *rows)

    def choose(self, context: Any = None) -> manyarms.Decision:
        while (decision := self.learner.choose(context)) is None:
            question = self.learner.question()
            self.learner.answer([shard.top(question, 1) for shard in self.shards])
        if self.learner.wants_survey():
            request = self.learner.survey_request()
            self.learner.adopt([shard.survey(request) for shard in self.shards])
        return decision

    def choose_best(self, count: int, ids: NDArray[np.uint64]) -> list[manyarms.Decision]:
        while (slate := self.learner.choose_best(count, among=ids)) is None:
            question = self.learner.question()
            self.learner.answer([
                self.shards[place].top(question, count, ids=ids[ids % SHARDS == place])
                for place in np.unique(ids % SHARDS)])
        return slate

    def choose_masked(self, count: int, modulus: int) -> list[manyarms.Decision]:
        masks = [shard.ids() % modulus == 0 for shard in self.shards]
        number = int(sum(mask.sum() for mask in masks))
        while (slate := self.learner.choose_best(count, eligible=number)) is None:
            question = self.learner.question()
            self.learner.answer([shard.top(question, count, mask=mask)
                                 for shard, mask in zip(self.shards, masks, strict=True)])
        return slate


def arms(count: int, dim: int, seed: int = 1) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Ids and features."""
    rows = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return np.arange(count, dtype=np.uint64), rows


def both(count: int, **options: Any) -> tuple[Cluster, manyarms.Bandit, NDArray[np.float32]]:
    """A cluster and a bandit in one process with the same arms, and their features."""
    ids, rows = arms(count, options["dim"])
    cluster = Cluster(**options)
    cluster.change("add", ids, rows)
    whole = manyarms.Bandit(**options)
    whole.add_arms(ids, rows)
    return cluster, whole, rows


@pytest.mark.parametrize("policy", ["ts", "ucb"])
def test_most_choices_need_no_message(policy: str) -> None:
    cluster, whole, rows = both(100_000, dim=16, policy=policy, seed=3)
    theta = np.random.default_rng(0).normal(size=16).astype(np.float32)
    noise = np.random.default_rng(2)
    first_hundred: float = 0
    for step in range(2_000):
        decision = cluster.choose()
        assert decision == whole.choose()
        reward = float(rows[decision.arm] @ theta + noise.normal())
        cluster.learner.learn(decision, reward)
        whole.learn(decision, reward)
        if step == 99:
            first_hundred = cluster.learner.stats["sent"]
    stats = cluster.learner.stats
    unsent = 1 - (stats["sent"] - first_hundred) / 1_900
    assert stats["choices"] == 2_000
    assert unsent >= 0.95
    # Nothing here depends on time: it is 24 for ts, 16 for ucb.
    assert stats["sent"] <= 32
    assert stats["known_arms"] < 5_000
    assert (cluster.learner.mean == whole.mean).all()


def test_arms_come_change_and_go() -> None:
    cluster, whole, rows = both(20_000, dim=8, seed=5)
    random = np.random.default_rng(4)
    theta = random.normal(size=8).astype(np.float32)
    features = dict(enumerate(rows))
    fresh = 20_000
    for step in range(600):
        if step % 10 == 0:
            ids = np.arange(fresh, fresh + 5, dtype=np.uint64)
            fresh += 5
            more = random.normal(size=(5, 8)).astype(np.float32) * 1.5
            cluster.change("add", ids, more)
            whole.add_arms(ids, more)
            features.update(zip(ids.tolist(), more, strict=True))
        decision = cluster.choose()
        assert decision == whole.choose()
        if step % 7 == 0:
            chosen = np.array([decision.arm], dtype=np.uint64)
            cluster.change("remove", chosen)
            whole.remove_arms(chosen)
        elif step % 7 == 1:
            chosen = np.array([decision.arm], dtype=np.uint64)
            row = random.normal(size=(1, 8)).astype(np.float32)
            cluster.change("update", chosen, row)
            whole.update_arms(chosen, row)
        reward = float(features[decision.arm] @ theta + random.normal())
        cluster.learner.learn(decision, reward)
        whole.learn(decision, reward)
        if step % 50 == 0:
            some = random.choice(cluster.shards[0].ids(), 40, replace=False)
            assert cluster.choose_best(3, some) == whole.choose_many(3, eligible=some)
            mask = np.asarray(whole.ids) % 11 == 0
            assert cluster.choose_masked(4, 11) == whole.choose_many(4, eligible=mask)
    assert 0 < cluster.learner.stats["sent"] < 600
    assert len(cluster.learner) == len(whole) == sum(map(len, cluster.shards))


def test_contexts_are_always_sent() -> None:
    cluster, whole, _ = both(5_000, dim=4, context_dim=2, seed=6)
    for step in range(50):
        context = np.array([step % 3, 1], dtype=np.float32)
        decision = cluster.choose(context)
        assert decision == whole.choose(context=context)
        cluster.learner.learn(decision, step % 5)
        whole.learn(decision, step % 5)
    assert cluster.learner.stats["sent"] == 50
    assert not cluster.learner.wants_survey()
    with pytest.raises(manyarms.errors.UnsupportedError, match="contexts"):
        cluster.learner.survey_request()


def test_rewards_of_arms_without_decisions() -> None:
    cluster, whole, _ = both(1_000, dim=4, negative_rewards=True, seed=9)
    for step in range(100):
        arm = 37 * step % 1_000
        sent = [cluster.shards[arm % SHARDS].send([arm])]
        cluster.learner.observe_arms(sent, [arm], [step / 7])
        whole.observe(arm, step / 7)
    arms = np.array([5, 800, 5, 3, 99, 401])
    sent = [cluster.shards[shard].send(np.unique(arms[arms % SHARDS == shard]))
            for shard in range(SHARDS)]
    cluster.learner.observe_arms(sent, arms, np.arange(6) / 3)
    whole.observe_many(arms, np.arange(6) / 3)
    assert (cluster.learner.mean == whole.mean).all()
    assert cluster.choose() == whole.choose()


def test_a_learner_is_saved() -> None:
    cluster, whole, rows = both(5_000, dim=4, seed=8)
    theta = np.array([1, -1, 0.5, 2], dtype=np.float32)
    for step in range(300):
        decision = cluster.choose()
        assert decision == whole.choose()
        cluster.learner.learn(decision, float(rows[decision.arm] @ theta))
        whole.learn(decision, float(rows[decision.arm] @ theta))
        if step == 150:
            cluster.learner = ShardedBandit.load(cluster.learner.save())
            assert cluster.learner.choose() is None
        if step == 200:
            cluster.learner = pickle.loads(pickle.dumps(cluster.learner))
    saved = cluster.learner.save()
    with pytest.raises(manyarms.errors.CorruptFileError):
        ShardedBandit.load(saved[:-1])


def test_options_are_arguments() -> None:
    learner = ShardedBandit(dim=3, policy="ucb", exploration=0.5, forgetting=0.99)
    assert ShardedBandit(**learner.options).options == learner.options
    assert ArmShard(**learner.options).options == learner.options


@pytest.mark.parametrize("options", [
    {"policy": "elim"}, {"search": "hnsw"}, {"search": "lsh"}, {"explore_uniform": 0.1}])
def test_what_needs_all_arms_in_one_place_is_refused(options: dict[str, Any]) -> None:
    for kind in (ArmShard, ShardedBandit):
        with pytest.raises(manyarms.errors.UnsupportedError, match="shards"):
            kind(dim=3, **options)


def test_bad_input() -> None:
    cluster, _, rows = both(1_000, dim=4)
    learner, shard = cluster.learner, cluster.shards[0]
    errors = manyarms.errors
    with pytest.raises(errors.OutdatedError, match="choose again"):
        learner.question()
    assert learner.choose() is None
    question = learner.question()
    answers = [each.top(question, 1) for each in cluster.shards]
    with pytest.raises(errors.InvalidArgumentError, match="750 arms.* 1000"):
        learner.answer(answers[:3])
    with pytest.raises(errors.DuplicateIdError):
        learner.answer([answers[0]] * SHARDS)
    with pytest.raises(errors.CorruptFileError):
        learner.answer([b"", *answers[1:]])
    with pytest.raises(TypeError):
        learner.answer(["text"])
    with pytest.raises(errors.CorruptFileError):
        shard.top(question[:-3], 1)
    with pytest.raises(errors.UnknownIdError):
        shard.top(question, 1, ids=[10**9])
    with pytest.raises(errors.InvalidArgumentError, match="mask"):
        shard.top(question, 1, mask=np.ones(3, bool))
    with pytest.raises(TypeError, match="mask"):
        shard.top(question, 1, mask=[0])
    with pytest.raises(errors.InvalidArgumentError, match="one of them"):
        shard.top(question, 1, ids=[0], mask=np.ones(250, bool))
    with pytest.raises(TypeError, match="ints"):
        shard.add(["a"], rows[:1])
    with pytest.raises(errors.DuplicateIdError):
        shard.add([0], rows[:1])
    with pytest.raises(errors.InvalidArgumentError, match="same options"):
        ArmShard(dim=5).top(question, 1)
    learner.answer(answers)
    assert learner.choose() is not None
    learner.removed([3])
    with pytest.raises(errors.OutdatedError):
        learner.answer(answers)
    with pytest.raises(errors.NoArmsError):
        learner.choose_best(1, among=[])
    with pytest.raises(errors.InvalidArgumentError, match="2000"):
        learner.choose_best(1, eligible=2_000)
    assert not shard.contains([3, 10**9]).any()
    assert shard.contains([0]).all()
    assert shard.features([0]).tolist() == [rows[0].tolist()]


def test_a_choice_without_a_message_costs_little() -> None:
    cluster, whole, rows = both(100_000, dim=16, seed=3)
    theta = np.random.default_rng(0).normal(size=16).astype(np.float32)
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(3_000):
        sent = cluster.learner.stats["sent"]
        start = time.perf_counter()
        decision = cluster.learner.choose()
        took = time.perf_counter() - start
        if decision is None:
            decision = cluster.choose()
        start = time.perf_counter()
        assert decision == whole.choose()
        if cluster.learner.stats["sent"] == sent:
            ours.append(took)
            theirs.append(time.perf_counter() - start)
        reward = float(rows[decision.arm] @ theta)
        cluster.learner.learn(decision, reward)
        whole.learn(decision, reward)
    cost = statistics.median(ours[-1_000:]) / statistics.median(theirs[-1_000:])
    assert cost < 2


def test_draws_are_made_together_or_not_at_all() -> None:
    cluster, whole, _ = both(5_000, dim=4, context_dim=2, max_pending=5, seed=6)
    contexts = np.random.default_rng(2).standard_normal((4, 2)).astype(np.float32)
    first = cluster.choose(contexts[0])
    assert first == whole.choose(context=contexts[0])
    # The third draw would wait for an answer that never comes.
    learner = cluster.learner
    for _ in range(2):
        assert learner.choose_draws(4, contexts=contexts) is None
        learner.answer([shard.top(learner.question(), 1) for shard in cluster.shards])
    assert learner.choose_draws(4, contexts=contexts) is None
    learner.drop_draws()
    assert learner.pending == 1
    with pytest.raises(manyarms.errors.InvalidArgumentError):
        learner.choose_draws(4, contexts=np.full((4, 2), np.nan))
    with pytest.raises(manyarms.errors.InvalidArgumentError):
        learner.choose_draws(6, contexts=np.zeros((6, 2)))
    learner.learn(first, 1.0)
    whole.learn(first, 1.0)
    sent = learner.stats["sent"]
    while (drawn := learner.choose_draws(4, contexts=contexts)) is None:
        learner.answer([shard.top(learner.question(), 1) for shard in cluster.shards])
    assert drawn == whole.choose_many(4, "draws", contexts=contexts)
    assert learner.stats["sent"] == sent + 4
    assert learner.choose_draws(0, contexts=np.zeros((0, 2))) == []


def test_choices_are_counted_as_sent_when_all_eligible_arms_win() -> None:
    cluster, whole, _ = both(5_000, dim=4, seed=6)
    learner = cluster.learner
    assert learner.choose_best(2, among=[5, 15]) is None
    learner.answer([shard.top(learner.question(), 2, ids=np.array(ids, np.uint64))
                    for shard, ids in zip(cluster.shards, ([], [5], [], [15]))
                    if ids])
    assert learner.choose_best(2, among=[5, 15]) == whole.choose_many(2, eligible=[5, 15])
    assert learner.stats["sent"] == 1
