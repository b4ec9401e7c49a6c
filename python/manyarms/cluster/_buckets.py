"""Where arms live: an id has a bucket, and a shard has a range of buckets.

The bucket of an id never changes, so that another number of shards moves whole
ranges of buckets only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint64]

_BITS = 12
BUCKETS = 1 << _BITS


def buckets_of(ids: Ids) -> NDArray[np.int64]:
    """The bucket of each id: the top bits of what splitmix64 makes of it."""
    with np.errstate(over="ignore"):
        mixed = ids + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(64 - _BITS)).astype(np.int64)


def shards_of(ids: Ids, shards: int) -> NDArray[np.int64]:
    """The shard of each id, if there are ``shards`` of them."""
    return buckets_of(ids) * shards // BUCKETS


def range_of(shard: int, shards: int) -> range:
    """The buckets of a shard."""
    return range(-(-shard * BUCKETS // shards), -(-(shard + 1) * BUCKETS // shards))


def counts_of(ids: Ids) -> NDArray[np.int64]:
    """The number of these ids in each bucket."""
    return np.bincount(buckets_of(ids), minlength=BUCKETS)


def order_of(ids: Ids) -> NDArray[np.int64]:
    """The places of the ids in order of bucket and id.

    This is the order of ``Bandit.ids``. It depends on nothing but the ids, so it is
    the same after a shard was made anew or moved.
    """
    return np.lexsort((ids, buckets_of(ids)))
