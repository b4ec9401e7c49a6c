"""The shards of a bandit, as its owner sees them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import ray
from numpy.typing import NDArray
from ray.exceptions import RayError, RayTaskError

from manyarms.cluster._attached import NAMESPACE
from manyarms.cluster._buckets import BUCKETS, shards_of
from manyarms.cluster._change import Change
from manyarms.cluster._deadline import Deadline
from manyarms.cluster._ledger import Ledger
from manyarms.cluster._shard import OutOfStep, Position, Shard
from manyarms.cluster._sources import Source
from manyarms.cluster._traffic import Traffic
from manyarms.errors import ClusterTimeout

# A shard asks Ray for next to nothing, so that it has a place on every node that has
# a processor for work; a node without (``num_cpus=0``) gets no shard.
_PROCESSORS = 0.01
_PAUSE = 0.05  # seconds between two attempts to reach a shard that Ray restarts
# What kills a shard so often during one call, such as a lack of memory, will kill it again.
_MOST_REPEATS = 5


class Lost(Exception):
    """A shard's process or node died before the answer came, or the answer with it."""


class Shared:
    """A message that is handed to Ray once, for all shards that get it."""

    def __init__(self, message: bytes) -> None:
        self.message = message
        self.ref = ray.put(message)


class Shards:
    """Asks shards, and brings back those that were lost before it goes on.

    Ray restarts an actor whose process or node died, elsewhere if need be, but empty.
    Such a shard refuses to answer (``OutOfStep``), and is then made from the ledger.
    """

    def __init__(
        self, options: Mapping[str, Any], names: Sequence[str | None], ledger: Ledger,
        traffic: Traffic,
    ) -> None:
        self.ledger = ledger
        self.count = count = len(names)
        self._traffic = traffic
        # An empty shard is right for an empty ledger only.
        self._number = 1 if ledger.arms > 0 or ledger.sources > 0 else 0
        self._expected = [self._number] * count
        self.restores = [0] * count
        kind: Any = ray.remote(Shard)
        self._actors = [
            kind.options(
                name=name, namespace=NAMESPACE,
                num_cpus=_PROCESSORS, scheduling_strategy="SPREAD",
                max_restarts=-1, max_task_retries=0,
            ).remote(dict(options), place, count)
            for place, name in enumerate(names)
        ]

    def call(self, kind: str, given: Mapping[int, tuple[Any, ...]],
             deadline: Deadline) -> dict[int, Any]:
        """Calls a method of some shards and returns what each of them answers."""
        answers: dict[int, Any] = {}
        waiting = {self.begin(kind, shard, *args): shard for shard, args in given.items()}
        while waiting:
            lost = []
            for ref in self._ready(waiting, deadline):
                shard = waiting.pop(ref)
                try:
                    answers[shard] = self._answer(kind, ref, deadline)
                except (OutOfStep, Lost):
                    lost.append(shard)
            self.bring_back(lost, deadline)
            waiting |= {self.begin(kind, shard, *given[shard]): shard for shard in lost}
        return answers

    def call_all(self, kind: str, deadline: Deadline, *args: Any) -> list[Any]:
        """Calls a method of all shards and returns their answers in order."""
        answers = self.call(kind, dict.fromkeys(range(self.count), args), deadline)
        return [answers[shard] for shard in range(self.count)]

    def begin(self, kind: str, shard: int, *args: Any) -> Any:
        """Sends a call, without waiting for its answer."""
        self._traffic.sent(kind, args)
        return self._send(kind, shard, self._expected[shard], *args)

    def describe(self, deadline: Deadline) -> list[dict[str, Any]]:
        """What each shard says about itself. One that was lost is brought back first."""
        self.call_all("contains", deadline, np.empty(0, np.uint64))
        waiting = {self._send("describe", shard): shard for shard in range(self.count)}
        answers = {}
        while waiting:
            for ref in self._ready(waiting, deadline):
                answers[waiting.pop(ref)] = ray.get(ref)
        return [answers[shard] for shard in range(self.count)]

    def prepare(self, change: Change, deadline: Deadline) -> list[int]:
        """Has a change checked and taken by all shards that it concerns, which it
        returns."""
        places = shards_of(change.ids, self.count)
        given = {int(shard): (change.part(places == shard),) for shard in set(places)}
        self.call("prepare", given, deadline)
        return list(given)

    def commit(self, change: Change, concerned: list[int], deadline: Deadline) -> None:
        """Makes a change that was prepared. From here on it counts: a shard that does
        not answer in time makes it when it is brought back."""
        self.ledger.record(change)
        self._advance(concerned, deadline)

    def load(self, source: Source, deadline: Deadline,
             progress: Callable[[list[int]], object]) -> NDArray[np.int64]:
        """Has all shards read the parts of a source, one after the other, and returns how
        many arms there are of each bucket. ``progress`` gets the number of parts that
        each shard has read."""
        to = self._number + 1
        counts = [[np.zeros(BUCKETS, np.int64)] for _ in range(self.count)]
        waiting: dict[Any, int] = {}

        def begin(shard: int) -> None:
            place = len(counts[shard]) - 1
            if place < len(source.parts):
                ref = self.begin("load", shard, to, place, source.parts[place])
                waiting[ref] = shard

        for shard in range(self.count):
            begin(shard)
        while waiting:
            ready, _ = ray.wait(list(waiting), timeout=deadline.left())
            if not ready:
                raise self._timeout(sorted(set(waiting.values())), deadline)
            shard = waiting.pop(ready[0])
            try:
                counts[shard].append(self._answer("load", ready[0], deadline))
            except (OutOfStep, Lost) as reason:
                deadline.repeats[shard] += 1
                self._check_repeats(shard, deadline, reason)
                self.bring_back([shard], deadline)
                del counts[shard][1:]
            begin(shard)
            progress([len(done) - 1 for done in counts])
        total: NDArray[np.int64] = np.sum([np.sum(done, axis=0) for done in counts], axis=0)
        if source.parts:
            self.ledger.record_source(source, total)
            self._advance(list(range(self.count)), deadline)
        return total

    def bring_back(self, shards: Sequence[int], deadline: Deadline) -> None:
        """Makes shards what they should be, if they are not, as soon as Ray has restarted
        them. What was done when the deadline is over need not be done again."""
        if shards:
            with ThreadPoolExecutor(len(shards)) as pool:
                list(pool.map(lambda shard: self._bring_back(shard, deadline), shards))

    def close(self) -> None:
        """Ends the shards' processes."""
        for actor in self._actors:
            ray.kill(actor)

    def _advance(self, concerned: list[int], deadline: Deadline) -> None:
        self._number += 1
        sent = [self.begin("commit", shard, self._number) for shard in concerned]
        for shard in concerned:
            self._expected[shard] = self._number
        for ref in sent:
            try:
                ray.get(ref, timeout=deadline.left())
            except RayError:
                continue  # whoever asks the shard next brings it back

    def _bring_back(self, shard: int, deadline: Deadline) -> None:
        while True:
            try:
                return self._restore(shard, deadline)
            except (OutOfStep, Lost) as reason:
                if deadline.left() == 0:
                    raise self._timeout([shard], deadline) from reason
                self._check_repeats(shard, deadline, reason)
                time.sleep(_PAUSE)

    def _check_repeats(self, shard: int, deadline: Deadline, reason: Exception) -> None:
        if deadline.repeats[shard] >= _MOST_REPEATS:
            raise ClusterTimeout(
                f"shard {shard} of {self.count} was lost {_MOST_REPEATS} times while it took its "
                f"arms; the last time: {reason or 'it was restarted'}") from reason

    def _restore(self, shard: int, deadline: Deadline) -> None:
        position: Position = self._ask(shard, deadline, "position")
        target = self._expected[shard]
        if position.number == target and position.target is None:
            return
        done = position.steps
        if position.target != target:
            left_out = self.ledger.left_out(shard, self.count)
            self.restores[shard] += 1
            deadline.repeats[shard] += 1
            self._ask(shard, deadline, "begin_restore", target, left_out,
                      self.restores[shard])
            done = 0
        count = 0
        for step in self.ledger.steps(shard, self.count):
            if count >= done:
                self._ask(shard, deadline, "restore", target, count, step)
            count += 1
        self._ask(shard, deadline, "end_restore", target, count)

    def _ask(self, shard: int, deadline: Deadline, kind: str, *args: Any) -> Any:
        ref = self._send(kind, shard, *args)
        self._traffic.sent(kind, args)
        (ready,) = self._ready({ref: shard}, deadline)
        return self._answer(kind, ready, deadline)

    def _send(self, kind: str, shard: int, *args: Any) -> Any:
        given = [arg.ref if isinstance(arg, Shared) else arg for arg in args]
        return getattr(self._actors[shard], kind).remote(*given)

    def _ready(self, waiting: Mapping[Any, int], deadline: Deadline) -> list[Any]:
        ready, _ = ray.wait(
            list(waiting), num_returns=len(waiting), timeout=deadline.left())
        if not ready:
            raise self._timeout(sorted(waiting.values()), deadline)
        return list(ready)

    def _answer(self, kind: str, ref: Any, deadline: Deadline) -> Any:
        try:
            answer = ray.get(ref)
        except RayTaskError as error:
            raise error.cause from None
        except RayError as error:
            raise Lost(str(error).partition("\n")[0]) from error
        self._traffic.received(kind, answer)
        deadline.step_done()
        return answer

    def _timeout(self, shards: list[int], deadline: Deadline) -> ClusterTimeout:
        names = ", ".join(map(str, shards))
        return ClusterTimeout(
            f"shard {names} of {self.count} did not answer within {deadline.seconds:g} s")
