"""The file of a directory, from which it has its records again after a restart: an SQLite database.

It is like a dict whose changes are made in batches, each as a whole or not at all. When `write` has returned,
they have reached the disk: neither a killed process nor a host without power loses them. One process at a
time has the file. Files that are broken, or not a directory's, or of a newer version, are refused and left as
they are.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import InvalidDescriptionError, StoreError
from formicary.directory.model.description import ServiceDescription  # noqa: TC001 -- msgspec reads the types
from formicary.directory.model.query import Query  # noqa: TC001 -- as above

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

VERSION = 2
"""The version of the tables, which stands in the file as SQLite's user_version."""

_APPLICATION = 0x466D6379  # "Fmcy": marks the file as a directory's, as SQLite's application_id
_TABLES = """
CREATE TABLE records (
    agent TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (agent, kind, name)
) WITHOUT ROWID
"""
_PUT = "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)"
_REMOVE = "DELETE FROM records WHERE agent = ? AND kind = ? AND name = ?"


class Registration(msgspec.Struct, frozen=True, array_like=True, tag="service", gc=False):
    """A service that is registered.

    Args:
        description: the service.
        lease: for how many seconds it is registered unless it is renewed; None for ever.
    """

    description: ServiceDescription
    lease: float | None = None

    @property
    def key(self) -> Key:
        """What the record is kept under."""
        return Key(self.description.agent, "service", self.description.name)


class Subscription(msgspec.Struct, frozen=True, array_like=True, tag="subscription"):
    """An agent that is told of services that come and go.

    Args:
        agent: the full name of who is told.
        conversation_id: what the agent knows the subscription by, unique among its own.
        query: the services that it wants to know of.
        reply_with: what notifications carry as `in_reply_to`.
    """

    agent: str
    conversation_id: str
    query: Query
    reply_with: str | None = None

    @property
    def key(self) -> Key:
        """What the record is kept under."""
        return Key(self.agent, "subscription", self.conversation_id)


class Member(msgspec.Struct, frozen=True, array_like=True, tag="member", gc=False):
    """A container of the platform that was there when it was last heard of.

    Args:
        domain: its full domain.
        incarnation: tells it from earlier containers of this domain, whose agents are no more.
    """

    domain: str
    incarnation: int

    @property
    def key(self) -> Key:
        """What the record is kept under."""
        return Key(self.domain, "member", "")


class Visitor(msgspec.Struct, frozen=True, array_like=True, tag="visitor", gc=False):
    """An agent that has moved to a container.

    Args:
        agent: its full name.
        domain: the full domain of the container.
        moves: how often it had moved when it came there.
    """

    agent: str
    domain: str
    moves: int

    @property
    def key(self) -> Key:
        """What the record is kept under."""
        return Key(self.agent, "visitor", "")


class Key(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a record is kept under.

    Args:
        agent: the full name of the agent whose it is; a member's domain.
        kind: `"service"`, `"subscription"`, `"visitor"` or `"member"`.
        name: the service's name, or the subscription's conversation; else empty.
    """

    agent: str
    kind: str
    name: str


Record = Registration | Subscription | Visitor | Member


class Store:
    """The file of a directory. To be used from one thread at a time, which may change.

    Args:
        path: the file; it is made, readable for its owner only, if there is none.

    Raises:
        StoreError: it cannot be used; with why and what to do.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._number = 0  # of the newest record: records are loaded in the order in which they were written
        with self._explained():
            with suppress(FileExistsError):  # SQLite gives its further files the mode of the first
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            with self._explained():
                self._open()
        except BaseException:
            self._connection.close()
            raise

    def load(self) -> Iterator[Record]:
        """Return all records in the order in which they were written; nothing may be written meanwhile.

        Raises:
            StoreError: the file is broken.
        """
        decode = msgspec.msgpack.Decoder(Record).decode
        with self._explained():
            for agent, name, value in self._connection.execute(
                "SELECT agent, name, value FROM records ORDER BY number"
            ):
                try:
                    yield decode(value)
                except (msgspec.DecodeError, InvalidDescriptionError, TypeError) as error:
                    raise StoreError(
                        f"{self.path} is broken: the record of {agent!r}, {name!r}, cannot be read "
                        f"({error}); {_RESTORE}"
                    ) from None

    def write(self, changes: Mapping[Key, Record | None]) -> None:
        """Put records under their keys, or remove what is there where it is None: all of it, or nothing.

        Raises:
            StoreError: nothing has changed; with why.
        """
        encode = msgspec.msgpack.Encoder().encode
        run = self._connection.execute
        with self._explained(), self._transaction():
            for key, record in changes.items():
                if record is None:
                    run(_REMOVE, (key.agent, key.kind, key.name))
                else:
                    self._number += 1
                    run(_PUT, (key.agent, key.kind, key.name, self._number, encode(record)))

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        with self._explained():
            self._connection.close()

    def _open(self) -> None:
        run = self._connection.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        (application,) = run("PRAGMA application_id").fetchone()
        (version,) = run("PRAGMA user_version").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        is_new = not (application or version or tables)
        if not is_new:
            self._check(application, version)
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = FULL")
        with self._transaction():  # takes the lock, for as long as the file is open
            if is_new:
                run(f"PRAGMA application_id = {_APPLICATION}")
                run(f"PRAGMA user_version = {VERSION}")
                run(_TABLES)
        # Goes through all of the table, and so finds it broken before anybody relies on it.
        (self._number,) = run("SELECT coalesce(max(number), 0) FROM records").fetchone()
        if not is_new and version < VERSION:  # the first had no visitors, and was the same otherwise
            run(f"PRAGMA user_version = {VERSION}")

    def _check(self, application: int, version: int) -> None:
        if application != _APPLICATION:
            raise StoreError(f"{self.path} is another program's database; name another file")
        if version > VERSION:
            raise StoreError(
                f"{self.path} has been written by a newer version of Formicary (its format is {version}, "
                f"and this one knows {VERSION}); use that version, or name another file"
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite has rolled back by itself after some errors
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(_explain(self.path, error)) from error


_RESTORE = "put a copy in its place, or move it away to start with an empty directory"
_CAUSES = {
    "SQLITE_BUSY": "is in use by another process; end that one, or name another file",
    "SQLITE_LOCKED": "is in use by another process; end that one, or name another file",
    "SQLITE_NOTADB": f"is not a directory's file, or it is broken; name another file, or {_RESTORE}",
    "SQLITE_CORRUPT": f"is broken; {_RESTORE}",
    "SQLITE_FULL": "cannot grow, the disk is full; make room and try again",
    "SQLITE_READONLY": "cannot be written; make it writable, or name another file",
    "SQLITE_CANTOPEN": "cannot be opened; see whether its folder is there and can be written",
}


def _explain(path: Path, error: sqlite3.Error | OSError) -> str:
    if isinstance(error, OSError):
        return f"{path} cannot be opened: {error.strerror}; name another file"
    name = getattr(error, "sqlite_errorname", "")
    for code, cause in _CAUSES.items():
        if name == code or name.startswith(f"{code}_"):  # extended codes say more: SQLITE_CORRUPT_VTAB
            return f"{path} {cause}"
    return f"{path} cannot be read or written: {error} ({name}); see whether the disk is full or broken"
