"""A small HTTP/1.1 client that keeps one connection and can pipeline."""

import json
import socket


class Gone(Exception):
    """The connection ended, or no answer came in time."""


class Connection:
    def __init__(self, port, timeout=20):
        try:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        except OSError as error:
            raise Gone(str(error)) from error
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def close(self):
        self.socket.close()

    def call(self, method, path, value=None):
        """Returns (status, what the body says)."""
        self.send(encoded(method, path, value))
        return self.receive()

    def call_all(self, requests, at_once=32):
        """Answers of (method, path, value), of which some are under way at once."""
        answers = []
        for begin in range(0, len(requests), at_once):
            part = requests[begin : begin + at_once]
            self.send(b"".join(encoded(*request) for request in part))
            answers.extend(self.receive() for _ in part)
        return answers

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Gone(str(error)) from error

    def receive(self):
        status, head, body = self.receive_raw()
        if body and b"json" in head.get(b"content-type", b""):
            return status, json.loads(body)
        return status, body.decode()

    def receive_raw(self):
        end = self._fill_until(b"\r\n\r\n")
        lines = self.rest[:end].split(b"\r\n")
        self.rest = self.rest[end + 4 :]
        status = int(lines[0].split(b" ", 2)[1])
        head = {}
        for line in lines[1:]:
            name, _, text = line.partition(b":")
            head[name.strip().lower()] = text.strip()
        if status == 204:
            return status, head, b""
        if head.get(b"transfer-encoding", b"").lower() == b"chunked":
            return status, head, self._chunks()
        return status, head, self._take(int(head.get(b"content-length", 0)))

    def _chunks(self):
        body = b""
        while True:
            end = self._fill_until(b"\r\n")
            size = int(self.rest[:end], 16)
            self.rest = self.rest[end + 2 :]
            body += self._take(size)
            self._take(2)
            if size == 0:
                return body

    def _take(self, size):
        while len(self.rest) < size:
            self._fill()
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken

    def _fill_until(self, mark):
        while (end := self.rest.find(mark)) < 0:
            self._fill()
        return end

    def _fill(self):
        try:
            data = self.socket.recv(1 << 16)
        except OSError as error:
            raise Gone(str(error)) from error
        if not data:
            raise Gone("the service closed the connection")
        self.rest += data


def encoded(method, path, value=None):
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if value is None:
        return (head + ("Content-Length: 0\r\n" if method == "POST" else "") + "\r\n").encode()
    body = json.dumps(value, separators=(",", ":")).encode()
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
