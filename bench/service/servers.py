"""The servers of the study, each a process of its own on a free port of 127.0.0.1."""

from __future__ import annotations

import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build"
PROGRAM = BUILD / "manyarms"

NAMES = {
    "serve": "manyarms serve",
    "serve-memory": "manyarms serve, its file in memory (/dev/shm)",
    "nothing": "a handler that does nothing, in the same server",
    "population": "FastAPI + manyarms.Population, one process, nothing durable",
    "numpy": "FastAPI + NumPy, one process, nothing durable",
}


class Server:
    """A server that is ready. Stopped at the end of a with statement."""

    def __init__(self, kind: str, data: str = "") -> None:
        self.kind = kind
        start = time.monotonic()
        if kind in ("serve", "serve-memory", "nothing"):
            command = ([BUILD / "bench_do_nothing"] if kind == "nothing"
                       else [PROGRAM, "serve", "--data", data, "--port", "0"])
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
            self.url = self._said()
        else:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            self.process = subprocess.Popen(
                [sys.executable, "-B", f"{kind}_app.py", "--port", str(port)], cwd=HERE)
            self.url = f"http://127.0.0.1:{port}"
            self._wait_until_it_answers()
        self.ready_seconds = time.monotonic() - start

    def _said(self) -> str:
        line = self.process.stdout.readline() if self.process.stdout else ""
        if "http://" not in line:
            raise RuntimeError(f"{self.kind} has not started: {line!r}")
        return line[line.index("http://"):].strip()

    def _wait_until_it_answers(self) -> None:
        for _ in range(300):
            try:
                urllib.request.urlopen(self.url, timeout=5)
            except urllib.error.HTTPError:
                return  # any answer will do
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"{self.kind} does not answer")

    def resident_bytes(self) -> int:
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def cpu_seconds(self) -> float:
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(120)
            except subprocess.TimeoutExpired:
                self.kill()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
