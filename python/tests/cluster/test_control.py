"""Notes and the lock of a population, in a folder and in PostgreSQL."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from manyarms import errors
from manyarms.cluster._control import Control, control_of
from populations import postgres_url


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres_url() as url:
        yield url


@pytest.fixture(params=["folder", "postgres"])
def control(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Control:
    if request.param == "folder":
        return control_of(tmp_path)
    return control_of(request.getfixturevalue("database"))


def end_others(database: str) -> None:
    """As a restart of the server ends all connections."""
    import psycopg

    with psycopg.connect(database) as server:
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                       "WHERE datname = current_database() AND pid <> pg_backend_pid()")


def test_notes_stay_until_they_are_deleted(control: Control) -> None:
    with control.locked(10) as notes:
        assert notes.get("a") is None
        notes.put("a", b"1")
        notes.put("a", b"2")
        notes.delete("a", b"1")  # somebody else's by now
    with control.locked(10) as notes, control.notes() as others:
        assert notes.get("a") == others.get("a") == b"2"
        notes.delete("a", b"2")
        assert others.get("a") is None


def test_one_at_a_time_has_the_lock(control: Control) -> None:
    with control.locked(10):
        with pytest.raises(errors.ClusterTimeout), control.locked(0.1):
            pass
    with control.locked(10):
        pass


def test_who_loses_the_lock_changes_no_note_any_more(database: str) -> None:
    control = control_of(database)
    with pytest.raises(errors.UnavailableError), control.locked(10) as notes:
        notes.put("change", b"mine")
        end_others(database)
        with control.locked(10) as others:
            others.put("change", b"another's")
        notes.delete("change", b"mine")
    with control.notes() as notes:
        assert notes.get("change") == b"another's"
        notes.delete("change", b"another's")


def test_many_make_the_schemas_at_the_same_time(database: str) -> None:
    for partition in range(3):
        with ThreadPoolExecutor(8) as pool:
            places = pool.map(lambda _: control_of(database).place_of(partition), range(8))
            assert len(set(places)) == 1


def test_a_store_that_cannot_be_reached_is_unavailable() -> None:
    with pytest.raises(errors.UnavailableError, match="the store of the population"):
        control_of("postgresql://nobody@127.0.0.1:1/none")


def test_a_store_has_no_characters_that_options_files_cannot_have() -> None:
    for store in ('a"b', "a\nb"):
        with pytest.raises(errors.InvalidArgumentError):
            control_of(store)
