"""Requests to the owner of a partition, wherever it is now."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from manyarms._requests import Body, Requests
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._endpoint import PAUSE, find_endpoint, timeout_of
from manyarms.errors import NotFoundError, UnauthorizedError, UnavailableError

_LONGEST_ATTEMPT = 10.0


class OwnerRequests(Requests):
    """Asks the service of a partition. If it is gone, waits for the next one, and asks
    again where that does no harm.

    name: what errors call the partition.
    start: returns its actor, which is made if there is none.
    """

    def __init__(self, name: str, start: Callable[[], Any], timeout: float) -> None:
        self.url = name
        self.retries = 1  # so that choices and rewards get ids
        self._start = start
        self._seconds = timeout
        self._lock = threading.Lock()
        self._found: Requests | None = None

    def close(self) -> None:
        """Closes the connections; the next request opens one again."""
        with self._lock:
            if self._found is not None:
                self._found.close()

    def ask(
        self, method: str, path: str, body: Body | None = None, *, repeatable: bool,
        slow: bool = False, on_line: Callable[[Any], bool] | None = None,
    ) -> Any:
        """As that of Requests, or ClusterTimeout."""
        deadline = Deadline(self._seconds)
        may_be_done = False
        while True:
            requests = self._owner(deadline)
            try:
                return requests.ask(method, path, body, repeatable=repeatable, slow=slow,
                                    on_line=on_line)
            except NotFoundError:
                if method == "DELETE" and may_be_done:
                    return None
                raise
            except UnauthorizedError:
                pass  # another process listens there now
            except UnavailableError as error:
                may_be_done = may_be_done or error.uncertain
                if may_be_done and not repeatable:
                    raise
                if deadline.left() == 0:
                    raise timeout_of(self.url, deadline, str(error)) from error
            self._forget(requests)
            time.sleep(PAUSE)

    def _owner(self, deadline: Deadline) -> Requests:
        with self._lock:
            if self._found is None:
                self._found = self._find(deadline)
            return self._found

    def _forget(self, requests: Requests) -> None:
        with self._lock:
            if self._found is requests:
                requests.close()
                self._found = None

    def _find(self, deadline: Deadline) -> Requests:
        endpoint = find_endpoint(self.url, self._start, deadline)
        attempt = min(self._seconds, _LONGEST_ATTEMPT)
        return Requests(endpoint.url, endpoint.token, attempt, 0, None)
