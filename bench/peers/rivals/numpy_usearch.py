"""NumPy's posterior with usearch's HNSW graph."""

from __future__ import annotations

import numpy as np

from ..posterior import BUILD_EFFORT, LINKS, Indexed
from ..rival import Facts

FACTS = Facts(
    name="NumPy + usearch",
    package="usearch",
    model="Thompson sampling, shared ridge",
    note="Metric ip in single precision, connectivity 16, expansion_add 200, "
    "expansion_search 32 (in the trial 16 found 97.02 % of the best arms and 32 found "
    "99.93 %). The graph is built with 2 threads.",
    built="a graph: connectivity 16, expansion_add 200",
    exact=False,
    shared_model=True,
    arms_come_and_go="add, remove",
    deletes_for_real="no: marked; compact=True takes out links",
    delayed_rewards="by hand",
    save_load="the index",
    k_best="yes",
    eligibility="not in Python",
    threads="concurrent by design, according to its documentation",
    user_context="by hand",
    learners="by hand",
    probabilities="no",
    click_models="by hand",
    forgetting="by hand",
    from_pypi="wheels",
    bytes_per_arm=500,
)


class UsearchGraph(Indexed):
    """usearch takes the caller's keys, so ids need no translation."""

    def __init__(self, dim: int, seed: int) -> None:
        super().__init__(dim, seed)
        from usearch.index import Index

        self.index = Index(
            ndim=dim,
            metric="ip",
            dtype="f32",
            connectivity=LINKS,
            expansion_add=BUILD_EFFORT,
            expansion_search=32,
        )

    def build(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.index.add(ids.astype(np.uint64), arms, threads=2)

    def nearest(self, query: np.ndarray) -> int:
        return int(self.index.search(query, 1, threads=1).keys[0])

    def remove(self, ids: np.ndarray) -> None:
        self.index.remove(ids.astype(np.uint64), threads=2)

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.append(arms)
        self.build(ids, arms)
