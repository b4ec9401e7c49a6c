"""manyarms in the place of other libraries' policies.

``adapters.mabwiser.MAB`` has the methods of MABWiser's, ``adapters.obp.Policy``
runs in Open Bandit Pipeline's simulator, ``adapters.river.Policy`` in river's
``evaluate``. None of them needs the other library to be imported.

All have the same limit: in manyarms features belong to arms and one linear model
is shared by all of them, while most linear policies elsewhere have a context for
each round and a model for each arm. Where a context would be given, they refuse.
"""

from manyarms.adapters import mabwiser, obp, river

__all__ = ["mabwiser", "obp", "river"]
