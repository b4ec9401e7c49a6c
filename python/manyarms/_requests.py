"""Requests to a service, repeated where that does no harm."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manyarms._connections import Connections, parse_url
from manyarms._core import version
from manyarms.errors import (
    InvalidArgumentError,
    NotFoundError,
    ServiceError,
    ServiceTimeoutError,
    UnavailableError,
    _service_error,
)

if TYPE_CHECKING:
    import ssl

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
# A body of this many bytes may take a second longer.
BYTES_PER_SECOND = 4 << 20
# What depends on all arms, learners or decisions may take this long.
_SLOW = 600.0

# Not the shared generator: after a fork, parent and child must not pause alike.
_RANDOM = random.SystemRandom()


@dataclass(frozen=True)
class Body:
    """What a request carries. ``pieces`` is called for each attempt."""

    content_type: str
    pieces: Callable[[], Iterable[bytes | memoryview]]
    length: int | None = None  # None: not known, sent in chunks


def json_body(value: Any) -> Body:
    """A value as JSON, in which NaN and infinity are errors."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"a text is not UTF-8: {error}") from None
    except ValueError as error:
        raise InvalidArgumentError(f"all numbers must be finite: {error}") from None
    return Body("application/json", lambda: (data,), len(data))


def path_of(*segments: str) -> str:
    """A path below /v1; what a client calls things is escaped."""
    try:
        return "/v1/" + "/".join(urllib.parse.quote(s, safe="") for s in segments)
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(f"a name is not UTF-8: {error}") from None


class Requests:
    """Asks one service. Any thread may call any method, also after a fork."""

    def __init__(
        self, url: str, token: str | None, timeout: float, retries: int,
        tls: ssl.SSLContext | None,
    ) -> None:
        if not timeout > 0:
            raise InvalidArgumentError(f"timeout is {timeout}, expected a number above 0")
        if retries < 0:
            raise InvalidArgumentError(f"retries is {retries}, expected 0 or more")
        address = parse_url(url)
        self.url = url
        self.retries = retries
        self._prefix = address.prefix
        self._timeout = timeout
        self._connections = Connections(address, timeout, tls)
        self._headers = {"User-Agent": f"manyarms/{version}"}
        if token is not None:
            if not token or not token.isascii() or not token.isprintable() or " " in token:
                raise InvalidArgumentError(
                    "the token must be printable ASCII characters without spaces"
                )
            self._headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        """Closes the connections; the next request opens one again."""
        self._connections.close()

    def get(self, path: str, **query: str | int) -> Any:
        """The answer to a question that changes nothing."""
        return self.ask("GET", path + _query_of(query), repeatable=True)

    def delete(self, path: str) -> None:
        """Deletes something. If it is not there, that is an error, unless an earlier
        attempt may have deleted it."""
        self.ask("DELETE", path, repeatable=True)

    def ask(
        self, method: str, path: str, body: Body | None = None, *, repeatable: bool,
        slow: bool = False, on_line: Callable[[Any], bool] | None = None,
    ) -> Any:
        """The answer, made of JSON, or a ServiceError.

        repeatable: whether the request may be carried out twice, because the second
            time does nothing. Others are repeated only if they were not sent.
        slow: whether the service may take long.
        on_line: gets each line of an answer of several lines, and returns whether it is
            the last one; the result is None then.
        """
        attempt = 0
        may_be_done = False
        while True:
            try:
                return self._ask_once(method, path, body, slow, on_line)
            except NotFoundError:
                if method == "DELETE" and may_be_done:
                    return None
                raise
            except _Failure as failure:
                may_be_done = may_be_done or not failure.unsent
                again = failure.passing and (failure.unsent or repeatable)
                if not again or attempt >= self.retries:
                    failure.error.uncertain = may_be_done and method != "GET"
                    raise failure.error from failure.__cause__
                time.sleep(_pause(attempt, failure.retry_after))
            attempt += 1

    def _ask_once(
        self, method: str, path: str, body: Body | None, slow: bool,
        on_line: Callable[[Any], bool] | None,
    ) -> Any:
        connection = self._connections.take()
        response = None
        try:
            if connection.sock is None:
                with self._losses(unsent=True):
                    connection.connect()
            with self._losses():
                response = self._send(connection, method, path, body, slow)
            if on_line is not None and response.status == 200:
                self._read_lines(response, on_line)
                return None
            with self._losses():
                data = response.read()
            return _result_of(response, data)
        finally:
            if response is not None and response.isclosed() and connection.sock is not None:
                self._connections.keep(connection)
            else:
                connection.close()

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str,
        body: Body | None, slow: bool,
    ) -> http.client.HTTPResponse:
        headers = self._headers
        pieces = None
        wait = self._wait_of(slow)
        if body is not None:
            headers = headers | {"Content-Type": body.content_type}
            pieces = body.pieces()
            if body.length is not None:
                headers["Content-Length"] = str(body.length)
                wait += body.length / BYTES_PER_SECOND
        connection.sock.settimeout(wait)
        try:
            connection.request(method, self._prefix + path, pieces, headers)
        except (BrokenPipeError, ConnectionResetError):
            if body is None:
                raise
            # The service may have refused the body before its end, and said why.
        self._await_answer(connection, slow)
        response = connection.getresponse()
        # http.client takes a head that was cut off for one without a length.
        if response.length is None and not response.chunked:
            raise http.client.IncompleteRead(b"")
        return response

    def _wait_of(self, slow: bool) -> float:
        """The seconds that a request without a body may take."""
        return max(self._timeout, _SLOW) if slow else self._timeout

    def _await_answer(self, connection: http.client.HTTPConnection, slow: bool) -> None:
        """Reading waits by itself; others may look whether the service lives meanwhile.
        Raises TimeoutError if it does not."""

    def _read_lines(
        self, response: http.client.HTTPResponse, on_line: Callable[[Any], bool]
    ) -> None:
        last = False
        while True:
            with self._losses():
                line = response.readline()
                if not line and not last:
                    raise http.client.IncompleteRead(b"")
            if not line:
                return
            last = on_line(_parsed(line))

    @contextlib.contextmanager
    def _losses(self, *, unsent: bool = False) -> Iterator[None]:
        """Makes a _Failure of a lost connection."""
        try:
            yield
        except TimeoutError as error:
            late = ServiceTimeoutError(f"{self.url} did not answer in time")
            raise _Failure(late, unsent=unsent) from error
        except (OSError, http.client.HTTPException) as error:
            what = "cannot connect to" if unsent else "lost the connection to"
            lost = UnavailableError(f"{what} {self.url}: {str(error) or type(error).__name__}")
            raise _Failure(lost, unsent=unsent, passing=not _is_mistrust(error)) from error


