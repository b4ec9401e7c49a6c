"""Adapters that let manyarms replace the policies of other libraries.

``adapters.mabwiser.MAB`` has the methods of MABWiser's MAB, ``adapters.obp.Policy``
runs in Open Bandit Pipeline's simulator, and ``adapters.river.Policy`` in river's
``evaluate``. They can be imported without these libraries.

All have the same limit: in manyarms, features belong to arms and all arms share one
linear model, while most linear policies elsewhere have a context for each round and
a model for each arm. The adapters refuse contexts.
"""

from manyarms.adapters import mabwiser, obp, river

__all__ = ["mabwiser", "obp", "river"]
