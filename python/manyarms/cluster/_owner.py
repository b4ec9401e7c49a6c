"""Requests to the owner of a partition, wherever it is now."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from manyarms._requests import Body, Requests
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._endpoint import PAUSE, timeout_of
from manyarms.cluster._lookup import Lookup
from manyarms.cluster._watched import WatchedRequests
from manyarms.errors import NotFoundError, ServiceError, UnauthorizedError, UnavailableError

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
        self._seconds = timeout
        self._lookup = Lookup(name, start)
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
        deadline: Deadline | None = None,
    ) -> Any:
        """As that of Requests, or ClusterTimeout.

        slow: whether the service may take long, as long as it tells that it is ready.
        deadline: until when to wait for a partition that does not answer, if it is not
            that of a request by itself.
        """
        deadline = deadline or Deadline(self._seconds)
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
            except UnauthorizedError as error:  # another process listens there now
                why: ServiceError = error
            except UnavailableError as error:
                may_be_done = may_be_done or error.uncertain
                if may_be_done and not repeatable:
                    raise
                why = error
            if deadline.left() == 0:
                raise timeout_of(self.url, deadline, str(why)) from why
            self._forget(requests)
            time.sleep(PAUSE)

    def _owner(self, deadline: Deadline) -> Requests:
        with self._lock:
            if self._found is not None:
                return self._found
        endpoint = self._lookup.find(deadline)
        with self._lock:
            if self._found is None:
                attempt = min(self._seconds, _LONGEST_ATTEMPT)
                self._found = WatchedRequests(endpoint, attempt)
            return self._found

    def _forget(self, requests: Requests) -> None:
        with self._lock:
            if self._found is requests:
                requests.close()
                self._found = None
