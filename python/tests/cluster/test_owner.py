"""Requests to partitions that hang, are gone, or are not who they were."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from manyarms import errors
from manyarms._requests import json_body
from manyarms.cluster import _lookup, _serving
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._endpoint import Endpoint
from manyarms.cluster._forwarding import Forwarding
from manyarms.cluster._owner import OwnerRequests


class Service:
    """Answers with a status, after some seconds."""

    def __init__(self) -> None:
        self.status = 200
        self.seconds = 0.0
        self.is_ready = True


@contextlib.contextmanager
def served() -> Iterator[tuple[Service, Endpoint]]:
    service = Service()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(200 if service.is_ready else 503)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(service.seconds)
            self._answer(service.status)

        def _answer(self, status: int) -> None:
            error = {"status": status, "code": "", "message": "refused"}
            body = json.dumps({"error": error} if status != 200 else {}).encode()
            with contextlib.suppress(OSError):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield service, Endpoint(f"http://127.0.0.1:{server.server_address[1]}", "token")
    finally:
        server.shutdown()
        server.server_close()


def owner(monkeypatch: pytest.MonkeyPatch, found: Callable[[], Endpoint | None],
          timeout: float) -> OwnerRequests:
    monkeypatch.setattr(_lookup, "endpoint_of", lambda name, start: (found(), "it is gone"))
    return OwnerRequests("partition 0 of shop", lambda: None, timeout)


def seconds_until_timeout(ask: Callable[[], Any]) -> float:
    began = time.monotonic()
    with pytest.raises(errors.ClusterTimeout, match="partition 0 of shop"):
        ask()
    return time.monotonic() - began


def change(requests: OwnerRequests) -> Any:
    return requests.ask("POST", "/v1/x", json_body({}), repeatable=True, slow=True)


def test_another_process_at_the_place_of_a_partition_is_asked_until_the_timeout_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with served() as (service, endpoint):
        service.status = 401
        requests = owner(monkeypatch, lambda: endpoint, 0.5)
        assert seconds_until_timeout(lambda: change(requests)) < 5


def test_a_change_waits_for_a_partition_that_is_ready_but_not_for_one_that_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with served() as (service, endpoint):
        requests = owner(monkeypatch, lambda: endpoint, 1.0)
        service.seconds = 3.0
        assert change(requests) == {}
        service.is_ready = False
        service.seconds = 20.0
        assert seconds_until_timeout(lambda: change(requests)) < 10


def test_callers_who_wait_together_wait_until_their_own_deadlines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches = 0

    def hangs() -> Endpoint | None:
        nonlocal searches
        searches += 1
        time.sleep(0.5)
        return None

    requests = owner(monkeypatch, hangs, 1.0)
    waited: list[float] = []
    threads = [threading.Thread(target=lambda: waited.append(
        seconds_until_timeout(lambda: change(requests)))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(waited) == 12 and max(waited) < 4
    assert searches < 12


def test_requests_of_a_front_end_wait_until_their_own_deadlines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def hangs(name: str, start: object) -> tuple[None, str]:
        time.sleep(0.5)
        return None, "it is gone"

    monkeypatch.setattr(_lookup, "endpoint_of", hangs)
    part = Forwarding("partition 0 of shop", lambda: None, 1.0)

    async def ask_all() -> list[Any]:
        return await asyncio.gather(
            *(part.ask("GET", "/v1") for _ in range(12)), return_exceptions=True)

    began = time.monotonic()
    answers = asyncio.run(ask_all())
    assert time.monotonic() - began < 4
    assert all(isinstance(one, errors.ClusterTimeout) for one in answers)


def test_a_search_ends_when_nobody_waits_for_it_and_another_one_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[Endpoint] = []
    monkeypatch.setattr(
        _lookup, "endpoint_of",
        lambda name, start: (found[0] if found else None, "its service does not run"))
    lookup = _lookup.Lookup("partition 0 of shop", lambda: None)
    with pytest.raises(errors.ClusterTimeout, match="its service does not run"):
        lookup.find(Deadline(1.0))
    end = time.monotonic() + 10
    while lookup._search is not None:
        assert time.monotonic() < end
        time.sleep(0.01)
    found.append(Endpoint("http://here", "token"))
    assert lookup.find(Deadline(10)) == found[0]


@pytest.mark.parametrize("option", [
    "--data", "--address=0.0.0.0", "--port", "--tokens", "--take-over", "--take-over=true",
])
def test_options_that_partitions_set_themselves_are_refused(option: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=option.partition("=")[0]):
        _serving.check_options(["--threads", "2", option])
    _serving.check_options(["--threads", "2", "--durability=relaxed"])
