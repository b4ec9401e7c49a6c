"""A front end: the API of a service before the partitions of a population."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import re
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence

from manyarms.cluster import _front_json as _json
from manyarms.cluster import _http, _status
from manyarms.cluster._forwarding import Forwarding
from manyarms.cluster._front_items import Items
from manyarms.cluster._front_routes import Asked, Route, Routes
from manyarms.cluster._front_shared import Shared
from manyarms.cluster._http import Answer
from manyarms.cluster._local import is_local_request, is_loopback
from manyarms.cluster._partitions import Partitions
from manyarms.cluster._tokens import Role, Tokens
from manyarms.errors import (
    ClusterTimeout, Error, InvalidArgumentError, TakenOverError, UnavailableError,
)

_MOST_CONNECTIONS = 1_000
_SECONDS_FOR_A_REQUEST = 60.0  # until it comes, for its head, and for its body
_SECONDS_TO_STOP = 10.0
_SECONDS_TO_READ_A_REFUSAL = 2.0
_PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


class FrontEnd:
    """Answers requests. It has no state but its connections."""

    def __init__(
        self, partitions: Partitions, tokens: Tokens, timeout: float,
        most_connections: int = _MOST_CONNECTIONS,
    ) -> None:
        self._most_connections = most_connections
        self._partitions = partitions
        self._tokens = tokens
        self._parts = [
            Forwarding(owner.url, functools.partial(partitions.start, number), timeout)
            for number, owner in enumerate(partitions.owners)
        ]
        self._routes = Routes(self._parts, Items(self._parts),
                              Shared(partitions, self._parts), self._metrics)
        self._counts: Counter[tuple[str, str, int]] = Counter()
        self._seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: set[asyncio.StreamWriter] = set()
        self._stopping = False

    async def serve(self, address: str, port: int) -> None:
        """Listens until somebody asks it to stop."""
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        server = await asyncio.start_server(
            self._connection, address, port, limit=1 << 20, backlog=1024, reuse_port=port != 0)
        bound = server.sockets[0].getsockname()
        host = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        print(f"manyarms: listening on http://{host}:{bound[1]}", flush=True)
        await stop.wait()
        server.close()
        self._stopping = True
        for writer in self._idle:
            writer.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_SECONDS_TO_STOP)
        for part in self._parts:
            part.close()

    async def _connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            with contextlib.suppress(ConnectionError, EOFError):
                if len(self._tasks) > self._most_connections:
                    await self._refuse(_json.of_error(
                        503, f"there are {self._most_connections} connections already"),
                        reader, writer)
                while not writer.is_closing() and await self._one(reader, writer):
                    pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers a request. Returns whether the connection stays open."""
        try:
            head = await self._next_head(reader, writer)
            if head is None:
                return False
            admitted = self._admitted(head)
            if isinstance(admitted, Answer):
                answer = admitted
                if head.has_body:
                    await self._refuse(answer, reader, writer)
                    return False
            else:
                route, found = admitted
                body = await _http.read_body(
                    head, reader, route.most_body, _SECONDS_FOR_A_REQUEST)
                answer = await self._answer(head, body, route, found)
        except _http.BadMessage as error:
            await self._refuse(_json.of_error(error.status, str(error)), reader, writer)
            return False
        closes = self._stopping or not head.stays_open or head.start[2] != "HTTP/1.1"
        writer.write(_http.answer_bytes(
            answer, closes=closes, without_body=head.start[0] == "HEAD"))
        await writer.drain()
        return not closes

    async def _next_head(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> _http.Head | None:
        self._idle.add(writer)
        try:
            return await _http.read_head(reader, _SECONDS_FOR_A_REQUEST)
        finally:
            self._idle.discard(writer)

    @staticmethod
    async def _refuse(
        answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answers, and reads nothing more from the connection."""
        writer.write(_http.answer_bytes(answer, closes=True))
        await writer.drain()
        writer.write_eof()
        await _http.discard(reader, _SECONDS_TO_READ_A_REFUSAL)
        writer.close()

    def _admitted(self, head: _http.Head) -> tuple[Route, re.Match[str]] | Answer:
        """What answers a request, of which the body has not been read, or a refusal."""
        method, target, _ = head.start
        found = self._routes.find(method, target.partition("?")[0])
        if isinstance(found, Answer):
            return found
        role = found[0].role
        if role is not None and (refusal := self._refusal(head.headers, role)):
            return refusal
        if head.headers.get("content-encoding", "identity").lower() != "identity":
            return _json.of_error(415, "the Content-Encoding of the body must be identity")
        return found

    def _refusal(self, headers: dict[str, str], role: Role) -> Answer | None:
        if len(self._tokens):
            if status := self._tokens.refusal_of(headers.get("authorization", ""), role):
                return _json.of_error(status, f"this takes a token with the role {role}")
            return None
        # Whoever comes through a proxy, or through a browser's page, would be admin.
        if any(name in headers for name in _PROXY_HEADERS):
            return _json.of_error(403, "behind a proxy, the front end needs tokens")
        if not is_local_request(headers.get("host", ""), headers.get("origin", "")):
            return _json.of_error(
                403, "without tokens only requests to localhost or 127.0.0.1 are answered, "
                     "and none of pages of another origin")
        return None

    async def _answer(
        self, head: _http.Head, body: bytes, route: Route, found: re.Match[str]
    ) -> Answer:
        method, target, _ = head.start
        began = time.monotonic()
        asked = Asked(route.method, target, target.partition("?")[0], body,
                      head.headers.get("content-type", ""), found)
        try:
            answer = await route.handle(asked)
        except (ClusterTimeout, TakenOverError, UnavailableError) as error:
            answer = _json.of_error(503, str(error))
        except Exception as error:
            sys.stderr.write(f"manyarms: {method} {route.path} failed: {error!r}\n")
            answer = _json.of_error(500, "the front end failed; its log says why")
        self._counts[method, route.path, answer.status] += 1
        self._seconds[method, route.path] += time.monotonic() - began
        return answer

    async def _metrics(self) -> Answer:
        lines = ["# TYPE manyarms_front_requests counter"]
        lines += [f'manyarms_front_requests_total{{method="{method}",route="{path}",'
                  f'status="{status}"}} {count}'
                  for (method, path, status), count in sorted(self._counts.items())]
        lines.append("# TYPE manyarms_front_seconds counter")
        lines += [f'manyarms_front_seconds_total{{method="{method}",route="{path}"}} {seconds:.6f}'
                  for (method, path), seconds in sorted(self._seconds.items())]
        states = await asyncio.gather(*(
            asyncio.get_running_loop().run_in_executor(
                None, _status.partition_state, self._partitions.name, number)
            for number in range(self._partitions.count)))
        lines.append("# TYPE manyarms_partition_ready gauge")
        lines += [f'manyarms_partition_ready{{partition="{number}"}} {int(one["state"] == "ready")}'
                  for number, one in enumerate(states)]
        for name in ("learners", "choices", "epoch", "restarts"):
            lines.append(f"# TYPE manyarms_partition_{name} gauge")
            lines += [f'manyarms_partition_{name}{{partition="{number}"}} {one[name]}'
                      for number, one in enumerate(states) if name in one]
        kind = "application/openmetrics-text; version=1.0.0; charset=utf-8"
        return Answer(200, "\n".join([*lines, "# EOF", ""]).encode(), kind)


def main(args: Sequence[str]) -> int:
    """Runs ``manyarms serve --cluster ADDRESS --name NAME``. Returns its status."""
    parser = argparse.ArgumentParser(
        prog="manyarms serve", description="Serves a population on a Ray cluster.")
    parser.add_argument("--cluster", required=True, help="address of the Ray cluster, or auto")
    parser.add_argument("--name", required=True, help="of the population")
    parser.add_argument("--data", help="its store, if the population does not run yet")
    parser.add_argument("--partitions", type=int, help="their number, if it is made now")
    parser.add_argument("--address", default="127.0.0.1", help="to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=7420, help="to listen on (7420)")
    parser.add_argument("--tokens", default="", help="a file of tokens")
    parser.add_argument("--timeout", type=float, default=30.0,
                        help="seconds to wait for a partition (30)")
    given = parser.parse_args(args)
    try:
        tokens = Tokens(given.tokens)
        if not len(tokens) and not is_loopback(given.address):
            raise InvalidArgumentError(
                "without tokens the address must be 127.0.0.1 or ::1, so that nobody else can "
                f"reach the front end; it is {given.address}")
        partitions = Partitions(given.name, given.partitions, given.data, given.cluster,
                                given.timeout)
        asyncio.run(FrontEnd(partitions, tokens, given.timeout).serve(given.address, given.port))
    except (Error, OSError, ValueError) as error:
        sys.stderr.write(f"manyarms: {error}\n")
        return 2
    partitions.close()
    return 0
