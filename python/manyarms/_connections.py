"""Connections to a service that are kept between requests."""

from __future__ import annotations

import http.client
import os
import select
import socket
import time
import urllib.parse
from typing import TYPE_CHECKING, NamedTuple

from manyarms.errors import InvalidArgumentError

if TYPE_CHECKING:
    import ssl

# The service closes connections that have been idle for a minute.
_LONGEST_IDLE = 30.0


class Address(NamedTuple):
    """Where a service is."""

    secure: bool
    host: str
    port: int
    prefix: str  # of all paths, for a service behind a proxy


def parse_url(url: str) -> Address:
    """Takes a URL apart, of which only scheme, host, port and path may be given."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise InvalidArgumentError(f"the url {url!r} is not one: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InvalidArgumentError(
            f"the url is {url!r}, expected one like http://127.0.0.1:7420"
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise InvalidArgumentError(
            f"the url is {url!r}, expected one without user, query and fragment"
        )
    if not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidArgumentError(f"the url {url!r} has other characters than ASCII")
    secure = parts.scheme == "https"
    return Address(secure, parts.hostname, port or (443 if secure else 80),
                   parts.path.rstrip("/"))


class _Kept(NamedTuple):
    connection: http.client.HTTPConnection
    process: int
    since: float


class Connections:
    """Open connections that no thread is using.

    As many are kept as threads have had requests under way at the same time. After a
    fork the child opens its own. There is no lock: a list's append and pop are atomic.
    """

    def __init__(self, address: Address, timeout: float, tls: ssl.SSLContext | None) -> None:
        self._address = address
        self._timeout = timeout
        self._tls = tls
        self._kept: list[_Kept] = []

    def take(self) -> http.client.HTTPConnection:
        """A connection that is open, or has yet to be opened."""
        while True:
            try:
                kept = self._kept.pop()
            except IndexError:
                return self._new()
            if _still_open(kept):
                return kept.connection
            kept.connection.close()

    def keep(self, connection: http.client.HTTPConnection) -> None:
        """Takes a connection back whose answer has been read to its end."""
        self._kept.append(_Kept(connection, os.getpid(), time.monotonic()))

    def close(self) -> None:
        """Closes those that no thread is using."""
        while self._kept:
            try:
                self._kept.pop().connection.close()
            except IndexError:
                return

    def _new(self) -> http.client.HTTPConnection:
        address = self._address
        if address.secure:
            return http.client.HTTPSConnection(
                address.host, address.port, timeout=self._timeout, context=self._tls
            )
        return http.client.HTTPConnection(address.host, address.port, timeout=self._timeout)


def _still_open(kept: _Kept) -> bool:
    if kept.process != os.getpid() or time.monotonic() - kept.since > _LONGEST_IDLE:
        return False
    stream: socket.socket | None = kept.connection.sock
    if stream is None:
        return False
    # Between two requests there is nothing to read but the end of the connection.
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return not poll.poll(0)
