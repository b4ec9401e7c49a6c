"""Steps a rival through the problem and takes times, memory and regret."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pathlib
import resource
import signal
import time
from collections.abc import Callable

import numpy as np

from .problem import Problem, make_arms
from .rival import Impossible, MustRebuild, Rival

CHECKPOINTS = (10, 20, 50, 100, 200, 500, 1000, 2000)
STEADY_AFTER = 500
CHECKS = 200  # choices that are held against an exact argmax
CLOSE = 1e-5  # of the best score: what single precision cannot tell apart


@dataclasses.dataclass(frozen=True)
class Limits:
    """In seconds. What is over its limit is cut off, in the worst case killed."""

    set_up: int
    stepping: int
    changing: int


def resident_bytes() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class OtherWork:
    """How many cores were busy with something else: times taken beside other
    work are no measurements, and threads that wait for each other suffer most."""

    SHORTEST = 0.5  # seconds: the kernel counts in hundredths

    def __init__(self) -> None:
        self.start = self.now()

    @staticmethod
    def now() -> tuple[float, float, float]:
        first = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0]
        user, nice, system, _, _, irq, softirq, steal = map(int, first.split()[1:9])
        busy = user + nice + system + irq + softirq + steal
        own = resource.getrusage(resource.RUSAGE_SELF)
        return (
            busy / os.sysconf("SC_CLK_TCK"),
            own.ru_utime + own.ru_stime,
            time.perf_counter(),
        )

    def cores(self) -> float | None:
        busy, own, wall = (
            end - start for end, start in zip(self.now(), self.start, strict=True)
        )
        return max(0.0, busy - own) / wall if wall >= self.SHORTEST else None


def seconds_of(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def kill_after(seconds: int) -> None:
    """The alarm has no handler: it ends the process even within foreign code,
    and whoever started it sees in which phase."""
    signal.alarm(seconds)


class Trace:
    """What happened at each step."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.choose_ns: list[int] = []
        self.update_ns: list[int] = []
        self.arms: list[int] = []
        self.rewards: list[float] = []
        self.checks: list[tuple[np.ndarray, int]] = []  # parameter, arm chosen

    def recall(self) -> float | None:
        """Computed when all is over: scans in between would spoil the caches of
        those who are checked."""
        found = [is_best(self.problem, theta, arm) for theta, arm in self.checks]
        return float(np.mean(found)) if found else None

    def checkpoints(self) -> dict[str, dict[str, float | str]]:
        gaps = self.problem.best - self.problem.means[self.arms].astype(np.float64)
        regret, reward = np.cumsum(gaps), np.cumsum(self.rewards)
        steps = [step for step in CHECKPOINTS if step < len(self.arms)]
        return {
            str(step): {
                "regret": float(regret[step - 1]),
                "reward": float(reward[step - 1]),
                "digest": digest(self.arms[:step]),
            }
            for step in [*steps, len(self.arms)]
        }

    def figures(self) -> dict[str, object]:
        if not self.arms:
            return {"steps": 0}
        choices = np.asarray(self.choose_ns) / 1000
        figures: dict[str, object] = {
            "steps": len(self.arms),
            "choose_p50_us": float(np.median(choices)),
            "choose_p99_us": float(np.quantile(choices, 0.99)),
            "choose_mean_us": float(choices.mean()),
            "choose_max_us": float(choices.max()),
            "update_p50_us": float(np.median(self.update_ns)) / 1000,
            "update_mean_us": float(np.mean(self.update_ns)) / 1000,
            "cumulative_reward": float(np.sum(self.rewards)),
            "checkpoints": self.checkpoints(),
            "recall": self.recall(),
            "recall_checks": len(self.checks),
        }
        if len(choices) > STEADY_AFTER:
            steady = choices[STEADY_AFTER:]
            figures["steady_p50_us"] = float(np.median(steady))
            figures["steady_p99_us"] = float(np.quantile(steady, 0.99))
        return figures


def digest(arms: list[int]) -> str:
    return hashlib.sha256(np.asarray(arms, dtype=np.int64).tobytes()).hexdigest()[:16]


def is_best(problem: Problem, theta: np.ndarray, arm: int) -> bool:
    """By scores, not by ids: arms may be as good as equal."""
    best = float((problem.arms @ theta.astype(np.float32)).max())
    score = float(problem.arms[arm].astype(np.float64) @ theta)
    return score >= best - CLOSE * abs(best)


def step_through(rival: Rival, problem: Problem, limit: float) -> Trace:
    """Until all noise is used up or the limit is reached. Only choosing and
    learning count as time; making rewards and checking choices do not."""
    trace = Trace(problem)
    theta = getattr(rival, "theta", None)
    steps = len(problem.noise)
    check_every = max(1, steps // CHECKS)
    spent = 0
    for step in range(steps):
        start = time.perf_counter_ns()
        arm = rival.choose()
        chosen = time.perf_counter_ns()
        if theta is not None and step % check_every == 0:
            trace.checks.append((np.array(theta()), arm))
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
    """Takes out one arm in a hundred, puts in as many new ones."""
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
        # What was put off until now belongs to the change.
        row["choose_after_change_us"] = 1e6 * seconds_of(lambda: rival.choose())
    return row
