"""Linear bandits over extremely large arm sets that change while they run.

    import manyarms
    bandit = manyarms.Bandit(dim=16)
    bandit.add_arms(ids, X)         # any time
    d = bandit.choose()             # d.arm is one of your ids
    bandit.learn(d, reward)         # now or later, in any order

Many users over the same arms, each with a model of their own:

    shop = manyarms.Population(dim=16)
    shop.add_arms(ids, X)           # for all
    d = shop.choose("alice")
    shop.learn("alice", d, reward)

Rewards that depend on the situation of a choice, too:

    feed = manyarms.Bandit(dim=16, context_dim=2)
    d = feed.choose(context=[hour / 24, is_phone])
    feed.learn(d, reward)           # d has kept its context

A service that many processes share (``manyarms serve``, docs/service.md):

    client = manyarms.Client("http://127.0.0.1:7420")
    shop = client.create("shop", dim=16)
    shop.add_arms(ids, X)
    d = shop.choose("alice")
    shop.learn(d, reward)           # the decision knows its learner

The package also has ``manyarms.evaluation`` (how well a policy would have done, from
logs), ``manyarms.sim`` (worlds to try policies in),
``manyarms.reproduce`` (the paper's tables), ``manyarms.plots``,
``manyarms.adapters`` (for code written for other libraries), ``manyarms.cluster``
(more arms than one machine holds, on Ray) and ``manyarms.errors``.
"""

import importlib
from typing import Any

from manyarms import errors, evaluation, sim
from manyarms._client import Client
from manyarms._core import (
    Bandit,
    Certified,
    Decision,
    Hnsw,
    Lsh,
    LshTheory,
    Population,
    Prior,
    Scan,
    SharedPrior,
    TheoryRadius,
    set_survey_threads,
    survey_threads,
    version,
)
from manyarms._log import Log, log_header, log_to_parquet, read_log
from manyarms._reproduce import reproduce
from manyarms._served import (
    ArmsPut,
    ExpectedReward,
    Learned,
    ServedArm,
    ServedDecision,
    Snapshot,
)
from manyarms._served_bandit import ServedBandit
from manyarms.errors import Error
from manyarms.evaluation import evaluate

__version__ = version


def __getattr__(name: str) -> Any:
    """Imports on first use ``cluster``, which needs Ray, ``plots``, which needs
    matplotlib, and ``adapters``."""
    if name in ("adapters", "cluster", "plots"):
        return importlib.import_module(f"manyarms.{name}")
    raise AttributeError(f"module 'manyarms' has no attribute '{name}'")

__all__ = [
    "ArmsPut",
    "Bandit",
    "Certified",
    "Client",
    "Decision",
    "Error",
    "ExpectedReward",
    "Hnsw",
    "Learned",
    "Log",
    "Lsh",
    "LshTheory",
    "Population",
    "Prior",
    "Scan",
    "ServedArm",
    "ServedBandit",
    "ServedDecision",
    "SharedPrior",
    "Snapshot",
    "TheoryRadius",
    "__version__",
    "errors",
    "evaluate",
    "evaluation",
    "log_header",
    "log_to_parquet",
    "read_log",
    "reproduce",
    "set_survey_threads",
    "sim",
    "survey_threads",
]
