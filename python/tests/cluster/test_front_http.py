"""Requests that a front end must refuse, and heads and bodies as it reads them."""

from __future__ import annotations

import asyncio
import contextlib
from types import SimpleNamespace
from typing import Any

import pytest

from manyarms.cluster import _http
from manyarms.cluster._front import FrontEnd
from manyarms.cluster._local import is_local_request, is_loopback
from manyarms.cluster._tokens import Tokens


def test_names_of_this_machine() -> None:
    for address in ("127.0.0.1", "127.1.2.3", "::1", "localhost", "LOCALHOST",
                    "0:0:0:0:0:0:0:1"):
        assert is_loopback(address), address
    for address in ("", "0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "localhost.evil.com",
                    "127.0.0.1.evil.com", "127.1", "2130706433", "127.0.0.1 ",
                    "::ffff:127.0.0.1"):
        assert not is_loopback(address), address


def test_requests_of_other_origins_are_not_local() -> None:
    for host in ("localhost", "localhost:7420", "127.0.0.1:80", "[::1]:7420", "[::1]"):
        assert is_local_request(host, ""), host
    for host in ("", "evil.com", "evil.com:7420", "localhost.evil.com:7420",
                 "127.0.0.1.evil.com", "[::1", "[::2]:7420", "::1", ":7420"):
        assert not is_local_request(host, ""), host
    assert is_local_request("localhost:7420", "http://localhost:7420")
    for origin in ("null", "http://evil.com", "http://localhost", "http://localhost:8080",
                   "http://127.0.0.1:7420", "localhost:7420"):
        assert not is_local_request("localhost:7420", origin), origin


async def read(data: bytes) -> list[tuple[list[str], bytes]]:
    """The messages in some bytes."""
    stream = asyncio.StreamReader()
    stream.feed_data(data)
    stream.feed_eof()
    found = []
    while head := await _http.read_head(stream, 10):
        found.append((head.start, await _http.read_body(head, stream, 1_000, 10)))
    return found


def chunked(text: bytes) -> bytes:
    return b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + text


def test_chunks_have_lengths_in_hexadecimal_digits() -> None:
    for text in (b"a\r\n0123456789\r\n0\r\n\r\n", b"A;name=1\r\n0123456789\r\n0\r\n\r\n",
                 b"0a \r\n0123456789\r\n00\r\n\r\n"):
        assert [body for _, body in asyncio.run(read(chunked(text)))] == [b"0123456789"]
    for length in (b"0xa", b"+a", b"-a", b"1_0", b"", b" a", b"g", b"a" * 17, b"-1"):
        with pytest.raises(_http.BadMessage) as raised:
            asyncio.run(read(chunked(length + b"\r\n0123456789\r\n0\r\n\r\n")))
        assert raised.value.status == 400, length
    with pytest.raises(_http.BadMessage) as raised:
        asyncio.run(read(chunked(b"3\r\n0123456789\r\n0\r\n\r\n")))
    assert raised.value.status == 400
    with pytest.raises(_http.BadMessage) as raised:
        asyncio.run(read(chunked(b"ffff\r\n")))
    assert raised.value.status == 413


def test_trailers_are_not_the_next_request() -> None:
    text = chunked(b"1\r\nx\r\n0\r\nGET: /v1 HTTP/1.1\r\nHost: a\r\n\r\n")
    assert asyncio.run(read(text + text)) == [(["POST", "/", "HTTP/1.1"], b"x")] * 2
    with pytest.raises(_http.BadMessage) as raised:
        asyncio.run(read(chunked(b"0\r\n" + b"a: b\r\n" * 10_000 + b"\r\n")))
    assert raised.value.status == 431


def test_a_connection_on_which_nothing_comes_ends() -> None:
    async def wait() -> _http.Head | None:
        return await _http.read_head(asyncio.StreamReader(), 0.1)

    assert asyncio.run(asyncio.wait_for(wait(), 30)) is None


async def statuses(texts: list[bytes], tokens: Tokens, most: int = 10) -> list[bytes]:
    """The statuses of answers to requests, each on a connection that stays open until
    all are answered."""
    partitions: Any = SimpleNamespace(
        owners=[SimpleNamespace(url="partition 0")], start=print, count=1, name="shop")
    front = FrontEnd(partitions, tokens, 1.0, most)
    server = await asyncio.start_server(front._connection, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    found, writers = [], []
    async with server:
        for text in texts:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            writer.write(text)
            line = await asyncio.wait_for(reader.readline(), 30)
            found.append(line.split(b" ")[1])
        for writer in writers:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
    return found


def request(method: str, *headers: str, target: str = "/v1") -> bytes:
    return "\r\n".join([f"{method} {target} HTTP/1.1", *headers, "", ""]).encode()


def test_without_tokens_pages_of_others_are_refused() -> None:
    asked = asyncio.run(statuses([
        request("GET", "Host: localhost:1"),
        request("GET", "Host: evil.com"),
        request("GET"),
        request("GET", "Host: localhost:1", "Origin: http://evil.com"),
        request("GET", "Host: localhost:1", "Via: a"),
        request("GET", "Host: evil.com", target="/healthz"),
    ], Tokens("")))
    assert asked == [b"200", b"403", b"403", b"403", b"403", b"200"]


def test_a_body_is_not_read_before_the_token_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MANYARMS_TOKENS", "read:page,admin:root")
    arms = "/v1/bandits/shop/arms"
    asked = asyncio.run(statuses([
        request("POST", "Content-Length: 1000000", target=arms),
        request("POST", "Content-Length: 9", "Authorization: Bearer page", target=arms),
        request("POST", "Content-Length: 9", "Authorization: Bearer root",
                "Content-Encoding: gzip", target=arms),
        request("POST", f"Content-Length: {257 << 20}", "Authorization: Bearer root",
                target=arms),
        request("POST", f"Content-Length: {17 << 20}", "Authorization: Bearer root",
                target="/v1/bandits/shop/choose"),
    ], Tokens("")))
    assert asked == [b"401", b"403", b"415", b"413", b"413"]


def test_connections_are_limited() -> None:
    asked = asyncio.run(statuses([request("GET", "Host: localhost")] * 4, Tokens(""), most=3))
    assert asked == [b"200", b"200", b"200", b"503"]
