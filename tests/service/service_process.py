"""The program `manyarms serve`, as a test starts and ends it."""

import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

from http_connection import Connection

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("MANYARMS_PROGRAM", ROOT / "build" / "manyarms"))


# What a test has started ends with it, also if somebody ends the test.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


class NotStarted(Exception):
    """The service ended, or did not say in time where it listens."""


class Service:
    """A service with its own log file. It gets another port at each start, unless one
    asks for the same."""

    def __init__(self, place, folder, options=(), environment=None, program=PROGRAM):
        self.program = program
        self.place = str(place)
        self.log = pathlib.Path(folder) / "service.log"
        self.options = [str(option) for option in options]
        self.environment = {**os.environ, **(environment or {})}
        self.process = None
        self.asked_port = 0
        self.port = 0

    def launch(self):
        """Starts the program, without waiting for it."""
        command = [self.program, "serve", "--data", self.place, "--port",
                   str(self.asked_port), *self.options]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log,
                                            stdin=subprocess.DEVNULL, env=self.environment)

    def start(self, seconds=60):
        self.launch()
        self.wait_until_it_listens(seconds)
        return self

    def wait_until_it_listens(self, seconds=60):
        said = b""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            ready, _, _ = select.select([self.process.stdout], [], [], left)
            if not ready:
                break
            piece = os.read(self.process.stdout.fileno(), 4096)
            if not piece:
                break
            said += piece
            found = re.search(rb"listening on https?://[^ \n]*:(\d+)", said)
            if found:
                self.port = int(found[1])
                return
        self.kill()
        raise NotStarted(f"the service did not start; it said {said!r}, and "
                         f"its log ends with\n{self.end_of_log()}")

    def connect(self, timeout=20):
        return Connection(self.port, timeout)

    def call(self, method, path, value=None):
        connection = self.connect()
        try:
            return connection.call(method, path, value)
        finally:
            connection.close()

    def kill(self):
        """kill -9; returns when the process is gone."""
        self._end(signal.SIGKILL, 30)

    def stop(self, seconds=30):
        """Ends it gracefully and returns its exit code."""
        return self._end(signal.SIGTERM, seconds)

    def wait(self, seconds=30):
        """Its exit code, once it has ended by itself."""
        code = self.process.wait(seconds)
        self.process.stdout.close()
        return code

    def running(self):
        return self.process is not None and self.process.poll() is None

    def resident_bytes(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end_of_log(self, characters=3000):
        return self.log.read_text(errors="replace")[-characters:]

    def _end(self, number, seconds):
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait(seconds)
