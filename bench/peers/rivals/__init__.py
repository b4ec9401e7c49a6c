"""All rivals, by the key that rows have."""

from __future__ import annotations

from ..rival import Facts, Rival
from . import (
    bayesianbandits,
    contextualbandits,
    mabwiser,
    manyarms,
    numpy_faiss,
    numpy_hnswlib,
    numpy_scan,
    numpy_usearch,
    obp,
    river,
    vw,
)

RIVALS: dict[str, tuple[Facts, type[Rival]]] = {
    "manyarms": (manyarms.FACTS, manyarms.Manyarms),
    "manyarms-scan": (manyarms.SCAN_FACTS, manyarms.ManyarmsScan),
    "manyarms-ucb": (manyarms.UCB_FACTS, manyarms.ManyarmsUcb),
    "numpy": (numpy_scan.FACTS, numpy_scan.NumpyScan),
    "hnswlib": (numpy_hnswlib.FACTS, numpy_hnswlib.HnswlibGraph),
    "faiss": (numpy_faiss.FACTS, numpy_faiss.FaissGraph),
    "usearch": (numpy_usearch.FACTS, numpy_usearch.UsearchGraph),
    "bayesianbandits": (bayesianbandits.FACTS, bayesianbandits.BayesianBandits),
    "vw": (vw.FACTS, vw.VowpalWabbit),
    "vw-large": (vw.LARGE_FACTS, vw.LargeActionSpace),
    "mabwiser-ts": (mabwiser.FACTS, mabwiser.MabwiserTs),
    "mabwiser-ucb": (mabwiser.UCB_FACTS, mabwiser.MabwiserUcb),
    "river": (river.FACTS, river.River),
    "contextualbandits": (contextualbandits.FACTS, contextualbandits.ContextualBandits),
    "obp": (obp.FACTS, obp.OpenBanditPipeline),
}
