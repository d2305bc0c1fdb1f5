"""The file of a directory, from which it has its records again after a restart: an SQLite database.

It is like a dict whose changes are made in batches, each as a whole or not at all. When `write` has returned,
they have reached the disk: neither a killed process nor a host without power loses them. One process at a
time has the file. Files that are broken, or not a directory's, or of a newer version, are refused and left as
they are. A journal writes to it in a thread, without stopping the event loop.
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
"""The version of the tables, which stands in the file as SQLite's user_version."""

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
        """Return all records in the order in which they were written; nothing may be written meanwhile.

        Raises:
            StoreError: the file is broken.
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
        """Put records under their keys, or remove what is there where it is None: all of it, or nothing.

        Raises:
            StoreError: nothing has changed; with why.
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
        with database.transaction(self._connection):  # takes the lock, for as long as the file is open
            if version is None:
                database.begin_file(self._connection)
        # Goes through all of the table, and so finds it broken before anybody relies on it.
        (self._number,) = run("SELECT coalesce(max(number), 0) FROM records").fetchone()
        if version is not None and version < VERSION:  # the first had no visitors, and was the same otherwise
            run(f"PRAGMA user_version = {VERSION}")


class Journal:
    """The changes to a store, in their order. To be used in one event loop, and closed.

    Args:
        store: where they go; it belongs to the journal from now on.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "formicary-directory")
        self._last: asyncio.Future[None] | None = None
        self._is_closed = False

    async def write(self, changes: Mapping[Key, Record | None]) -> None:
        """Put records under their keys, or remove what is there where it is None; return when it is on disk.

        If the caller is cancelled, the changes are written all the same.

        Args:
            changes: not to be changed any more.

        Raises:
            StoreError: none of it has changed; with why.
        """
        if self._is_closed:
            raise StoreError("the directory's file is closed; nothing more can be registered")
        loop = asyncio.get_running_loop()
        self._last = loop.run_in_executor(self._thread, self._store.write, changes)
        await asyncio.shield(self._last)

    async def close(self) -> None:
        """Write what is waiting, and close the file; closing again does nothing."""
        self._is_closed = True
        if self._last is not None:
            await asyncio.wait([self._last])
        self._thread.shutdown(wait=False)
        self._store.close()
