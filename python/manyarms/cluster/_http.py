"""HTTP/1.1 as the front end needs it, over asyncio's streams."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

_MOST_HEAD = 16 * 1024
_PIECE = 64 * 1024
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\r\n]*)?\r\n")
_REASONS = {
    200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
    409: "Conflict", 413: "Content Too Large", 415: "Unsupported Media Type",
    422: "Unprocessable Content", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error",
    503: "Service Unavailable",
}
JSON = "application/json"

Read = TypeVar("Read")


class BadMessage(Exception):
    """What came is not a message, or too large; it has the status that says so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Head(NamedTuple):
    """The head of a request or an answer. Names of headers are in small letters."""

    start: list[str]
    headers: dict[str, str]

    @property
    def stays_open(self) -> bool:
        """Whether more may come on the connection."""
        return self.headers.get("connection", "").lower() != "close"

    @property
    def has_body(self) -> bool:
        """Whether bytes follow that are not another head."""
        return "transfer-encoding" in self.headers or self.headers.get(
            "content-length", "0") != "0"


class Answer(NamedTuple):
    """An answer to a request."""

    status: int
    body: bytes = b""
    content_type: str = JSON


async def read_head(stream: asyncio.StreamReader, seconds: float | None) -> Head | None:
    """The next head, or None at the end of the connection, or if none begins. Raises
    BadMessage.

    seconds: until it begins, and how long it may take then.
    """
    try:
        first = await asyncio.wait_for(stream.readexactly(1), seconds)
    except (asyncio.IncompleteReadError, asyncio.TimeoutError):
        return None
    return await _in_time(_head(first, stream), seconds)


async def read_body(
    head: Head, stream: asyncio.StreamReader, most: int, seconds: float | None
) -> bytes:
    """The body that follows a head. Raises BadMessage.

    most: bytes that it may have.
    seconds: how long it may take.
    """
    return await _in_time(_body(head.headers, stream, most), seconds)


async def discard(stream: asyncio.StreamReader, seconds: float) -> None:
    """Reads what still comes, so that the other side reads the answer before it learns
    that the connection is closed."""
    async def rest() -> None:
        while await stream.read(_PIECE):
            pass

    with contextlib.suppress(asyncio.TimeoutError, ConnectionError):
        await asyncio.wait_for(rest(), seconds)


async def _in_time(reading: Coroutine[Any, Any, Read], seconds: float | None) -> Read:
    try:
        return await asyncio.wait_for(reading, seconds)
    except asyncio.TimeoutError:
        raise BadMessage(408, "the message takes too long") from None
    except asyncio.LimitOverrunError:
        raise BadMessage(431, f"the head has more than {_MOST_HEAD} bytes") from None


async def _head(first: bytes, stream: asyncio.StreamReader) -> Head:
    head = first + await stream.readuntil(b"\r\n\r\n")
    if len(head) > _MOST_HEAD:
        raise BadMessage(431, f"the head has more than {_MOST_HEAD} bytes")
    lines = head.decode("latin-1").split("\r\n")
    headers: dict[str, str] = {}
    for line in lines[1:-2]:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not colon or name in headers or name != name.strip():
            raise BadMessage(400, f"the header {line[:100]!r} is not one, or is there twice")
        headers[name] = value.strip()
    start = lines[0].split(" ", 2)
    if len(start) != 3:
        raise BadMessage(400, "the first line is not that of a message")
    return Head(start, headers)


async def _body(headers: dict[str, str], stream: asyncio.StreamReader, most: int) -> bytes:
    if "transfer-encoding" in headers:
        if headers["transfer-encoding"].lower() != "chunked" or "content-length" in headers:
            raise BadMessage(400, "the transfer encoding is not known")
        return await _chunks(stream, most)
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or len(length) > 18:
        raise BadMessage(400, f"the content length is {length[:100]!r}")
    return await stream.readexactly(_checked(int(length), most))


async def _chunks(stream: asyncio.StreamReader, most: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        found = _CHUNK.fullmatch(await stream.readuntil(b"\r\n"))
        if found is None:
            raise BadMessage(400, "a chunk has no length")
        length = int(found[1], 16)
        if length == 0:
            await _trailers(stream)
            return b"".join(pieces)
        size = _checked(size + length, most)
        pieces.append(await stream.readexactly(length))
        if await stream.readexactly(2) != b"\r\n":
            raise BadMessage(400, "a chunk is longer than it says")


async def _trailers(stream: asyncio.StreamReader) -> None:
    """Headers after the last chunk, which mean nothing here."""
    size = 0
    while (line := await stream.readuntil(b"\r\n")) != b"\r\n":
        size += len(line)
        if size > _MOST_HEAD:
            raise BadMessage(431, f"the trailers have more than {_MOST_HEAD} bytes")


def _checked(length: int, most: int) -> int:
    if length > most:
        raise BadMessage(413, f"the body has {length} bytes, at most {most} are taken")
    return length


def request_bytes(
    method: str, target: str, host: str, token: str, body: bytes, content_type: str
) -> bytes:
    """A request as it is sent."""
    head = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
    if body or content_type:
        head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
    return (head + "\r\n").encode("latin-1") + body


def answer_bytes(answer: Answer, *, closes: bool, without_body: bool = False) -> bytes:
    """An answer as it is sent."""
    head = f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, 'Unknown')}\r\n"
    if answer.status != 204:
        head += f"Content-Type: {answer.content_type}\r\nContent-Length: {len(answer.body)}\r\n"
    if answer.status == 503:
        head += "Retry-After: 1\r\n"
    if closes:
        head += "Connection: close\r\n"
    body = b"" if without_body else answer.body
    return (head + "X-Content-Type-Options: nosniff\r\n\r\n").encode("latin-1") + body
