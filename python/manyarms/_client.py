"""A client of ``manyarms serve`` (docs/service.md)."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from manyarms._core import Certified, Hnsw, Lsh, LshTheory, Scan
from manyarms._requests import Requests, json_body, path_of
from manyarms._sent import as_search
from manyarms._served_bandit import ServedBandit
from manyarms.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    import ssl

class Client:
    """A service, reached by HTTP.

        client = manyarms.Client("http://127.0.0.1:7420")
        shop = client.create("shop", dim=16)
        shop.add_arms(ids, X)
        d = shop.choose("alice")
        shop.learn(d, reward)

    Requests that can be repeated without harm are repeated if the connection is lost
    or the service is busy: all that only read, and choices, rewards and observations, to
    which the client gives ids by which the service knows them again. So each is carried
    out once, whatever happens to the connection. Any thread may use a client at any time, and a
    forked child its parent's. Connections are kept open until ``close``.

    url: such as ``http://127.0.0.1:7420``, or with https.
    token: if the service wants one.
    timeout: seconds to wait for the service, for each attempt (ten minutes for many arms,
        snapshots, backups and evaluations).
    retries: how often a request is repeated at most.
    batch: how many choices or rewards go into one request at most (``--max-batch``).
    tls: for https, if the system's certificates are not those to be trusted.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:7420",
        token: str | None = None,
        timeout: float = 10.0,
        retries: int = 3,
        *,
        batch: int = 1_000,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        if batch < 1:
            raise InvalidArgumentError(f"batch is {batch}, expected 1 or more")
        self._requests = Requests(url, token, timeout, retries, tls)
        self._batch = batch

    @property
    def url(self) -> str:
        """Where the service is."""
        return self._requests.url

    def create(
        self,
        name: str,
        dim: int,
        policy: str = "ts",
        search: str | Certified | Scan | Hnsw | Lsh | LshTheory = "certified",
        exploration: float | None = None,
        **settings: Any,
    ) -> ServedBandit:
        """Makes a bandit, or returns the one of this name with the same settings.

        Of one that is there, settings that ``change`` can change stay as they are.

        settings: those of a ``Population`` except for ``prior``, and those of a service:
            arms ("names" or "numbers"), reward_wait, default_reward, aggregation, mode,
            probability_draws (docs/service.md). None stands for the default.
        Raises ConflictError if there is one with other settings that cannot change.
        """
        given = {"dim": dim, "policy": policy, "exploration": exploration}
        body = given | as_search(search) | settings
        body = {key: value for key, value in body.items() if value is not None}
        self._requests.ask("PUT", path_of("bandits", name), json_body(body), repeatable=True)
        return ServedBandit(self._requests, name, self._batch)

    def bandit(self, name: str) -> ServedBandit:
        """The bandit of this name. Raises NotFoundError, a KeyError."""
        self._requests.get(path_of("bandits", name))
        return ServedBandit(self._requests, name, self._batch)

    def bandits(self) -> list[ServedBandit]:
        """All bandits, by name."""
        described = self._requests.get(path_of("bandits"))["bandits"]
        return [ServedBandit(self._requests, one["name"], self._batch) for one in described]

    def delete(self, name: str) -> None:
        """Deletes a bandit with all that belongs to it. Raises NotFoundError."""
        self._requests.delete(path_of("bandits", name))

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self._requests.get(path_of("bandits", name))
        except NotFoundError:
            return False
        return True

    def backup(self, file: str) -> int:
        """Writes a copy of the service's data file beside it, and returns its bytes.

        file: a name without folders, of a file that does not exist yet.
        """
        answer = self._requests.ask(
            "POST", path_of("backup"), json_body({"file": file}), repeatable=False, slow=True
        )
        return int(answer["bytes"])

    def version(self) -> str:
        """The version of the service."""
        return str(self._requests.get("/v1")["version"])

    def live(self) -> dict[str, Any]:
        """What the service's page shows."""
        return dict(self._requests.get(path_of("live")))

    def metrics(self) -> str:
        """The service's metrics, in Prometheus' text format."""
        return str(self._requests.get("/metrics"))

    def close(self) -> None:
        """Closes the connections. A later call opens one again."""
        self._requests.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<manyarms.Client of {self.url}>"
