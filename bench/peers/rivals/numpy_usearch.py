"""NumPy's posterior with usearch's HNSW graph."""

from __future__ import annotations

import numpy as np

from ..posterior import SHORTLIST, Shortlisted
from ..rival import Facts

FACTS = Facts(
    name="NumPy + usearch",
    package="usearch",
    model="Thompson sampling, shared ridge",
    note="Metric ip in single precision, connectivity 16, expansion_add 200, "
    "expansion_search 64, shortlist of 30 scored exactly, built with 2 threads.",
    exact=False,
    shared_model=True,
    arms_come_and_go="add, remove",
    deletes_for_real="no: marked; compact=True takes out links",
    delayed_rewards="by hand",
    save_load="the index",
    k_best="yes",
    eligibility="not in Python",
    bytes_per_arm=500,
)


class UsearchGraph(Shortlisted):
    """Keys are the caller's, so that ids go in as they are."""

    def __init__(self, dim: int, seed: int) -> None:
        super().__init__(dim, seed)
        from usearch.index import Index

        self.index = Index(
            ndim=dim,
            metric="ip",
            dtype="f32",
            connectivity=16,
            expansion_add=200,
            expansion_search=64,
        )

    def build(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.index.add(ids.astype(np.uint64), arms, threads=2)

    def candidates(self, query: np.ndarray) -> np.ndarray:
        return self.index.search(query, SHORTLIST, threads=1).keys.astype(np.intp)

    def remove(self, ids: np.ndarray) -> None:
        self.index.remove(ids.astype(np.uint64), threads=2)

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.append(arms)
        self.build(ids, arms)
