"""A process that is attached to a cluster, and is asked to attach to one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from manyarms import errors
from manyarms.cluster import _attached

_NODE = "192.0.2.7"


@pytest.fixture(autouse=True)
def _ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_attached, "ray", SimpleNamespace(
        is_initialized=lambda: True,
        get_runtime_context=lambda: SimpleNamespace(gcs_address=f"{_NODE}:6379"),
        util=SimpleNamespace(get_node_ip_address=lambda: _NODE)))


@pytest.mark.parametrize("address", [
    None, "auto", f"{_NODE}:6379", "127.0.0.1:6379", "localhost:6379",
])
def test_the_same_cluster_is_one_to_attach_to(address: str | None) -> None:
    assert _attached.attach(address) is False


@pytest.mark.parametrize("address", [
    f"{_NODE}:6380", "192.0.2.8:6379", "127.0.0.1:6380", "local",
])
def test_another_cluster_is_refused(address: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"{_NODE}:6379"):
        _attached.attach(address)
