"""NumPy by hand: the same model and the same draws as those of manyarms."""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas
from threadpoolctl import ThreadpoolController

from ..context_problem import Task, with_constant
from ..draws import draws
from ..posterior import Posterior
from ..problem import EXPLORATION
from ..rival import Facts

FACTS = Facts(
    name="NumPy by hand",
    package="numpy",
    model="Thompson sampling, c'Mx",
    note="A choice is a triangular solve by LAPACK, the direction M'c, one matrix-vector "
    "product in single precision with OpenBLAS and two threads over features that are kept as "
    "columns, and argmax. Learning adds to the precision matrix and factors it by LAPACK. (An "
    "update of the factor takes one rotation for each coefficient, and a loop over them in "
    "Python takes longer.) The random numbers are those of manyarms; they are made before the "
    "first step and cost nothing here.",
    exact=True,
    shared_model=True,
    built="a copy by columns",
    bytes_per_arm=100,
)


def use_one_thread_for_lapack() -> None:
    """SciPy has an OpenBLAS of its own. With two threads it does not factor a matrix of
    this size faster, and takes very long if another process uses a core."""
    for library in ThreadpoolController().lib_controllers:
        if "scipy.libs" in library.filepath:
            library.set_num_threads(1)


class WidePosterior(Posterior):
    """Adds to the lower triangle only, which takes a tenth of the time of np.outer."""

    def update(self, features: np.ndarray, reward: float) -> None:
        self.precision = blas.dsyr(1.0, features, a=self.precision, lower=1,
                                   overwrite_a=1)
        self.sum += reward * features
        self._factor()


class NumpyScan:
    def __init__(self, task: Task) -> None:
        use_one_thread_for_lapack()
        self.task = task
        self.noise = EXPLORATION * draws(task.seed, task.steps, task.coefficients)
        self.start_over()

    def start_over(self) -> None:
        self.posterior = WidePosterior(self.task.coefficients, self.task.seed)
        self.choices = 0

    def set_up(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.ids = ids.copy()
        self.columns = np.ascontiguousarray(arms.T)
        self.scores = np.empty(len(ids), dtype=np.float32)

    def choose(self, context: np.ndarray) -> int:
        self.context = np.append(context.astype(np.float64), 1.0)
        sample = self.posterior.draw(self.noise[self.choices])
        self.choices += 1
        matrix = sample.reshape(len(self.context), -1)
        self.direction = (self.context @ matrix)[:-1]
        np.matmul(self.direction.astype(np.float32), self.columns, out=self.scores)
        self.chosen = int(self.scores.argmax())
        return int(self.ids[self.chosen])

    def learn(self, arm: int, reward: float) -> None:
        features = with_constant(self.columns[:, self.chosen].astype(np.float64))
        self.posterior.update(np.outer(self.context, features).ravel(), reward)

    def theta(self) -> np.ndarray:
        return self.direction
