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
# Of sessions, so that notes are committed while somebody has the lock.
_LOCK = "SELECT pg_try_advisory_lock(hashtext('manyarms'), hashtext('manyarms_population'))"
# Two that make the same schema at once may both fail otherwise.
_LOCK_SCHEMAS = "SELECT pg_advisory_xact_lock(hashtext('manyarms'), hashtext('manyarms_schemas'))"


class Notes(Protocol):
    """Notes that survive everything."""

    def get(self, name: str) -> bytes | None:
        """A note."""

    def put(self, name: str, value: bytes) -> None:
        """Changes a note. It is durable then."""

    def delete(self, name: str, value: bytes) -> None:
        """Deletes a note if it still has this value."""


class Control(Protocol):
    """Notes, one lock, and the places of the partitions. All methods raise
    UnavailableError if the store cannot be reached."""

    def place_of(self, partition: int) -> str:
        """Where the partition keeps its store, for ``manyarms serve --data``."""

    def notes(self) -> contextlib.AbstractContextManager[Notes]:
        """The notes, which others may change at the same time."""

    def locked(self, seconds: float) -> contextlib.AbstractContextManager[Notes]:
        """Keeps all other threads and processes out that call this, and gives the notes,
        which cannot be changed any more if the lock was lost. It is free again when this
        process ends, however it ends. Raises ClusterTimeout."""


def control_of(store: str | os.PathLike[str]) -> Control:
    """A folder, which is made if it is missing, or a database of PostgreSQL."""
    text = os.fspath(store)
    if not text.isprintable() or '"' in text:
        raise InvalidArgumentError(
            "the store must have neither quotation marks nor characters that cannot be printed")
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
    def notes(self) -> Iterator[Notes]:
        yield _FolderNotes(self._folder / "population.db")

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[Notes]:
        file = os.open(self._folder / "population.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            deadline = Deadline(seconds)
            while not _try_lock(file):
                if deadline.left() == 0:
                    raise _lock_timeout(seconds)
                time.sleep(_PAUSE)
            with self.notes() as notes:
                yield notes
        finally:
            os.close(file)


class _FolderNotes:
    def __init__(self, path: pathlib.Path) -> None:
        self._path = path

    def get(self, name: str) -> bytes | None:
        with self._opened() as database:
            row = database.execute("SELECT value FROM notes WHERE name = ?", [name]).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, name: str, value: bytes) -> None:
        with self._opened() as database:
            database.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", [name, value])

    def delete(self, name: str, value: bytes) -> None:
        with self._opened() as database:
            database.execute("DELETE FROM notes WHERE name = ? AND value = ?", [name, value])

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """A transaction. (A commit with SQLite's defaults survives a power cut.)"""
        with contextlib.closing(sqlite3.connect(self._path, timeout=60)) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value BLOB)")
            yield database


class PostgresControl:
    """A schema for each partition, and one for the notes, in one database."""

    def __init__(self, url: str) -> None:
        if urllib.parse.urlsplit(url).query.find("options=") >= 0:
            raise InvalidArgumentError(
                "the store's URL must have no options: each partition gets a schema of its own")
        self._url = url
        self._make_schema("manyarms_population",
                          "CREATE TABLE IF NOT EXISTS manyarms_population.notes "
                          "(name TEXT PRIMARY KEY, value BYTEA)")

    def place_of(self, partition: int) -> str:
        schema = f"manyarms_{partition:04}"
        self._make_schema(schema)
        join = "&" if "?" in self._url else "?"
        return f"{self._url}{join}options=-csearch_path%3D{schema}"

    @contextlib.contextmanager
    def notes(self) -> Iterator[Notes]:
        with self._connected() as database:
            yield _PostgresNotes(database)

    @contextlib.contextmanager
    def locked(self, seconds: float) -> Iterator[Notes]:
        with self._connected() as database:
            deadline = Deadline(seconds)
            while not _row_of(database, _LOCK)[0]:
                if deadline.left() == 0:
                    raise _lock_timeout(seconds)
                time.sleep(_PAUSE)
            yield _PostgresNotes(database)

    def _make_schema(self, schema: str, *then: str) -> None:
        with self._connected() as database, _store_errors(), database.transaction():
            database.execute(_LOCK_SCHEMAS)
            database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            for statement in then:
                database.execute(statement)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Any]:
        """A connection on which each statement is a transaction."""
        with _store_errors():
            database = _psycopg().connect(self._url, autocommit=True)
        with contextlib.closing(database):
            yield database


class _PostgresNotes:
    def __init__(self, database: Any) -> None:
        self._database = database

    def get(self, name: str) -> bytes | None:
        row = _row_of(self._database,
                      "SELECT value FROM manyarms_population.notes WHERE name = %s", name)
        return None if row is None else bytes(row[0])

    def put(self, name: str, value: bytes) -> None:
        self._change("INSERT INTO manyarms_population.notes VALUES (%s, %s) "
                     "ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value", name, value)

    def delete(self, name: str, value: bytes) -> None:
        self._change("DELETE FROM manyarms_population.notes WHERE name = %s AND value = %s",
                     name, value)

    def _change(self, statement: str, *given: Any) -> None:
        with _store_errors():
            self._database.execute(statement, given)


def _row_of(database: Any, query: str, *given: Any) -> Any:
    with _store_errors():
        return database.execute(query, given).fetchone()


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise ImportError("a population in PostgreSQL needs psycopg, which is not "
                          "installed: pip install 'manyarms[postgres]'") from error
    return psycopg


@contextlib.contextmanager
def _store_errors() -> Iterator[None]:
    """Makes an UnavailableError of what PostgreSQL says."""
    try:
        yield
    except _psycopg().Error as error:
        raise UnavailableError(f"the store of the population cannot be used: {error}") from error


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_timeout(seconds: float) -> ClusterTimeout:
    return ClusterTimeout(
        f"somebody else has been changing arms or settings for {seconds:g} s")
