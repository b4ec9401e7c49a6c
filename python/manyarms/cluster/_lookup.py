"""A search for a partition that all who wait for it share."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, TimeoutError as NotYet
from typing import Any

from manyarms.cluster._deadline import Deadline
from manyarms.cluster._endpoint import PAUSE, Endpoint, endpoint_of, timeout_of
from manyarms.errors import ClusterTimeout


class Lookup:
    """Finds where the service of a partition listens. Any thread may call any method.

    name: what errors call the partition.
    start: returns its actor, which is made if there is none.
    """

    def __init__(self, name: str, start: Callable[[], Any]) -> None:
        self._name = name
        self._start = start
        self._lock = threading.Lock()
        self._waiting = 0
        self._search: Future[Endpoint] | None = None
        self._why = "its actor does not answer"

    def find(self, deadline: Deadline) -> Endpoint:
        """Waits for a partition. Raises ClusterTimeout, or TakenOverError if it will not
        come back by itself."""
        with self.joined() as search:
            try:
                return search.result(deadline.left())
            except NotYet:
                raise self.timeout(deadline) from None

    @contextlib.contextmanager
    def joined(self) -> Iterator[Future[Endpoint]]:
        """The search, which goes on as long as somebody waits for it."""
        with self._lock:
            self._waiting += 1
            if self._search is None:
                self._search = Future()
                self._search.set_running_or_notify_cancel()
                threading.Thread(target=self._run, args=[self._search], daemon=True).start()
            search = self._search
        try:
            yield search
        finally:
            with self._lock:
                self._waiting -= 1

    def timeout(self, deadline: Deadline) -> ClusterTimeout:
        """The error of who has waited until the deadline."""
        return timeout_of(self._name, deadline, self._why)

    def _run(self, search: Future[Endpoint]) -> None:
        try:
            while self._is_wanted():
                endpoint, self._why = endpoint_of(self._name, self._start)
                if endpoint is not None:
                    self._end()
                    search.set_result(endpoint)
                    return
                time.sleep(PAUSE)
        except BaseException as error:
            self._end()
            search.set_exception(error)

    def _is_wanted(self) -> bool:
        with self._lock:
            if self._waiting == 0:
                self._search = None
            return self._waiting > 0

    def _end(self) -> None:
        """Who comes now begins another search."""
        with self._lock:
            self._search = None
