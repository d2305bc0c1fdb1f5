"""The file from which a directory restores its records after a restart: an SQLite database.

It is like a dict that is changed in atomic batches. When `write` returns, they are on disk: neither a killed
process nor a power failure loses them. Only one process at a time can open the file. Files that are corrupt,
not a directory's, or of a newer version are refused and left unchanged. A journal writes to it in a thread,
without blocking the event loop.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import msgspec

from formicary.core.database import Database, FileKind
from formicary.core.errors import InvalidDescriptionError, StoreError
from formicary.directory.model.description import ServiceDescription  # noqa: TC001 -- msgspec reads the types
from formicary.directory.model.query import Query  # noqa: TC001 -- as above

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

VERSION = 2
"""The version of the tables, SQLite's user_version."""

_KIND = FileKind(
    application=0x466D6379,  # "Fmcy"
    version=VERSION,
    tables=[
        """CREATE TABLE records (
            agent TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
            value BLOB NOT NULL, PRIMARY KEY (agent, kind, name)
        ) WITHOUT ROWID"""
    ],
    what="a directory's file",
    owner="process",
    restore="restore a copy, or move it away to start with an empty directory",
)
_PUT = "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)"
_REMOVE = "DELETE FROM records WHERE agent = ? AND kind = ? AND name = ?"


class Registration(msgspec.Struct, frozen=True, array_like=True, tag="service", gc=False):
    """A registered service.

    Args:
        description: the service.
        lease: seconds until it ends unless renewed; None for ever.
    """

    description: ServiceDescription
    lease: float | None = None

    @property
    def key(self) -> Key:
        """The key of the record."""
        return Key(self.description.agent, "service", self.description.name)


class Subscription(msgspec.Struct, frozen=True, array_like=True, tag="subscription"):
    """An agent's subscription to services that come and go.

    Args:
        agent: the subscriber's full name.
        conversation_id: identifies the subscription, unique among the agent's own.
        query: the services to watch.
        reply_with: the `in_reply_to` of notifications.
    """

    agent: str
    conversation_id: str
    query: Query
    reply_with: str | None = None

    @property
    def key(self) -> Key:
        """The key of the record."""
        return Key(self.agent, "subscription", self.conversation_id)


class Member(msgspec.Struct, frozen=True, array_like=True, tag="member", gc=False):
    """A container that was a member of the platform when last heard of.

    Args:
        domain: its full domain.
        incarnation: distinguishes it from earlier containers of this domain, whose agents are gone.
    """

    domain: str
    incarnation: int

    @property
    def key(self) -> Key:
        """The key of the record."""
        return Key(self.domain, "member", "")


class Visitor(msgspec.Struct, frozen=True, array_like=True, tag="visitor", gc=False):
    """An agent that has moved to a container.

    Args:
        agent: its full name.
        domain: the full domain of the container.
        moves: how often it had moved when it arrived there.
    """

    agent: str
    domain: str
    moves: int

    @property
    def key(self) -> Key:
        """The key of the record."""
        return Key(self.agent, "visitor", "")


class Key(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The key of a record.

    Args:
        agent: the full name of the record's agent, or a member's domain.
        kind: `"service"`, `"subscription"`, `"visitor"` or `"member"`.
        name: the service's name, or the subscription's conversation; else empty.
    """

    agent: str
    kind: str
    name: str


Record = Registration | Subscription | Visitor | Member


class Store:
    """The file of a directory. Use it from one thread at a time, not necessarily the same.

    Args:
        path: the file; created, readable for its owner only, if it does not exist.

    Raises:
        StoreError: it cannot be used; the message says why and what to do.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = Database(path, _KIND)
        self._number = 0  # of the newest record: records are loaded in the order in which they were written
        try:
            with self._database.explained():
                self._database.make_private()
                self._connection = self._database.connect(timeout=0)
                self._open()
        except BaseException:
            self._database.close()
            raise

    def load(self) -> Iterator[Record]:
        """Yield all records in the order in which they were written; nothing may be written meanwhile.

        Raises:
            StoreError: the file is corrupt.
        """
        decode = msgspec.msgpack.Decoder(Record).decode
        with self._database.explained():
            for agent, name, value in self._connection.execute(
                "SELECT agent, name, value FROM records ORDER BY number"
            ):
                try:
                    yield decode(value)
                except (msgspec.DecodeError, InvalidDescriptionError, TypeError) as error:
                    raise StoreError(
                        f"{self.path} is corrupt: the record of {agent!r}, {name!r}, cannot be read "
                        f"({error}); {_KIND.restore}"
                    ) from None

    def write(self, changes: Mapping[Key, Record | None]) -> None:
        """Put records under their keys, or remove those that are None: all or nothing.

        Raises:
            StoreError: nothing has changed; the message says why.
        """
        encode = msgspec.msgpack.Encoder().encode
        run = self._connection.execute
        with self._database.explained(), self._database.transaction(self._connection):
            for key, record in changes.items():
                if record is None:
                    run(_REMOVE, (key.agent, key.kind, key.name))
                else:
                    self._number += 1
                    run(_PUT, (key.agent, key.kind, key.name, self._number, encode(record)))

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        self._database.close()

    def _open(self) -> None:
        database, run = self._database, self._connection.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        version = database.check(self._connection)
        database.prepare(self._connection)
        with database.transaction(self._connection):  # takes the lock while the file is open
            if version is None:
                database.begin_file(self._connection)
        # Scans the whole table, so that corruption is found before anybody relies on it.
        (self._number,) = run("SELECT coalesce(max(number), 0) FROM records").fetchone()
        if version is not None and version < VERSION:  # version 1 only lacks visitors
            run(f"PRAGMA user_version = {VERSION}")


class Journal:
    """Writes changes to a store in order. Use it in one event loop, and close it.

    Args:
        store: the store, owned by the journal from now on.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "formicary-directory")
        self._last: asyncio.Future[None] | None = None
        self._is_closed = False

    async def write(self, changes: Mapping[Key, Record | None]) -> None:
        """Put records under their keys, or remove those that are None; return when they are on disk.

        The changes are written even if the caller is cancelled.

        Args:
            changes: must not be modified afterwards.

        Raises:
            StoreError: nothing has changed; the message says why.
        """
        if self._is_closed:
            raise StoreError("the directory's file is closed; nothing more can be registered")
        loop = asyncio.get_running_loop()
        self._last = loop.run_in_executor(self._thread, self._store.write, changes)
        await asyncio.shield(self._last)

    async def close(self) -> None:
        """Write all waiting changes, and close the file; closing again does nothing."""
        self._is_closed = True
        if self._last is not None:
            await asyncio.wait([self._last])
        self._thread.shutdown(wait=False)
        self._store.close()
