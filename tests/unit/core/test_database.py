"""SQLite files: which are used, what is kept of a change that fails, and what is said of others."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import ExitStack, closing

import pytest

from formicary.core.database import Database, FileKind
from formicary.errors import StoreError

KIND = FileKind(0x54657374, 3, ["CREATE TABLE stamps (country)"], "an album", "collector", "buy another one")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "album.sqlite"


def opened(path, kind=KIND):
    """Return a file that was opened, and a connection to it."""
    with ExitStack() as stack:
        database = Database(path, kind)
        stack.callback(database.close)
        with database.explained():
            database.make()
            connection = database.connect(timeout=0)
            is_new = database.check(connection) is None
            database.prepare(connection)
            if is_new:
                with database.transaction(connection):
                    database.begin_file(connection)
        stack.pop_all()
    return database, connection


def stamps(path):
    database, connection = opened(path)
    with closing(database):
        return [row[0] for row in connection.execute("SELECT country FROM stamps")]


def test_a_change_is_made_as_a_whole_or_not_at_all(path):
    database, connection = opened(path)
    with closing(database):
        with database.transaction(connection):
            connection.execute("INSERT INTO stamps VALUES ('Malta')")
        with pytest.raises(StoreError), database.explained(), database.transaction(connection):
            connection.executemany("INSERT INTO stamps VALUES (?)", [("Chad",), (object(),)])
    assert stamps(path) == ["Malta"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_of_an_older_version_is_known_and_one_of_a_newer_is_refused(path):
    opened(path)[0].close()
    database, connection = opened(path, KIND._replace(version=4))
    assert database.check(connection) == 3
    database.close()
    with pytest.raises(StoreError, match=r"by a newer version of Formicary \(format 3; this one supports 2"):
        opened(path, KIND._replace(version=2))


def test_a_file_of_another_program_is_refused_and_stays_as_it_is(path):
    opened(path)[0].close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"album\.sqlite is another program's database; choose another file"):
        opened(path, KIND._replace(application=1))
    assert path.read_bytes() == before


def test_what_is_no_database_is_not_what_it_should_be(path):
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(
        StoreError, match="is not an album, or it is corrupt; choose another file, or buy another"
    ):
        opened(path)


def test_a_full_disk_is_said(path):
    database, connection = opened(path)
    with closing(database):
        connection.execute("PRAGMA max_page_count = 2")
        with (
            pytest.raises(
                StoreError, match="cannot grow because the disk is full; free some space and try again"
            ),
            database.explained(),
            database.transaction(connection),
        ):
            connection.execute("INSERT INTO stamps VALUES (zeroblob(100000))")
    assert stamps(path) == []


def test_a_file_that_somebody_else_writes_is_said_to_be_in_use(path):
    database, connection = opened(path)
    with closing(database), closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with (
            pytest.raises(
                StoreError, match="is in use by another collector; stop that one, or choose another"
            ),
            database.explained(),
            database.transaction(connection),
        ):
            pass


def test_where_no_file_can_be_is_said(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened: No such file or directory; choose another file"):
        opened(tmp_path / "nowhere" / "album.sqlite")
