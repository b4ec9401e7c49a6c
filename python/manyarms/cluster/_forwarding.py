"""Requests that a front end passes on to the owner of a partition."""

from __future__ import annotations

import asyncio
import urllib.parse
from collections.abc import Callable
from typing import Any

from manyarms.cluster import _http
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._endpoint import PAUSE, Endpoint, timeout_of
from manyarms.cluster._http import Answer
from manyarms.cluster._lookup import Lookup

_MOST_BODY = 1 << 30
_SHORTEST_ATTEMPT = 1.0
_LONGEST_ATTEMPT = 10.0
_Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Forwarding:
    """Connections to the owner of a partition, kept between requests. If the owner is
    gone, requests wait for the next one, and are sent again: all of them must be such
    that a second time does nothing."""

    def __init__(self, name: str, start: Callable[[], Any], timeout: float) -> None:
        self._name = name
        self._seconds = timeout
        self._lookup = Lookup(name, start)
        self._endpoint: Endpoint | None = None
        self._open: list[tuple[Endpoint, _Stream]] = []

    async def ask(
        self, method: str, target: str, body: bytes = b"", content_type: str = ""
    ) -> Answer:
        """The owner's answer. Raises ClusterTimeout and TakenOverError."""
        deadline = Deadline(self._seconds)
        may_be_done = False
        while True:
            endpoint = await self._owner(deadline)
            why = ""
            try:
                attempt = min(max(deadline.left(), _SHORTEST_ATTEMPT), _LONGEST_ATTEMPT)
                answer = await asyncio.wait_for(
                    self._ask_once(endpoint, method, target, body, content_type), attempt)
                if answer.status not in (401, 503):
                    if answer.status == 404 and method == "DELETE" and may_be_done:
                        return Answer(204)
                    return answer
                why = f"its service answers {answer.status}"
            except (OSError, EOFError, asyncio.TimeoutError, _http.BadMessage) as error:
                why = str(error) or type(error).__name__
                may_be_done = may_be_done or not isinstance(error, ConnectionRefusedError)
            if deadline.left() == 0:
                raise timeout_of(self._name, deadline, why)
            if self._endpoint is endpoint:
                self._endpoint = None
            await asyncio.sleep(PAUSE)

    def close(self) -> None:
        """Closes connections that nobody uses."""
        while self._open:
            self._open.pop()[1][1].close()

    async def _owner(self, deadline: Deadline) -> Endpoint:
        if self._endpoint is None:
            with self._lookup.joined() as search:
                found = asyncio.shield(asyncio.wrap_future(search))
                try:
                    self._endpoint = await asyncio.wait_for(found, deadline.left())
                except asyncio.TimeoutError:
                    raise self._lookup.timeout(deadline) from None
        return self._endpoint

    async def _ask_once(
        self, endpoint: Endpoint, method: str, target: str, body: bytes, content_type: str
    ) -> Answer:
        parts = urllib.parse.urlsplit(endpoint.url)
        reader, writer = await self._stream(endpoint, str(parts.hostname), int(parts.port or 80))
        keeps = False
        try:
            writer.write(_http.request_bytes(
                method, target, parts.netloc, endpoint.token, body, content_type))
            await writer.drain()
            head = await _http.read_head(reader, None)
            if head is None:
                raise EOFError("the connection was closed")
            data = await _http.read_body(head, reader, _MOST_BODY, None)
            keeps = head.stays_open
            return Answer(int(head.start[1]), data, head.headers.get("content-type", ""))
        finally:
            if keeps:
                self._open.append((endpoint, (reader, writer)))
            else:
                writer.close()

    async def _stream(self, endpoint: Endpoint, host: str, port: int) -> _Stream:
        while self._open:
            used, stream = self._open.pop()
            if used is endpoint and not stream[0].at_eof():
                return stream
            stream[1].close()
        return await asyncio.open_connection(host, port, limit=1 << 20)
