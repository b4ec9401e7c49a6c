"""What belongs to all partitions of a population, in the store of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import sqlite3
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any, Protocol

from manyarms.cluster._deadline import Deadline
from manyarms.errors import ClusterTimeout, InvalidArgumentError, UnavailableError

_PAUSE = 0.02  # seconds between two attempts to get the lock
_LOCK = ("SELECT pg_try_advisory_xact_lock("
         "hashtext('manyarms'), hashtext('manyarms_population'))")


class Control(Protocol):
    """Notes that survive everything, one lock, and the places of the partitions."""

    def place_of(self, partition: int) -> str:
        """Where the partition keeps its store, for ``manyarms serve --data``."""

    def locked(self, seconds: float) -> contextlib.AbstractContextManager[None]:
        """Keeps all other threads and processes out that call this. It is free again
        when this process ends, however it ends. Raises ClusterTimeout."""

    def get(self, name: str) -> bytes | None:
        """A note."""

    def put(self, name: str, value: bytes | None) -> None:
        """Changes a note, or with None deletes it. It is durable then."""


def control_of(store: str | os.PathLike[str]) -> Control:
    """A folder, which is made if it is missing, or a database of PostgreSQL."""
    text = os.fspath(store)
    if text.startswith(("postgresql://", "postgres://")):
        return PostgresControl(text)
    return FolderControl(pathlib.Path(text).absolute())


class FolderControl:
    """Files of SQLite in a folder."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def place_of(self, partition: int) -> str:
        return str(self._folder / f"partition-{partition:04}.db")

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[None]:
        file = os.open(self._folder / "population.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            deadline = Deadline(seconds)
            while not _try_lock(file):
                if deadline.left() == 0:
                    raise _lock_timeout(seconds)
                time.sleep(_PAUSE)
            yield
        finally:
            os.close(file)

    def get(self, name: str) -> bytes | None:
        with self._opened() as database:
            row = database.execute("SELECT value FROM notes WHERE name = ?", [name]).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, name: str, value: bytes | None) -> None:
        with self._opened() as database:
            database.execute("DELETE FROM notes WHERE name = ?", [name])
            if value is not None:
                database.execute("INSERT INTO notes VALUES (?, ?)", [name, value])

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A transaction. (A commit with SQLite's defaults survives a power cut.)"""
        path = self._folder / "population.db"
        with contextlib.closing(sqlite3.connect(path, timeout=60)) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value BLOB)")
            yield database


class PostgresControl:
    """A schema for each partition, and one for the notes, in one database."""

    def __init__(self, url: str) -> None:
        if urllib.parse.urlsplit(url).query.find("options=") >= 0:
            raise InvalidArgumentError(
                "the store's URL must have no options: each partition gets a schema of its own")
        self._url = url
        with self._opened() as database:
            database.execute("CREATE SCHEMA IF NOT EXISTS manyarms_population")
            database.execute("CREATE TABLE IF NOT EXISTS manyarms_population.notes "
                             "(name TEXT PRIMARY KEY, value BYTEA)")

    def place_of(self, partition: int) -> str:
        schema = f"manyarms_{partition:04}"
        with self._opened() as database:
            database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        join = "&" if "?" in self._url else "?"
        return f"{self._url}{join}options=-csearch_path%3D{schema}"

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[None]:
        with self._opened() as database:
            deadline = Deadline(seconds)
            while not database.execute(_LOCK).fetchone()[0]:
                if deadline.left() == 0:
                    raise _lock_timeout(seconds)
                time.sleep(_PAUSE)
            yield

    def get(self, name: str) -> bytes | None:
        with self._opened() as database:
            row = database.execute(
                "SELECT value FROM manyarms_population.notes WHERE name = %s", [name]).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, name: str, value: bytes | None) -> None:
        with self._opened() as database:
            database.execute("DELETE FROM manyarms_population.notes WHERE name = %s", [name])
            if value is not None:
                database.execute("INSERT INTO manyarms_population.notes VALUES (%s, %s)",
                                 [name, value])

    def _opened(self) -> Any:
        """A transaction on a connection of its own."""
        try:
            import psycopg
        except ImportError as error:
            raise ImportError("a population in PostgreSQL needs psycopg, which is not "
                              "installed: pip install 'manyarms[postgres]'") from error
        try:
            return psycopg.connect(self._url)
        except psycopg.OperationalError as error:
            raise UnavailableError(f"the store cannot be reached: {error}") from error


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_timeout(seconds: float) -> ClusterTimeout:
    return ClusterTimeout(
        f"somebody else has been changing arms or settings for {seconds:g} s")
