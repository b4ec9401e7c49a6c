"""Adapters that let manyarms replace the policies of other libraries.

``adapters.mabwiser.MAB`` has the methods of MABWiser's MAB, ``adapters.obp.Policy``
runs in Open Bandit Pipeline's simulator, and ``adapters.river.Policy`` and
``adapters.river.ContextualPolicy`` are policies of river. Each module is imported
when it is first used. mabwiser and obp need no other library; river needs river.

Linear policies of those libraries have a model for each arm. Here all arms share one
linear model over their features, so that a reward of one arm teaches about the
others. With a feature of its own for each arm (one-hot) it is the same model.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyarms.adapters import mabwiser, obp, river

__all__ = ["mabwiser", "obp", "river"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
