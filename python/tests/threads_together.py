"""Several threads at the same time, which several tests share."""

from __future__ import annotations

import threading
from collections.abc import Callable


def together(*work: Callable[[], None]) -> None:
    failures: list[BaseException] = []

    def guarded(one: Callable[[], None]) -> None:
        try:
            one()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    assert not failures, failures
