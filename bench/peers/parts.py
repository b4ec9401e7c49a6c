"""The parts of the study: arms alone, and arms with contexts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from .context_problem import ContextProblem, Task, make_context_problem
from .context_rivals import CONTEXT_RIVALS
from .problem import Problem, make_problem
from .rival import ContextRival, Facts, Rival
from .rivals import RIVALS


@dataclasses.dataclass(frozen=True)
class Part:
    rivals: dict[str, tuple[Facts, type]]
    make_problem: Callable[[int, int, int, int], Problem | ContextProblem]
    make_rival: Callable[[type, Task], Rival | ContextRival]
    changes_arms: bool  # whether arms are replaced after all steps


PARTS = {
    "arms": Part(RIVALS, make_problem, lambda rival, task: rival(task.dim, task.seed),
                 changes_arms=True),
    "contexts": Part(CONTEXT_RIVALS, make_context_problem,
                     lambda rival, task: rival(task), changes_arms=False),
}
