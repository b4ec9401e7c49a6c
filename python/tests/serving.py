"""A service of its own for a test, and a proxy that cuts connections."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from manyarms import _program

# Long enough for a machine that is busy with other tests.
START_SECONDS = 60


def program() -> str:
    """The program: that of the package, or another one that is to be tested."""
    return os.environ.get("MANYARMS_PROGRAM") or str(_program.path())


@contextlib.contextmanager
def served(
    folder: pathlib.Path, *options: str, data: str = "served.db", before: Sequence[str] = ()
) -> Iterator[str]:
    """Starts a service over a file in the folder, and stops it at the end."""
    command = [program(), *before, "serve", "--data", str(folder / data),
               *([] if "--port" in options else ["--port", "0"]), *options]
    log = folder / "served.log"
    with open(log, "wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        yield _url_of(process, log)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=START_SECONDS) == 0, log.read_text()[-2000:]
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _url_of(process: subprocess.Popen[str], log: pathlib.Path) -> str:
    late = threading.Timer(START_SECONDS, process.kill)
    late.start()
    assert process.stdout is not None
    line = process.stdout.readline()
    late.cancel()
    found = re.search(r"listening on (http://[0-9.:]+)$", line.strip())
    assert found, f"{line!r}; {log.read_text()[-2000:]}"
    return found[1]


class Proxy:
    """Between a client and a service.

    `decide` is called for each request and says what to do: "pass" it; "drop" it unread
    by the service; cut the connection in the "middle" of the request, after the service
    has "answered", or in the middle of the answer ("half"); say "busy" (503); or "hang".
    """

    def __init__(self, url: str, decide: Callable[[bytes], str]) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._service = (host, int(port))
        self._decide = decide
        self.requests: list[tuple[str, str]] = []  # first lines, and what was done
        self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._done = False
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return "http://127.0.0.1:%d" % self._listener.getsockname()[1]

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self._done = True
        self._listener.close()
        for stream in self._open:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._done:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.append(client)
            threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError), socket.create_connection(
            self._service, timeout=START_SECONDS
        ) as service:
            while request := _message(client):
                action = self._decide(request)
                self.requests.append((request.split(b"\r\n")[0].decode(), action))
                if not self._serve(action, request, client, service):
                    return

    def _serve(
        self, action: str, request: bytes, client: socket.socket, service: socket.socket
    ) -> bool:
        """Returns whether the connection is to be kept."""
        if action == "drop":
            return False
        if action == "hang":
            while not self._done and client.recv(1):
                pass
            return False
        if action == "busy":
            client.sendall(b"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 4\r\n\r\nbusy")
            return True
        if action == "middle":
            service.sendall(request[: len(request) // 2])
            return False
        service.sendall(request)
        answer = _message(service)
        if action == "pass":
            client.sendall(answer)
            return True
        if action == "half":
            client.sendall(answer[: len(answer) // 2])
        return False


def _message(stream: socket.socket) -> bytes:
    """A request or an answer; nothing if the connection has ended."""
    data = b""
    while b"\r\n\r\n" not in data:
        if not (piece := stream.recv(65536)):
            return b""
        data += piece
    head = data.partition(b"\r\n\r\n")[0].lower()
    length = re.search(rb"\r\ncontent-length: *(\d+)", head)
    wanted = len(head) + 4 + (int(length[1]) if length else 0)
    chunked = b"\r\ntransfer-encoding: chunked" in head
    while not data.endswith(b"\r\n0\r\n\r\n") if chunked else len(data) < wanted:
        if not (piece := stream.recv(65536)):
            return b""
        data += piece
    return data


def at_random(seed: int, share: float) -> Callable[[bytes], str]:
    """Cuts this share of all connections, in one of all ways."""
    numbers = random.Random(seed)
    lock = threading.Lock()

    def decide(request: bytes) -> str:
        with lock:
            if numbers.random() >= share:
                return "pass"
            return numbers.choice(["drop", "middle", "answered", "half", "busy"])

    return decide


def wait_until(true: Callable[[], bool], seconds: float = 20) -> None:
    """Waits for something that happens by itself."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)