class _Failure(Exception):
    """What may be overcome by asking again."""

    def __init__(
        self, error: UnavailableError, *, unsent: bool = False, passing: bool = True,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(error)
        self.error = error
        self.unsent = unsent
        self.passing = passing
        self.retry_after = retry_after


def _is_mistrust(error: Exception) -> bool:
    """Whether a certificate was refused, which will not change."""
    return type(error).__name__ == "SSLCertVerificationError"


def _result_of(response: http.client.HTTPResponse, data: bytes) -> Any:
    status = response.status
    if status == 204:
        return None
    if 200 <= status < 300:
        kind = response.headers.get_content_type()
        return _parsed(data) if kind == "application/json" else data.decode("utf-8")
    error = _error_of(status, data)
    retry_after = response.headers.get("Retry-After", "")
    if isinstance(error, UnavailableError):
        raise _Failure(error, passing=retry_after != "",
                       retry_after=float(retry_after) if retry_after.isdecimal() else 0.0)
    raise error


def _error_of(status: int, data: bytes) -> ServiceError:
    try:
        return error_from(json.loads(data)["error"])
    except (ValueError, LookupError, TypeError):  # a proxy's, perhaps
        text = data[:200].decode("utf-8", "replace")
        return _service_error(status, "", f"the answer is {status}: {text!r}")


def error_from(described: Any) -> ServiceError:
    """The error that the service has described."""
    return _service_error(
        int(described["status"]), str(described["code"]), str(described["message"])
    )


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        text = data[:200].decode("utf-8", "replace")
        raise ServiceError(f"the answer is not JSON: {text!r}") from None


def _pause(attempt: int, least: float) -> float:
    """Seconds before the next attempt, at random, so that clients spread out."""
    longest = min(_FIRST_PAUSE * 2.0**min(attempt, 10), _LONGEST_PAUSE)
    return min(least, _LONGEST_PAUSE) + _RANDOM.uniform(0.0, longest)


def _query_of(query: dict[str, str | int]) -> str:
    return "?" + urllib.parse.urlencode(query) if query else ""
