"""What the study runs: cells, each with its settings, and how a cell is run."""

from __future__ import annotations

import dataclasses
import time
import typing
from collections.abc import Callable, Iterator

import numpy as np
import players

import manyarms
from manyarms import sim

Settings = dict[str, typing.Any]
DIM = 16
CLICK_RATES = (0.02, 0.2)
EXPLORATIONS = (0.05, 0.1, 0.2, 0.4, 0.8)  # of the linear model
FORGETTINGS = (0.999, 0.995, 0.99, 0.97)
BINS = 20
SECONDS = 600  # after which a player in Python stops
REFITTING_SECONDS = 15  # the same for one that fits everything anew each time


@dataclasses.dataclass(frozen=True)
class Scale:
    """How much is run. Tests run less."""

    steps: int = 20_000
    click_worlds: int = 20
    cause_worlds: int = 10
    click_arms: tuple[int, ...] = (5_000, 100_000)
    changing_worlds: int = 6
    changing_arms: int = 1_000
    changing_steps: int = 10_000
    click_rival_worlds: int = 5
    changing_rival_worlds: int = 3
    rival_arms: int = 1_000
    rival_steps: int = 5_000
    cost_worlds: int = 2
    cost_arms: int = 100_000
    calibration_worlds: int = 5
    calibration_arms: int = 5_000


class Cell(typing.NamedTuple):
    settings: Settings
    run: Callable[[], dict[str, typing.Any]]


def rounded(values: list[float]) -> list[float]:
    return [round(value, 2) for value in values]


def figures(row: dict[str, typing.Any]) -> dict[str, typing.Any]:
    """What is kept of a row of the simulation."""
    return {"regret": row["regret"], "steps_made": row["steps"],
            "choice_us": row["latency_us.mean"],
            "step_us": 1e6 * row["run_seconds"] / row["steps"],
            "arms_scored": row["arms_scored"] / row["steps"],
            "curve": [row["curve.step"][9::10], rounded(row["curve.regret"][9::10])]}


def simulate(policy: str, world: Settings, **options: typing.Any) -> dict[str, typing.Any]:
    search = options.pop("search", "certified")
    exploration = options.pop("exploration")
    (row,) = sim.simulate(policy, search, exploration, dim=DIM, add=0, **world, **options)
    return figures(row)


