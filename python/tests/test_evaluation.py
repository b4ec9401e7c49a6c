"""Off-policy evaluation: against Open Bandit Pipeline, and against NumPy."""

from __future__ import annotations

import importlib
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import manyarms
from manyarms import evaluation
from manyarms.errors import (
    CorruptFileError,
    Error,
    InvalidArgumentError,
    NoArmsError,
    UnknownIdError,
    UnsupportedError,
)

ARMS, DIM = 6, 3


def softmax(scores):
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


class SimulatedLog:
    """Choices of one policy, the probabilities of another, and a wrong model."""

    def __init__(self, seed, choices=2000, arms=ARMS):
        rng = np.random.default_rng(seed)
        self.logging = softmax(0.7 * rng.normal(size=(choices, arms)))
        self.policy = softmax(rng.normal(size=(choices, arms)))
        self.model = rng.normal(size=(choices, arms))
        below = self.logging.cumsum(axis=1) < rng.random((choices, 1))
        self.arms = below.sum(axis=1).clip(max=arms - 1)
        rows = np.arange(choices)
        self.rewards = self.model[rows, self.arms] + 1 + rng.normal(size=choices)
        self.logged = self.logging[rows, self.arms]
        self.target = self.policy[rows, self.arms]
        self.of_logged = self.model[rows, self.arms]
        self.of_target = (self.policy * self.model).sum(axis=1)


def in_numpy(log, clip, level=0.95):
    """The estimates from their definitions: (value, standard error, low, high)."""
    w = np.minimum(log.target / log.logged, clip)
    n, r = len(w), log.rewards
    size = w.sum() ** 2 / (w**2).sum()
    snips = (w * r).sum() / w.sum()
    terms = {
        "ips": w * r,
        "snips": snips + w * (r - snips) / w.mean(),
        "dr": log.of_target + w * (r - log.of_logged),
    }
    reach = stats.t.ppf((1 + level) / 2, size - 1)
    estimates = {}
    for name, values in terms.items():
        error = values.std(ddof=1) / np.sqrt(n)
        mean = values.mean()
        estimates[name] = (mean, error, mean - reach * error, mean + reach * error)
    return estimates


