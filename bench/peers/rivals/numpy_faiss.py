"""NumPy's posterior with faiss's HNSW graph."""

from __future__ import annotations

import numpy as np

from ..posterior import SHORTLIST, Shortlisted
from ..rival import Facts, MustRebuild

FACTS = Facts(
    name="NumPy + faiss HNSW",
    package="faiss-cpu",
    model="Thompson sampling, shared ridge",
    note="IndexHNSWFlat by inner product, M = 16, efConstruction = 200, efSearch = "
    "64, shortlist of 30 scored exactly, built with 2 threads.",
    exact=False,
    shared_model=True,
    arms_come_and_go="add; no removal: rebuild",
    deletes_for_real="no",
    delayed_rewards="by hand",
    save_load="the index",
    k_best="yes",
    eligibility="an IDSelector",
    threads="searching beside searching, no changes meanwhile",
    bytes_per_arm=500,
)


class FaissGraph(Shortlisted):
    """faiss numbers points in the order in which they come: ids are rows."""

    def __init__(self, dim: int, seed: int) -> None:
        super().__init__(dim, seed)
        import faiss

        self.faiss = faiss
        faiss.omp_set_num_threads(2)
        self.index = faiss.IndexHNSWFlat(dim, 16, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = 200
        self.index.hnsw.efSearch = 64

    def build(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.index.add(arms)
        self.faiss.omp_set_num_threads(1)  # one query is faster alone

    def candidates(self, query: np.ndarray) -> np.ndarray:
        _, labels = self.index.search(query[np.newaxis], SHORTLIST)
        return labels[0][labels[0] >= 0]

    def remove(self, ids: np.ndarray) -> None:
        raise MustRebuild("IndexHNSW has no remove_ids")

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.append(arms)
        self.index.add(arms)