def play(make: Callable[[players.Features], players.Player],
         world: Settings, limit: float = SECONDS) -> dict[str, typing.Any]:
    """The same for a player in Python, who stops when the time is up."""
    world = dict(world)
    steps = world.pop("steps")
    environment = sim.Synthetic(dim=DIM, add=0, **world)
    player = make(environment.features(range(environment.arms_at_start)))
    choosing = learning = regret = 0.0
    made = 0
    curve: tuple[list[int], list[float]] = ([], [])
    for step in range(1, steps + 1):
        environment.advance()
        start = time.perf_counter()
        arm = player.choose()
        chosen = time.perf_counter()
        reward = environment.reward(arm)
        taught = time.perf_counter()
        player.learn(arm, reward)
        learning += time.perf_counter() - taught
        choosing += chosen - start
        regret += environment.regret(arm)
        made = step
        if step % max(steps // 20, 1) == 0:
            curve[0].append(step)
            curve[1].append(regret)
        if choosing + learning > limit:
            break
    return {"regret": regret, "steps_made": made, "choice_us": 1e6 * choosing / made,
            "step_us": 1e6 * (choosing + learning) / made, "curve": [curve[0], rounded(curve[1])]}


def clicks(scale: Scale) -> Iterator[Cell]:
    """The logistic model, untuned, beside the linear one with each exploration."""
    ways = [("logistic", "clicks", 1.0),
            *(("linear", "linear", exploration) for exploration in EXPLORATIONS)]
    for seed in range(1, scale.click_worlds + 1):
        for arms in scale.click_arms:
            for rate in CLICK_RATES:
                world = {"arms": arms, "click_rate": rate, "seed": seed,
                         "steps": scale.steps}
                for name, rewards, exploration in ways:
                    yield Cell(
                        {"part": "clicks", "way": name, "exploration": exploration, **world},
                        lambda world=world, rewards=rewards, exploration=exploration: simulate(
                            "ts", world, rewards=rewards, exploration=exploration))


def fitting_prior() -> manyarms.Prior:
    """Of the width that coefficients have in these worlds, 1 / sqrt(15), and with an
    intercept that may be anything."""
    return manyarms.Prior(np.zeros(DIM), np.diag([DIM - 1.0] * (DIM - 1) + [0.05]))


class FittingPrior:
    def __init__(self, features: players.Features, seed: int) -> None:
        self.bandit = manyarms.Bandit(DIM, "ts", exploration=1.0, rewards="clicks",
                                      prior=fitting_prior(), seed=seed)
        self.bandit.add_arms(range(len(features)), features)

    def choose(self) -> int:
        self.decision = self.bandit.choose()
        return int(self.decision.arm)

    def learn(self, arm: int, reward: float) -> None:
        self.bandit.learn(self.decision, reward)


def causes(scale: Scale) -> Iterator[Cell]:
    """What makes the logistic model's regret. These rows were added after those of
    clicks had been seen: more regularisation, half the exploration, and a prior that
    is narrow for all coefficients but the intercept."""
    ways = [("more regularisation", 15.0, 1.0), ("half exploration", 1.0, 0.5)]
    for seed in range(1, scale.cause_worlds + 1):
        for arms in scale.click_arms:
            for rate in CLICK_RATES:
                world = {"arms": arms, "click_rate": rate, "seed": seed,
                         "steps": scale.steps}
                settings = {"part": "causes", **world}
                for name, regularisation, exploration in ways:
                    yield Cell(
                        {**settings, "way": name, "regularisation": regularisation,
                         "exploration": exploration},
                        lambda world=world, regularisation=regularisation,
                        exploration=exploration: simulate(
                            "ts", world, rewards="clicks", exploration=exploration,
                            regularisation=regularisation))
                yield Cell({**settings, "way": "fitting prior"},
                           lambda world=world, seed=seed: play(
                               lambda features: FittingPrior(features, seed), world))


CHANGES: dict[str, Settings] = {"turning": {"turn_every": 2_500}, "drifting": {"drift": 0.0005}}


def changes(scale: Scale) -> Iterator[Cell]:
    """Forgetting in worlds that turn and drift."""
    for seed in range(1, scale.changing_worlds + 1):
        for change, options in CHANGES.items():
            world = {"arms": scale.changing_arms, "seed": seed,
                     "steps": scale.changing_steps, **options}
            for policy, exploration in (("ts", 1.0), ("ucb", 2.0)):
                for forgetting in (1.0, *FORGETTINGS):
                    yield Cell(
                        {"part": "changes", "way": policy, "forgetting": forgetting,
                         "change": change, **world},
                        lambda world=world, policy=policy, forgetting=forgetting,
                        exploration=exploration: simulate(
                            policy, world, forgetting=forgetting, exploration=exploration))
            for forgetting in FORGETTINGS:
                yield Cell(
                    {"part": "changes", "way": "numpy", "forgetting": forgetting,
                     "change": change, **world},
                    lambda world=world, forgetting=forgetting: play(
                        lambda features: players.DiscountedLinUCB(
                            features, forgetting, exploration=2.0), world))


def changes_rivals(scale: Scale) -> Iterator[Cell]:
    for seed in range(1, scale.changing_rival_worlds + 1):
        for change, options in CHANGES.items():
            world = {"arms": scale.changing_arms, "seed": seed,
                     "steps": scale.changing_steps, **options}
            for forgetting in (0.99,):
                yield Cell(
                    {"part": "changes", "way": "bayesianbandits", "forgetting": forgetting,
                     "change": change, **world},
                    lambda world=world, forgetting=forgetting, seed=seed: play(
                        lambda features: players.BayesianBandits(
                            features, seed, clicks=False, forgetting=forgetting), world))


def cost(scale: Scale) -> Iterator[Cell]:
    """What forgetting costs certified search, beside a scan for a tenth of the steps."""
    for seed in range(1, scale.cost_worlds + 1):
        for policy, exploration in (("ts", 1.0), ("ucb", 2.0)):
            for search, steps in (("certified", scale.steps), ("scan", scale.steps // 10)):
                for change, options in (("none", {}), ("turning", {"turn_every": scale.steps // 4}),
                                        ("drifting", {"drift": 0.0005})):
                    for forgetting in (1.0, 0.999, 0.99) if search == "certified" else (1.0, 0.99):
                        world = {"arms": scale.cost_arms, "seed": seed, "steps": steps, **options}
                        yield Cell(
                            {"part": "cost", "way": policy, "search": search, "change": change,
                             "forgetting": forgetting, **world},
                            lambda world=world, policy=policy, search=search,
                            forgetting=forgetting, exploration=exploration: simulate(
                                policy, world, search=search, forgetting=forgetting,
                                exploration=exploration))


class Reliability:
    """Predicted probabilities in bins of equal width, with the clicks that came."""

    def __init__(self) -> None:
        self.count = np.zeros(BINS, dtype=int)
        self.predicted = np.zeros(BINS)
        self.clicked = np.zeros(BINS)

    def add(self, probability: float, click: float) -> None:
        at = min(int(probability * BINS), BINS - 1)
        self.count[at] += 1
        self.predicted[at] += probability
        self.clicked[at] += click

    def row(self) -> dict[str, list[float]]:
        return {"count": self.count.tolist(), "predicted": self.predicted.tolist(),
                "clicked": self.clicked.tolist()}


def predicted_clicks(world: Settings, steps: int) -> dict[str, typing.Any]:
    """Predictions of the arm that is chosen, before its click, and of one at random,
    which is not learned from."""
    environment = sim.Synthetic(dim=DIM, add=0, **world)
    arms = environment.arms_at_start
    features = environment.features(range(arms))
    bandit = manyarms.Bandit(DIM, "ts", exploration=1.0, rewards="clicks", seed=world["seed"])
    bandit.add_arms(range(arms), features)
    random = np.random.default_rng(world["seed"])
    chosen, anyone, early = Reliability(), Reliability(), Reliability()
    for step in range(steps):
        environment.advance()
        decision = bandit.choose()
        arm, other = int(decision.arm), int(random.integers(arms))
        probability = bandit.predict(features[arm])
        reward = environment.reward(arm)
        (early if step < steps // 10 else chosen).add(probability, reward)
        anyone.add(bandit.predict(features[other]), environment.reward(other))
        bandit.learn(decision, reward)
    return {"chosen": chosen.row(), "early": early.row(), "random": anyone.row()}


def calibration(scale: Scale) -> Iterator[Cell]:
    for seed in range(1, scale.calibration_worlds + 1):
        for rate in CLICK_RATES:
            world = {"arms": scale.calibration_arms, "click_rate": rate, "seed": seed}
            yield Cell({"part": "calibration", "steps": scale.steps, **world},
                       lambda world=world: predicted_clicks(world, scale.steps))


def clicks_rivals(scale: Scale) -> Iterator[Cell]:
    """Logistic policies of other libraries, in smaller worlds."""
    for seed in range(1, scale.click_rival_worlds + 1):
        for rate in CLICK_RATES:
            world = {"arms": scale.rival_arms, "click_rate": rate, "seed": seed,
                     "steps": scale.rival_steps}
            settings = {"part": "clicks rivals", **world}
            yield Cell({**settings, "way": "manyarms"}, lambda world=world: simulate(
                "ts", world, rewards="clicks", exploration=1.0))
            yield Cell({**settings, "way": "bayesianbandits"},
                       lambda world=world, seed=seed: play(
                           lambda features: players.BayesianBandits(
                               features, seed, clicks=True), world))
            for policy in ("LogisticTS", "LogisticUCB"):
                if seed > 1:  # one world shows how far they get
                    continue
                yield Cell({**settings, "way": f"contextualbandits {policy}"},
                           lambda world=world, seed=seed, policy=policy: play(
                               lambda features: players.ContextualBandits(
                                   features, seed, policy), world, REFITTING_SECONDS))


PARTS: dict[str, Callable[[Scale], Iterator[Cell]]] = {
    "clicks": clicks, "causes": causes, "changes": changes, "calibration": calibration, "cost": cost,
    "clicks-rivals": clicks_rivals, "changes-rivals": changes_rivals}
