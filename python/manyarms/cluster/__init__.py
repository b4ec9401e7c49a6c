"""Bandits over more arms, and populations of more learners, than one machine holds, on a
Ray cluster (docs/cluster.md, docs/cluster-learners.md).

    from manyarms import cluster
    bandit = cluster.Bandit(dim=16, shards=4)    # or address="auto", name="shop"
    bandit.load_arms(["arms-0.parquet", "arms-1.parquet"])
    d = bandit.choose()                          # as manyarms.Bandit would, to the last bit
    bandit.learn(d, reward)
"""

try:
    import ray as _ray  # noqa: F401
except ImportError as error:
    raise ImportError(
        "manyarms.cluster needs Ray, which is not installed: pip install 'manyarms[ray]'"
    ) from error

from manyarms.cluster.bandit import Bandit
from manyarms.cluster.population import Population
from manyarms.errors import ClusterTimeout, TakenOverError

__all__ = ["Bandit", "ClusterTimeout", "Population", "TakenOverError"]
