"""Runs a rival on the problem and measures times, memory and regret."""

from __future__ import annotations

import hashlib
import pathlib
import resource
import time
from collections.abc import Callable

import numpy as np

from .context_problem import ContextProblem
from .problem import Problem, make_arms
from .rival import ContextRival, Impossible, MustRebuild, Rival

CHECKPOINTS = (10, 20, 50, 100, 200, 500, 1000, 2000)
STEADY_AFTER = 500
CLOSE = 1e-5  # relative difference of scores that single precision cannot resolve
AT_ONCE = 8  # parameters that are scored together when choices are checked
AFTER_CHANGE = 200  # choices after arms were changed
AFTER_CHANGE_SECONDS = 3


def resident_bytes() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def seconds_of(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


class Trace:
    """What happened at each step."""

    def __init__(self, problem: Problem | ContextProblem) -> None:
        self.problem = problem
        self.choose_ns: list[int] = []
        self.update_ns: list[int] = []
        self.arms: list[int] = []
        self.rewards: list[float] = []
        self.thetas: list[np.ndarray] = []  # of every step, if the rival has theta()

    def digest(self) -> str:
        return digest(self.arms)

    def checkpoints(self) -> dict[str, dict[str, float | str]]:
        regret = np.cumsum(self.problem.gaps(self.arms))
        reward = np.cumsum(self.rewards)
        steps = [step for step in CHECKPOINTS if step < len(self.arms)]
        return {
            str(step): {
                "regret": float(regret[step - 1]),
                "reward": float(reward[step - 1]),
                "digest": digest(self.arms[:step]),
            }
            for step in [*steps, len(self.arms)]
        }

    def times(self) -> dict[str, float]:
        choices = np.asarray(self.choose_ns) / 1000
        times = {
            "choose_p50_us": float(np.median(choices)),
            "choose_p99_us": float(np.quantile(choices, 0.99)),
            "choose_mean_us": float(choices.mean()),
            "choose_max_us": float(choices.max()),
            "update_p50_us": float(np.median(self.update_ns)) / 1000,
            "update_mean_us": float(np.mean(self.update_ns)) / 1000,
            "stepping_seconds": 1e-9 * (sum(self.choose_ns) + sum(self.update_ns)),
        }
        if len(choices) > STEADY_AFTER:
            steady = choices[STEADY_AFTER:]
            times["steady_p50_us"] = float(np.median(steady))
            times["steady_p99_us"] = float(np.quantile(steady, 0.99))
        return times


class Repeats:
    """Repetitions of the same steps. Times are medians over them; choices should be
    the same, because the seeds are."""

    SPREAD = ("choose_p50_us", "choose_mean_us", "choose_p99_us")

    def __init__(self, problem: Problem | ContextProblem) -> None:
        self.problem = problem
        self.times: list[dict[str, float]] = []
        self.first: Trace | None = None
        self.same = True

    @property
    def count(self) -> int:
        return len(self.times)

    def add(self, trace: Trace) -> None:
        self.times.append(trace.times())
        if self.first is None:
            self.first = trace
        steps = min(len(trace.arms), len(self.first.arms))
        self.same &= trace.arms[:steps] == self.first.arms[:steps]

    def figures(self) -> dict[str, object]:
        shared = set.intersection(*(set(times) for times in self.times))
        return {
            "repeats": self.count,
            "repeats_agree": self.same,
            "steps": len(self.first.arms),
            "cumulative_reward": float(np.sum(self.first.rewards)),
            "checkpoints": self.first.checkpoints(),
            **{name: float(np.median([times[name] for times in self.times]))
               for name in sorted(shared)},
            **{f"{name}_each": [times[name] for times in self.times]
               for name in self.SPREAD},
        }

    def exactness(self) -> dict[str, object]:
        """Compares choices with a scan. Called at the end, because scans in between
        would evict the rival's data from the caches."""
        if not self.first.thetas:
            return {}
        inexact = count_inexact(self.problem, self.first.thetas, self.first.arms)
        steps = len(self.first.arms)
        return {"recall": 1 - inexact / steps, "inexact_choices": inexact}


def digest(arms: list[int]) -> str:
    return hashlib.sha256(np.asarray(arms, dtype=np.int64).tobytes()).hexdigest()[:16]


def count_inexact(
    problem: Problem | ContextProblem, thetas: list[np.ndarray], chosen: list[int]
) -> int:
    """Counts choices whose score is below the best. Compares scores, not ids, because
    two arms may have nearly equal scores."""
    wrong = 0
    for start in range(0, len(thetas), AT_ONCE):
        some = np.array(thetas[start:start + AT_ONCE])
        best = (some.astype(np.float32) @ problem.arms.T).max(axis=1)
        arms = problem.arms[chosen[start:start + AT_ONCE]].astype(np.float64)
        scores = (some * arms).sum(axis=1)
        wrong += int((scores < best - CLOSE * np.abs(best)).sum())
    return wrong


def step_through(
    rival: Rival | ContextRival, problem: Problem | ContextProblem, limit: float
) -> Trace:
    """Steps until all noise is used or the limit in seconds is reached. Only choosing
    and learning are timed, not making rewards."""
    trace = Trace(problem)
    theta = getattr(rival, "theta", None)
    spent = 0
    for step in range(len(problem.noise)):
        arguments = problem.arguments(step)
        start = time.perf_counter_ns()
        arm = rival.choose(*arguments)
        chosen = time.perf_counter_ns()
        if theta is not None:
            trace.thetas.append(np.array(theta()))
        reward = problem.reward(arm, step)
        before = time.perf_counter_ns()
        rival.learn(arm, reward)
        after = time.perf_counter_ns()
        trace.choose_ns.append(chosen - start)
        trace.update_ns.append(after - before)
        trace.arms.append(arm)
        trace.rewards.append(reward)
        spent += chosen - start + after - before
        if spent > limit * 1e9:
            break
    return trace


def change_arms(
    rival: Rival, problem: Problem, set_up_seconds: float, seed: int
) -> dict[str, object]:
    """Removes one arm in a hundred, adds as many new ones, and takes more steps."""
    count, dim = problem.arms.shape
    changed = max(1, count // 100)
    old = np.random.default_rng([seed, 3]).choice(count, changed, replace=False)
    new_ids = np.arange(count, count + changed)
    new_arms = make_arms(changed, dim, 4, seed)
    row: dict[str, object] = {}
    actions = {
        "remove": lambda: rival.remove(old),
        "add": lambda: rival.add(new_ids, new_arms),
    }
    for name, action in actions.items():
        key = f"{name}_one_percent_seconds"
        try:
            row[key] = seconds_of(action)
        except MustRebuild as reason:
            row[key] = set_up_seconds
            row[f"{name}_note"] = f"set up anew: {reason}"
        except Impossible as reason:
            row[key] = None
            row[f"{name}_note"] = str(reason)
    if row["add_one_percent_seconds"] is not None:
        row.update(step_on(rival, problem, new_arms))
    return row


def step_on(
    rival: Rival, problem: Problem, new_arms: np.ndarray
) -> dict[str, object]:
    """Times choices after the change, since a rival may postpone work until then."""
    means = np.concatenate([problem.means, new_arms @ problem.taste])
    times: list[float] = []
    start = time.perf_counter()
    while len(times) < AFTER_CHANGE:
        before = time.perf_counter()
        arm = rival.choose()
        times.append(time.perf_counter() - before)
        if time.perf_counter() - start > AFTER_CHANGE_SECONDS:
            break
        noise = problem.noise[len(times) % len(problem.noise)]
        rival.learn(arm, float(means[arm]) + float(noise))
    return {
        "choose_after_change_us": 1e6 * times[0],
        "choose_after_change_p50_us": 1e6 * float(np.median(times)),
        "choices_after_change": len(times),
    }
