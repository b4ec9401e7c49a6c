"""The rivals that take contexts, by the key that rows have."""

from __future__ import annotations

from ..rival import ContextRival, Facts
from . import bayesianbandits, contextualbandits, mabwiser, manyarms, numpy_scan, vw

CONTEXT_RIVALS: dict[str, tuple[Facts, type[ContextRival]]] = {
    "manyarms": (manyarms.FACTS, manyarms.Manyarms),
    "manyarms-scan": (manyarms.SCAN_FACTS, manyarms.ManyarmsScan),
    "manyarms-ucb": (manyarms.UCB_FACTS, manyarms.ManyarmsUcb),
    "numpy": (numpy_scan.FACTS, numpy_scan.NumpyScan),
    "bayesianbandits": (bayesianbandits.FACTS, bayesianbandits.BayesianBandits),
    "vw": (vw.FACTS, vw.VowpalWabbit),
    "mabwiser-ts": (mabwiser.FACTS, mabwiser.MabwiserTs),
    "contextualbandits": (contextualbandits.FACTS, contextualbandits.ContextualBandits),
}