class TestEstimators:
    @pytest.mark.parametrize("clip", [None, 2.0])
    @pytest.mark.parametrize("seed", range(3))
    def test_agree_with_numpy(self, seed, clip):
        log = SimulatedLog(seed)
        slow = in_numpy(log, np.inf if clip is None else clip, level=0.9)
        choices = (log.rewards, log.logged, log.target)
        given = {"level": 0.9, "clip": clip}
        fast = {
            "ips": evaluation.ips(*choices, **given),
            "snips": evaluation.snips(*choices, **given),
            "dr": evaluation.dr(*choices, log.of_logged, log.of_target, **given),
        }
        for name, estimate in fast.items():
            np.testing.assert_allclose(
                [estimate.value, estimate.standard_error, estimate.low, estimate.high],
                slow[name], rtol=0, atol=1e-9)

    @pytest.mark.parametrize("seed", range(3))
    def test_agree_with_open_bandit_pipeline(self, seed):
        ope = importlib.import_module("obp.ope")
        log = SimulatedLog(seed)
        feedback = {
            "reward": log.rewards,
            "action": log.arms,
            "pscore": log.logged,
            "action_dist": log.policy[:, :, None],
            "position": np.zeros(len(log.arms), dtype=int),
        }
        theirs = {
            "ips": ope.InverseProbabilityWeighting(),
            "snips": ope.SelfNormalizedInverseProbabilityWeighting(),
            "dr": ope.DoublyRobust(),
        }
        values = {
            name: estimator.estimate_policy_value(
                **feedback,
                **({"estimated_rewards_by_reg_model": log.model[:, :, None]}
                   if name == "dr" else {}))
            for name, estimator in theirs.items()
        }
        choices = (log.rewards, log.logged, log.target)
        ours = {
            "ips": evaluation.ips(*choices),
            "snips": evaluation.snips(*choices),
            "dr": evaluation.dr(*choices, log.of_logged, log.of_target),
        }
        for name, value in values.items():
            assert ours[name].value == pytest.approx(value, abs=1e-9), name
        their_direct = ope.DirectMethod().estimate_policy_value(
            action_dist=log.policy[:, :, None],
            estimated_rewards_by_reg_model=log.model[:, :, None],
            position=feedback["position"])
        assert evaluation.direct(log.of_target).value == pytest.approx(
            their_direct, abs=1e-9)

    def test_agrees_with_open_bandit_pipelines_replay(self):
        ope = importlib.import_module("obp.ope")
        log, bandit = logged_choices(uniform=True)
        # A policy that does not learn, so that both know it in advance.
        fixed = manyarms.Bandit(DIM, policy="ucb", exploration=0.0)
        fixed.add_arms(bandit.ids, bandit.features(bandit.ids))
        favourite = int(fixed.choose().arm)
        silent = dict(log, reward=np.where(log["arm"] == favourite, 0.0, log["reward"]))
        dist = np.zeros((len(log["arm"]), ARMS, 1))
        dist[:, favourite] = 1
        theirs = ope.ReplayMethod().estimate_policy_value(
            reward=silent["reward"], action=log["arm"], action_dist=dist,
            position=np.zeros(len(log["arm"]), dtype=int))
        ours = evaluation.replay(silent, fixed)
        assert ours.reward.value == pytest.approx(theirs, abs=1e-9)
        assert ours.matches == (log["arm"] == favourite).sum()

    def test_take_lists_and_columns(self):
        lists = ([1.0, 0, 1], [0.5, 0.25, 0.5], [0.5, 0.5, 0.5])
        frame = pd.DataFrame(dict(zip("rlt", lists)))
        assert evaluation.ips(*lists) == evaluation.ips(frame.r, frame.l, frame.t)
        assert evaluation.ips(*lists).value == pytest.approx(2 / 3)
        assert evaluation.mean_reward(lists[0]).value == pytest.approx(2 / 3)
        assert evaluation.weights(*lists[1:]).largest == 2

    @pytest.mark.parametrize(("logged", "target", "parts"), [
        ([0.5, 0.0], [1, 1], ["logged probability 1 is 0"]),
        ([0.5, 1.5], [1, 1], ["logged probability 1 is 1.5"]),
        ([0.5, np.nan], [1, 1], ["logged probability 1 is nan"]),
        ([0.5, 0.5], [1, -1], ["target probability 1 is -1"]),
        ([0.5, 0.5], [1], ["1 values", "2 rewards"]),
        ([0.5, 0.5], [0, 0], ["0 of 2 weights"]),
        ([[0.5, 0.5]], [1, 1], ["logged has 2 dimensions"]),
    ])
    def test_name_what_they_refuse(self, logged, target, parts):
        for estimate in (evaluation.ips, evaluation.snips):
            with pytest.raises(InvalidArgumentError) as error:
                estimate([1, 0], logged, target)
            for part in parts:
                assert part in str(error.value)

    def test_refuse_options_out_of_bounds(self):
        for options, part in (({"level": 1}, "level is 1"), ({"clip": 0}, "clip is 0")):
            with pytest.raises(InvalidArgumentError, match=part):
                evaluation.ips([1, 0], [0.5, 0.5], [1, 1], **options)


