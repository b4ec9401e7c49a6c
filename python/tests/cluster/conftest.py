"""Ray for the tests of manyarms on Ray. Without Ray they are left out."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

if importlib.util.find_spec("ray") is None:
    collect_ignore_glob = ["test_*"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/cluster/" in item.nodeid:
            item.add_marker("cluster")


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Three nodes for shards."""
    import nodes as ray_nodes

    with ray_nodes.running(3) as cluster:
        yield cluster
