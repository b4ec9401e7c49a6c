"""Bandits and populations that are larger than one machine, on a Ray cluster."""

try:
    import ray as _ray  # noqa: F401
except ImportError as error:
    raise ImportError(
        "manyarms.cluster needs Ray, which is not installed: pip install 'manyarms[ray]'"
    ) from error

from manyarms.cluster.population import Population
from manyarms.errors import ClusterTimeout, TakenOverError

__all__ = ["ClusterTimeout", "Population", "TakenOverError"]