def logged_choices(count=600, uniform=False, ids=None, seed=1):
    """A log over six arms in a world of linear rewards, and a bandit that has them."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(ARMS, DIM)).astype(np.float32)
    theta = rng.normal(size=DIM)
    shares = np.full(ARMS, 1 / ARMS) if uniform else np.arange(1, ARMS + 1) / 21
    arms = rng.choice(ARMS, size=count, p=shares)
    log = {
        "arm": arms if ids is None else [ids[arm] for arm in arms],
        "reward": features[arms] @ theta + rng.normal(size=count),
        "probability": shares[arms],
        "uniform": np.full(count, uniform),
    }
    bandit = manyarms.Bandit(DIM, policy="ucb", seed=3)
    bandit.add_arms(np.arange(ARMS) if ids is None else ids, features)
    return log, bandit


class TestEvaluate:
    def test_agrees_with_a_bandit_by_hand(self):
        log, bandit = logged_choices()
        result = manyarms.evaluate(log, bandit, learn_share=0.5)
        half = 300
        twin = manyarms.Bandit(DIM, policy="ucb", seed=3)
        twin.add_arms(bandit.ids, bandit.features(bandit.ids))
        twin.observe_many(log["arm"][:half], log["reward"][:half])
        favourite = twin.choose().arm
        target = (log["arm"][half:] == favourite).astype(float)
        choices = (log["reward"][half:], log["probability"][half:], target)
        scores = twin.scores(np.arange(ARMS))
        assert result.ips == evaluation.ips(*choices)
        assert result.snips == evaluation.snips(*choices)
        assert result.dr.value == pytest.approx(evaluation.dr(
            *choices, scores[log["arm"][half:]], np.full(half, scores[favourite])).value)
        assert result.direct.value == pytest.approx(scores[favourite])
        assert result.logged == evaluation.mean_reward(log["reward"][half:])
        assert (result.learned, result.evaluated, result.passed_over) == (half, half, 0)
        assert result.weights == evaluation.weights(*choices[1:])
        # The bandit was only looked at.
        assert bandit.mean == pytest.approx(np.zeros(DIM))

    def test_takes_names_and_data_frames(self):
        names = [f"item {i}" for i in range(ARMS)]
        by_name, named = logged_choices(ids=names)
        by_number, numbered = logged_choices()
        result = manyarms.evaluate(pd.DataFrame(by_name), named)
        assert result == manyarms.evaluate(by_number, numbered)

    def test_takes_contexts_and_learners(self):
        log, bandit = logged_choices()
        rng = np.random.default_rng(5)
        log["context"] = rng.normal(size=(len(log["arm"]), 2))
        log["learner"] = ["ada" if i % 2 else 7 for i in range(len(log["arm"]))]
        shop = manyarms.Population(DIM, context_dim=2)
        shop.add_arms(bandit.ids, bandit.features(bandit.ids))
        result = manyarms.evaluate(log, shop, draws=20)
        assert result == manyarms.evaluate(log, shop, draws=20)
        assert result.evaluated == 300
        with pytest.raises(InvalidArgumentError, match="line 1: .*context"):
            manyarms.evaluate(log, bandit)

    @pytest.mark.parametrize("options", [
        {}, {"negative_rewards": True}, {"context_dim": 2, "policy": "ucb"},
    ])
    def test_knows_the_features_of_a_populations_arms(self, options):
        features = np.random.default_rng(0).normal(size=(ARMS, DIM)).astype(np.float32)
        shop = manyarms.Population(DIM, **options)
        shop.add_arms(range(ARMS), features)
        np.testing.assert_allclose(manyarms._core.all_features(shop), features, rtol=1e-6)

    def test_passes_over_what_was_not_uniform(self):
        log, bandit = logged_choices(uniform=True)
        log["uniform"][::3] = False
        del log["probability"]
        result = manyarms.evaluate(log, bandit, uniform_only=True)
        assert (result.evaluated, result.passed_over) == (200, 100)
        with pytest.raises(InvalidArgumentError, match="line 301: .*no probability"):
            manyarms.evaluate(log, bandit)

    def test_replay_counts_matches(self):
        log, bandit = logged_choices(uniform=True)
        result = evaluation.replay(log, bandit)
        twin = manyarms.Bandit(DIM, policy="ucb", seed=3)
        twin.add_arms(bandit.ids, bandit.features(bandit.ids))
        rewards = []
        for arm, reward in zip(log["arm"], log["reward"]):
            decision = twin.choose()
            if decision.arm == arm:
                twin.learn(decision, reward)
                rewards.append(reward)
        assert result.matches == len(rewards)
        assert result.reward == evaluation.mean_reward(rewards)
        assert result.offered == 600

    @pytest.mark.parametrize(("change", "error", "part"), [
        ({"arm": [99] * 600}, UnknownIdError, "line 1: there is no arm 99"),
        ({"eligible": [3] * 600}, InvalidArgumentError, "all 300 choices that could be evaluated"),
        ({"eligible": [7] * 600}, InvalidArgumentError, "line 301: 7 arms were eligible"),
        ({"probability": [0.0] * 600}, InvalidArgumentError, "line 301: probability is 0"),
        ({"probability": [1.0] * 600}, InvalidArgumentError, "probability 1"),
        ({"reward": [np.inf] * 600}, InvalidArgumentError, "line 1: reward is inf"),
        ({"reward": [1.0]}, InvalidArgumentError, "'reward' has the shape"),
        ({"context": [1.0] * 600}, InvalidArgumentError, "'context' has the shape"),
        ({"learner": ["ada"]}, InvalidArgumentError, "'learner' has the shape (1,)"),
        ({"price": [1.0] * 600}, InvalidArgumentError, "column 'price'"),
        ({"uniform": ["no"] * 600}, InvalidArgumentError, "line 1: column 'uniform' is 'no'"),
        ({"uniform": [0.0, np.nan] * 300}, InvalidArgumentError, "line 2: column 'uniform' is nan"),
        ({"uniform": [0, 2] * 300}, InvalidArgumentError, "line 2: column 'uniform' is 2"),
        ({"uniform": [True, None] * 300}, InvalidArgumentError, "'uniform' is None"),
        ({"eligible": [6, 4.7] * 300}, InvalidArgumentError, "line 2: column 'eligible' is 4.7"),
        ({"eligible": [6, -1] * 300}, InvalidArgumentError, "line 2: column 'eligible' is -1"),
        ({"eligible": [6, np.inf] * 300}, InvalidArgumentError, "column 'eligible' is inf"),
        ({"eligible": [6, 2**64] * 300}, InvalidArgumentError, "'eligible' is 18446744073709551616"),
        ({"eligible": [True] * 600}, InvalidArgumentError, "'eligible' is True"),
        ({"learner": [3, 3.7] * 300}, InvalidArgumentError, "line 2: column 'learner' is 3.7"),
        ({"learner": [3, -1] * 300}, InvalidArgumentError, "line 2: column 'learner' is -1"),
        ({"learner": ["ada", None] * 300}, InvalidArgumentError, "'learner' is None"),
        ({"reward": ["1.5"] * 600}, InvalidArgumentError, "line 1: column 'reward' is '1.5'"),
        ({"reward": [1j] * 600}, InvalidArgumentError, "column 'reward' is 1j"),
        ({"probability": [0.5, "?"] * 300}, InvalidArgumentError,
         "line 2: column 'probability' is '?'"),
        ({"line": [0] * 600}, InvalidArgumentError, "line 1: column 'line' is 0"),
        ({"line": np.arange(600) + 41, "eligible": [6, 4.7] * 300}, InvalidArgumentError,
         "line 42: column 'eligible' is 4.7"),
        ({"arm": [[1, 2]] * 600}, InvalidArgumentError, "'arm' has the shape (600, 2)"),
        ({"context": [[1.0], [1.0, 2.0]] * 300}, InvalidArgumentError, "column 'context'"),
        ({"features": [[9.0] * DIM] * 600}, InvalidArgumentError, "when it was chosen"),
    ])
    def test_names_what_it_refuses(self, change, error, part):
        log, bandit = logged_choices()
        with pytest.raises(error) as raised:
            manyarms.evaluate({**log, **change}, bandit)
        assert part in str(raised.value)

    def test_takes_whole_numbers_and_truths_of_any_type(self):
        log, bandit = logged_choices()
        result = manyarms.evaluate(log, bandit)
        half = [True, False] * 300
        mixed = manyarms.evaluate({**log, "uniform": half}, bandit)
        for same in (np.array(half, dtype=object), np.array(half, dtype=float),
                     np.array(half, dtype=np.int8), pd.array(half, dtype="boolean")):
            assert manyarms.evaluate({**log, "uniform": same}, bandit) == mixed
        for same in ([ARMS] * 600, np.full(600, 6.0), np.full(600, 6, dtype=np.int8),
                     np.array([6] * 600, dtype=object)):
            assert manyarms.evaluate({**log, "eligible": same}, bandit) == result
        unknown = {**log, "probability": [None] * 600, "uniform": [True] * 600}
        assert manyarms.evaluate(unknown, bandit).evaluated == 300

    def test_takes_choices_in_the_order_of_their_lines(self):
        log, bandit = logged_choices()
        result = manyarms.evaluate(log, bandit)
        shuffled = np.random.default_rng(2).permutation(600)
        other = {name: values[shuffled] for name, values in log.items()}
        assert manyarms.evaluate(other, bandit) != result
        assert manyarms.evaluate({**other, "line": 10 * shuffled + 7}, bandit) == result

    def test_notes_what_to_know_before_trusting_it(self):
        log, bandit = logged_choices()
        result = manyarms.evaluate({**log, "reward": np.ones(600)}, bandit)
        assert "all rewards are 1: they tell no policy from another" in result.notes
        clipped = manyarms.evaluate(log, bandit, clip=1e-3)
        assert any("weights were clipped" in note for note in clipped.notes)

    def test_leaves_choices_out_that_have_no_reward(self):
        log, bandit = logged_choices()
        there = np.arange(600) % 5 > 0
        kept = {name: values[there] for name, values in log.items()}
        holes = {**log, "reward": np.where(there, log["reward"], np.nan)}
        assert manyarms.evaluate(holes, bandit) == manyarms.evaluate(kept, bandit)

    @pytest.mark.parametrize("log", [5, None, [1, 2], np.zeros(3)])
    def test_says_what_a_log_may_be(self, log):
        _, bandit = logged_choices()
        for use in (manyarms.evaluate, evaluation.replay):
            with pytest.raises(TypeError, match="a path, or columns"):
                use(log, bandit)

    def test_refuses_a_log_without_rewards_and_options_out_of_bounds(self):
        log, bandit = logged_choices()
        with pytest.raises(InvalidArgumentError, match="no column 'reward'"):
            manyarms.evaluate({"arm": log["arm"]}, bandit)
        for options in ({"learn_share": 1}, {"draws": 0}, {"level": 0}, {"clip": -1}):
            with pytest.raises(Error):
                manyarms.evaluate(log, bandit, **options)
        elim = manyarms.Bandit(DIM, policy="elim")
        elim.add_arms(bandit.ids, bandit.features(bandit.ids))
        with pytest.raises(UnsupportedError, match="replay it"):
            manyarms.evaluate(log, elim)


class TestLogFiles:
    def write(self, path, log, ids=None, features=None):
        lines = [{"log": "manyarms", "format": 1, "population": False, "dim": DIM,
                  "context_dim": 0, "rewards": "linear"}]
        for arm, row in zip(ids if ids is not None else [], features if ids is not None else []):
            lines.append({"event": "arm", "arm": arm, "features": [float(x) for x in row]})
        for i, arm in enumerate(log["arm"]):
            lines.append({"event": "decision", "id": i + 1,
                          "arm": arm if isinstance(arm, str) else int(arm),
                          "features": [float(x) for x in self.features[arm]],
                          "score": 0, "eligible": ARMS,
                          "probability": float(log["probability"][i]),
                          "uniform": bool(log["uniform"][i])})
            lines.append({"event": "reward", "decision": i + 1,
                          "reward": float(log["reward"][i])})
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    @pytest.mark.parametrize("names", [None, [f"item {i}" for i in range(ARMS)]])
    def test_give_what_columns_give(self, tmp_path, names):
        log, bandit = logged_choices(uniform=True, ids=names)
        ids = list(bandit.ids)
        rows = bandit.features(bandit.ids)
        self.features = dict(zip(ids, rows))
        path = tmp_path / "log.jsonl"
        self.write(path, log)
        columns = manyarms.evaluate(log, bandit)
        assert manyarms.evaluate(path, bandit) == columns
        assert manyarms.evaluate(str(path), bandit) == columns
        assert evaluation.replay(path, bandit) == evaluation.replay(log, bandit)
        # The same arms from the log.
        self.write(path, log, [i if names else int(i) for i in ids], rows)
        empty = manyarms.Bandit(DIM, policy="ucb", seed=3)
        assert manyarms.evaluate(path, empty) == columns

    @pytest.mark.parametrize("population", [False, True])
    @pytest.mark.parametrize("default_reward", [None, 0.0])
    def test_with_late_rewards_give_what_their_columns_give(
            self, tmp_path, population, default_reward):
        # Clicks come late, the last one first, and what was not clicked says nothing.
        # Read in the order of rewards, the first half would be of clicks alone.
        log, plain = logged_choices(uniform=True)
        kind = manyarms.Population if population else manyarms.Bandit
        asker = kind(DIM, policy="ucb")
        asker.add_arms(plain.ids, plain.features(plain.ids))
        rows = plain.features(plain.ids)
        path = tmp_path / "log.jsonl"
        with path.open("w") as file:
            def write(line):
                file.write(json.dumps(line) + "\n")

            write({"log": "manyarms", "format": 1, "population": population, "dim": DIM,
                   "context_dim": 0, "rewards": "linear"})
            for i, arm in enumerate(log["arm"]):
                learner = {"learner": "ada" if i % 2 else 7} if population else {}
                write({"event": "decision", "id": i + 1, "arm": int(arm), **learner,
                       "features": rows[arm].astype(float).tolist(), "score": 0,
                       "eligible": ARMS, "probability": 1 / ARMS, "uniform": True})
            for i in reversed(range(len(log["arm"]))):
                learner = {"learner": "ada" if i % 2 else 7} if population else {}
                if log["reward"][i] > 0:
                    write({"event": "reward", "decision": i + 1, **learner, "reward": 1})
        columns = manyarms.read_log(path, default_reward=default_reward)
        assert not np.all(np.diff(columns["line"].astype(int)) > 0)
        frame = pd.DataFrame({name: list(values) for name, values in columns.items()})
        by_path = manyarms.evaluate(path, asker, default_reward=default_reward)
        played = evaluation.replay(path, asker, default_reward=default_reward)
        for given in (columns, frame, frame.sample(frac=1, random_state=1)):
            assert manyarms.evaluate(given, asker) == by_path
            assert evaluation.replay(given, asker) == played
        if default_reward == 0:
            assert 0.2 < by_path.logged.value < 0.8

    def test_name_what_they_refuse(self, tmp_path):
        log, bandit = logged_choices()
        self.features = dict(zip(bandit.ids, bandit.features(bandit.ids)))
        path = tmp_path / "log.jsonl"
        self.write(path, log)
        empty = manyarms.Bandit(DIM)
        with pytest.raises(NoArmsError, match="neither"):
            manyarms.evaluate(path, empty)
        named = manyarms.Bandit(DIM)
        named.add_arms(["a"], np.zeros((1, DIM)))
        with pytest.raises(InvalidArgumentError, match="have strings"):
            manyarms.evaluate(path, named)
        with pytest.raises(FileNotFoundError):
            manyarms.evaluate(tmp_path / "none.jsonl", bandit)
        with pytest.raises(InvalidArgumentError, match="for the path of a log"):
            manyarms.evaluate(log, bandit, default_reward=0.0)
        few = tmp_path / "few.jsonl"
        few.write_text(path.read_text().replace('"eligible": 6', '"eligible": 3'))
        with pytest.raises(InvalidArgumentError, match="few.jsonl: all .* some of the arms"):
            manyarms.evaluate(few, bandit)
        with path.open("a") as file:
            file.write("{")
        with pytest.raises(CorruptFileError, match="1202"):
            manyarms.evaluate(path, bandit)
        assert manyarms.evaluate(path, bandit, ignore_torn_tail=True).evaluated == 300
