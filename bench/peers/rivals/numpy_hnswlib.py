"""NumPy's posterior with hnswlib's graph, as in the experiments of the paper."""

from __future__ import annotations

import numpy as np

from ..posterior import BUILD_EFFORT, LINKS, Indexed
from ..rival import Facts

FACTS = Facts(
    name="NumPy + hnswlib",
    package="hnswlib",
    model="Thompson sampling, shared ridge",
    note="Inner-product space, M = 16, ef_construction = 200, ef = 32 (in the trial 16 found "
    "98.57 % of the best arms and 32 found 99.95 %). The graph is built with 2 threads, and "
    "slots of deleted arms are reused.",
    built="a graph: M = 16, ef_construction = 200",
    exact=False,
    shared_model=True,
    arms_come_and_go="add, mark as deleted",
    deletes_for_real="no: marked; the slot can be reused",
    delayed_rewards="by hand",
    save_load="the index",
    k_best="yes",
    eligibility="a filter function",
    threads="several may add, or several may search, but not both at once",
    user_context="by hand",
    learners="by hand",
    probabilities="no",
    click_models="by hand",
    forgetting="by hand",
    from_pypi="source only: needs a compiler",
    bytes_per_arm=500,
)


class HnswlibGraph(Indexed):
    """Slots of deleted arms are reused, since otherwise the index would only grow."""

    def __init__(self, dim: int, seed: int) -> None:
        super().__init__(dim, seed)
        import hnswlib

        self.index = hnswlib.Index(space="ip", dim=dim)

    def build(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.index.init_index(
            max_elements=len(ids),
            M=LINKS,
            ef_construction=BUILD_EFFORT,
            random_seed=self.seed,
            allow_replace_deleted=True,
        )
        self.index.set_ef(32)
        self.index.set_num_threads(2)
        self.index.add_items(arms, ids)

    def nearest(self, query: np.ndarray) -> int:
        labels, _ = self.index.knn_query(query, k=1, num_threads=1)
        return int(labels[0, 0])

    def remove(self, ids: np.ndarray) -> None:
        for label in ids.tolist():
            self.index.mark_deleted(label)

    def add(self, ids: np.ndarray, arms: np.ndarray) -> None:
        self.append(arms)
        self.index.add_items(arms, ids, replace_deleted=True)
