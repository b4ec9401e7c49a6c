"""A process ``manyarms serve`` that is started again when it ends."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Sequence

from manyarms import _program
from manyarms.errors import InvalidArgumentError

_CHILD = pathlib.Path(__file__).with_name("_child.py")
_LISTENING = re.compile(rb"listening on (\S+)")
_TAKEN_OVER = 3  # the program's status if another process has its store
_PAUSE = 0.2  # seconds between two starts
_LONGEST_PAUSE = 5.0


# What only a partition itself can say.
_OWN_OPTIONS = frozenset({"--data", "--address", "--port", "--take-over", "--tokens"})


def check_options(options: Sequence[str]) -> None:
    """Refuses options of ``manyarms serve`` that partitions set themselves."""
    for option in options:
        name = option.partition("=")[0]
        if name in _OWN_OPTIONS:
            raise InvalidArgumentError(
                f"serve has the option {name}, which partitions set themselves: "
                f"{', '.join(sorted(_OWN_OPTIONS))}")


class Serving:
    """Keeps a service running over a store, in a child that ends with this process.

    The first child takes the store over from whoever has it. Later ones do not: after
    this process was cut off for a while, the store may have another owner.
    """

    def __init__(self, place: str, address: str, token: str, options: Sequence[str]) -> None:
        # The place may have a password, so it stands in no list of processes.
        self._file = os.memfd_create("options")
        os.write(self._file, f'[serve]\ndata = "{place}"\n'.encode())
        self._command = [str(_program.path()), "--config", f"/proc/self/fd/{self._file}",
                         "serve", "--address", address, *options]
        self._environment = os.environ | {"MANYARMS_TOKENS": f"admin:{token}"}
        self._lock = threading.Lock()
        self._url = ""
        self._port = 0
        self._process: int | None = None
        self._starts = 0
        self._status: int | None = None  # of the last child that ended
        self._has_owned = False
        # The children belong to this thread: the system ends them with it.
        threading.Thread(target=self._run, daemon=True).start()

    def state(self) -> dict[str, object]:
        """Where the service listens ("" while it starts), its process, how often it was
        started again, and whether another process has taken over the store."""
        with self._lock:
            return {"url": self._url, "process": self._process,
                    "restarts": max(0, self._starts - 1),
                    "taken_over": self._status == _TAKEN_OVER}

    def _run(self) -> None:
        """Ray starts an actor again whose process ends, but not one that lost a thread."""
        try:
            self._keep_serving()
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    def _keep_serving(self) -> None:
        pause = _PAUSE
        while True:
            status, has_listened = self._serve_once()
            with self._lock:
                self._url, self._process, self._status = "", None, status
            if status == _TAKEN_OVER:
                return
            if has_listened:
                pause = _PAUSE
                continue
            with self._lock:
                self._port = 0  # it may be another program's now
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _serve_once(self) -> tuple[int | None, bool]:
        """Runs a child to its end. Returns its status, and whether it has listened; None if
        the system has no room for a child."""
        flags = ["--port", str(self._port), *([] if self._has_owned else ["--take-over"])]
        command = [sys.executable, "-I", "-S", str(_CHILD), str(os.getpid()), *self._command,
                   *flags]
        has_listened = False
        try:
            started = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, env=self._environment,
                                       pass_fds=[self._file])
        except OSError:
            return None, False
        with started as child:
            with self._lock:
                self._process = child.pid
                self._starts += 1
            assert child.stdout is not None
            for line in child.stdout:
                if found := _LISTENING.search(line):
                    self._listens(found[1].decode())
                    has_listened = True
            return child.wait(), has_listened

    def _listens(self, url: str) -> None:
        with self._lock:
            self._url = url
            self._has_owned = True
            # Clients that know the port need not ask again.
            self._port = int(url.rpartition(":")[2])
