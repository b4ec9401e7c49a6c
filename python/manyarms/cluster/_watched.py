"""Requests to a service of which a sign of life is asked while it works."""

from __future__ import annotations

import http.client
import select

from manyarms._requests import Requests
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._endpoint import Endpoint
from manyarms.errors import ServiceError

_PAUSE = 0.5  # seconds between two signs of life


class WatchedRequests(Requests):
    """Waits for a slow answer as long as the service says that it is ready, which one
    that hangs or cannot write to its store does not.

    timeout: seconds for other answers, and between two signs of life.
    """

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        super().__init__(endpoint.url, endpoint.token, timeout, 0, None)

    def _wait_of(self, slow: bool) -> float:
        return self._timeout

    def _await_answer(self, connection: http.client.HTTPConnection, slow: bool) -> None:
        if not slow:
            return
        poll = select.poll()
        poll.register(connection.sock, select.POLLIN)
        silent = Deadline(self._timeout, for_each_step=True)
        while not poll.poll(1000 * _PAUSE):
            if self._is_ready():
                silent.step_done()
            elif silent.left() == 0:
                raise TimeoutError

    def _is_ready(self) -> bool:
        try:
            self.get("/readyz")
        except ServiceError:
            return False
        return True
