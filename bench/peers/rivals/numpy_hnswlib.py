"""NumPy's posterior with hnswlib's graph, as in the experiments of the paper."""

from __future__ import annotations

import numpy as np

from ..posterior import SHORTLIST, Shortlisted
from ..rival import Facts

FACTS = Facts(
    name="NumPy + hnswlib",
    package="hnswlib",
    model="Thompson sampling, shared ridge",
    note="Inner-product space, M = 16, ef_construction = 200, ef = 64, shortlist "
    "of 30 scored exactly, built with 2 threads; slots of deleted arms are reused.",
    exact=False,
    shared_model=True,
    arms_come_and_go="add, mark as deleted",
    deletes_for_real="no: marked; the slot can be reused",
    delayed_rewards="by hand",
    save_load="the index",
    k_best="yes",
    eligibility="a filter function",
    threads="adding beside adding, searching beside searching, not both",
    bytes_per_arm=500,
)


class HnswlibGraph(Shortlisted):
    """Deleted slots are reused: otherwise a changing set grows without end."""

    def __init__(self, dim: int, seed: int) -> None:
        super().__init__(dim, seed)
        import hnswlib

        self.index = hnswlib.Index(space="ip", dim=dim)
        self.seed = seed

    def build(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.index.init_index(
            max_elements=len(ids),
            M=16,
            ef_construction=200,
            random_seed=self.seed,
            allow_replace_deleted=True,
        )
        self.index.set_ef(64)
        self.index.set_num_threads(2)
        self.index.add_items(arms, ids)

    def candidates(self, query: np.ndarray) -> np.ndarray:
        labels, _ = self.index.knn_query(query, k=SHORTLIST, num_threads=1)
        return labels[0].astype(np.intp)

    def remove(self, ids: np.ndarray) -> None:
        for label in ids.tolist():
            self.index.mark_deleted(label)

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.append(arms)
        self.index.add_items(arms, ids, replace_deleted=True)
