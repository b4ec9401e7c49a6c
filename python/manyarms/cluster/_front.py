"""A front end: the API of a service before the partitions of a population."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import ipaddress
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence

from manyarms.cluster import _front_json as _json
from manyarms.cluster import _http, _status
from manyarms.cluster._forwarding import Forwarding
from manyarms.cluster._front_items import Items
from manyarms.cluster._front_routes import Asked, Routes
from manyarms.cluster._front_shared import Shared
from manyarms.cluster._http import Answer
from manyarms.cluster._partitions import Partitions
from manyarms.cluster._tokens import Tokens
from manyarms.errors import ClusterTimeout, Error, InvalidArgumentError, TakenOverError

_MOST_BODY = 256 << 20
_SECONDS_FOR_A_REQUEST = 60.0
_SECONDS_TO_STOP = 10.0
_PROXY_HEADERS = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")


class FrontEnd:
    """Answers requests. It has no state but its connections."""

    def __init__(self, partitions: Partitions, tokens: Tokens, timeout: float) -> None:
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
                while await self._one(reader, writer):
                    pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers a request. Returns whether the connection stays open."""
        self._idle.add(writer)
        try:
            message = await _http.read(reader, _MOST_BODY, _SECONDS_FOR_A_REQUEST)
        except _http.BadMessage as error:
            answer = _json.of_error(error.status, str(error))
            writer.write(_http.answer_bytes(answer, closes=True))
            await writer.drain()
            return False
        finally:
            self._idle.discard(writer)
        if message is None:
            return False
        answer = await self._answer(message)
        closes = self._stopping or not message.stays_open or message.start[2] != "HTTP/1.1"
        writer.write(_http.answer_bytes(
            answer, closes=closes, without_body=message.start[0] == "HEAD"))
        await writer.drain()
        return not closes

    async def _answer(self, message: _http.Message) -> Answer:
        method, target, _ = message.start
        path = target.partition("?")[0]
        found = self._routes.find(method, path)
        if isinstance(found, Answer):
            return found
        route, match = found
        if refusal := self._refusal(message, route.role is not None):
            return refusal
        if route.role is not None:
            header = message.headers.get("authorization", "")
            if status := self._tokens.refusal_of(header, route.role):
                return _json.of_error(status, f"this takes a token with the role {route.role}")
        began = time.monotonic()
        asked = Asked(route.method, target, path, message.body,
                      message.headers.get("content-type", ""), match)
        try:
            answer = await route.handle(asked)
        except (ClusterTimeout, TakenOverError) as error:
            answer = _json.of_error(503, str(error))
        except Exception as error:
            sys.stderr.write(f"manyarms: {method} {route.path} failed: {error!r}\n")
            answer = _json.of_error(500, "the front end failed; its log says why")
        self._counts[method, route.path, answer.status] += 1
        self._seconds[method, route.path] += time.monotonic() - began
        return answer

    def _refusal(self, message: _http.Message, is_closed: bool) -> Answer | None:
        """Without tokens, whoever comes through a proxy would be admin."""
        if is_closed and not len(self._tokens) and any(
                name in message.headers for name in _PROXY_HEADERS):
            return _json.of_error(403, "behind a proxy, the front end needs tokens")
        return None

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
        if not len(tokens) and not _is_loopback(given.address):
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


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
