"""Adapters that let manyarms replace the policies of other libraries.

``adapters.mabwiser.MAB`` has the methods of MABWiser's MAB. ``Policy`` and
``ContextualPolicy``, which takes contexts, of ``adapters.obp`` run in Open Bandit
Pipeline's simulator, and those of ``adapters.river`` are policies of river. Each module
is imported when it is first used. mabwiser and obp need no other library; river needs
river.

Linear policies of those libraries have a model of the context for each arm, and so have
``MAB`` without features and OBP's ``ContextualPolicy`` without action_context. With
features, all arms share one linear model over them, so that a reward of one arm teaches
about the others; with a feature of its own for each arm (one-hot) arms are independent.
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
