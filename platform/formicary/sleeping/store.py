"""Store a container's sleeping agents in a file, an SQLite database.

Changes are made in batches, each as a whole or not at all; when `write` has returned, they are on disk. One
process at a time has the file. Files that are broken, another container's, or of a newer version are refused
and left unchanged.
"""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Any, cast

import msgspec

from formicary.core.database import Database, FileKind
from formicary.core.errors import StoreError
from formicary.core.systems import lock, need_posix

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

VERSION = 1
"""The version of the tables: SQLite's user_version."""

_KIND = FileKind(
    application=0x466D5370,  # "FmSp"
    version=VERSION,
    tables=[
        "CREATE TABLE container (domain TEXT NOT NULL)",
        """CREATE TABLE sleepers (
            name TEXT PRIMARY KEY, due REAL, kind TEXT NOT NULL, behaviours INTEGER,
            failures INTEGER NOT NULL, belongings BLOB, snapshot BLOB NOT NULL
        )""",
        "CREATE INDEX sleepers_due ON sleepers (due, name) WHERE due IS NOT NULL",
    ],
    what="a file of sleeping agents",
    owner="container",
    restore="restore a copy, or move it away to start without sleeping agents",
)
_PATIENCE = 5.0  # s for which one of the two connections waits for the other
_PUT = "INSERT INTO sleepers VALUES (?, ?, ?, ?, ?, ?, ?)"
_NAMED = 500  # agents in a statement: older versions of SQLite take 999 at most


class Sleeper(msgspec.Struct, frozen=True):
    """An agent that sleeps.

    Args:
        name: its own name.
        due: when it wakes by itself, in seconds since 1970; None: only a message wakes it.
        kind: its class.
        behaviours: how many it has; None for a micro-agent.
        failures: how many there were.
        attached_state: its registrations and roles, in msgpack; None if it has none.
        snapshot: the agent.
    """

    name: str
    due: float | None
    kind: str
    behaviours: int | None
    failures: int
    attached_state: bytes | None
    snapshot: bytes


class SleeperStore:
    """The file.

    `snapshots`, `with_attached_state` and `write` are for one thread at a time, and not always the same; all
    other methods are for one other thread, at the same time.

    Args:
        path: the file; if there is none, it is created, readable for its owner only.
        domain: the container's full domain.

    Raises:
        StoreError: it cannot be used; with the reason and what to do.
        UnsupportedError: the system cannot lock files.
    """

    def __init__(self, path: Path, domain: str) -> None:
        need_posix("files of sleeping agents")
        self.path = path
        self._database = Database(path, _KIND)
        self._lock = -1
        try:
            with self._database.explained():
                self._database.make_private()
                self._lock = os.open(path, os.O_RDWR)
                self._take_lock()
                self._writing = self._database.connect(_PATIENCE)
                self._open(domain)
                self._reading = self._database.connect(_PATIENCE)
                self._reading.execute("PRAGMA query_only = ON")
                self.count: int = self._reading.execute("SELECT count(*) FROM sleepers").fetchone()[0]
                """How many agents sleep."""
        except BaseException:
            self.close()
            raise

    def _take_lock(self) -> None:
        # SQLite's own locks are of another kind, and would let two processes use the file in turn.
        try:
            lock(self._lock, waits=False)
        except BlockingIOError:
            raise StoreError(
                f"{self.path} is in use by another container; stop that one, or choose another file"
            ) from None

    def _open(self, domain: str) -> None:
        database, run = self._database, self._writing.execute
        is_new = database.check(self._writing) is None
        database.prepare(self._writing)
        if is_new:
            with database.transaction(self._writing):
                database.begin_file(self._writing)
                run("INSERT INTO container VALUES (?)", (domain,))
        row = run("SELECT domain FROM container").fetchone()
        if row is None or row[0] != domain:
            whose = "nobody" if row is None else row[0]
            raise StoreError(
                f"{self.path} has the sleeping agents of {whose}, not of {domain}; choose another file"
            )

    # -- reading --------------------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        """Return whether an agent of this name sleeps.

        Raises:
            StoreError: the file cannot be read.
        """
        try:  # not `explained`, which would double the time: this is called for each agent that wakes
            found = self._reading.execute("SELECT 1 FROM sleepers WHERE name = ?", (name,)).fetchone()
        except sqlite3.Error as error:
            raise self._database.explain(error) from error
        return found is not None

    def due(self, since: tuple[float, str], until: float, most: int) -> list[tuple[float, str]]:
        """Return when agents are due, and their names, in this order; errors as of `has`.

        Args:
            since: only after this time and name.
            until: up to this time.
            most: how many at most.
        """
        with self._database.explained():
            rows = self._reading.execute(
                "SELECT due, name FROM sleepers WHERE (due, name) > (?, ?) AND due <= ? "
                "ORDER BY due, name LIMIT ?",
                (*since, until, most),
            )
            return [(due, name) for due, name in rows]

    def find(self, patterns: Sequence[str], most: int, offset: int) -> list[Sleeper]:
        """Return agents whose names match a pattern of SQLite's GLOB, without their snapshots.

        Errors as of `has`.
        """
        where = " OR ".join(["name GLOB ?"] * len(patterns)) or "0"
        with self._database.explained():
            rows = self._reading.execute(
                f"SELECT name, due, kind, behaviours, failures FROM sleepers WHERE {where} "  # noqa: S608
                "ORDER BY rowid LIMIT ? OFFSET ?",
                (*patterns, most, offset),
            )
            return [Sleeper(*row, None, b"") for row in cast("list[tuple[str, Any, str, Any, int]]", rows)]

    def snapshots(self, names: Sequence[str], most: int) -> dict[str, bytes]:
        """Return the snapshots of those agents that sleep, by name; errors as of `has`.

        Args:
            names: the agents.
            most: the number of bytes after which no more are read.
        """
        found: dict[str, bytes] = {}
        size = 0
        with self._database.explained():
            for some, marks in _in_statements(names):
                rows = self._writing.execute(
                    f"SELECT name, snapshot FROM sleepers WHERE name IN ({marks})",  # noqa: S608 -- just marks
                    some,
                )
                for name, snapshot in rows:
                    found[name] = snapshot
                    size += len(snapshot)
                    if size >= most:
                        return found
        return found

    def with_attached_state(self) -> list[tuple[str, bytes]]:
        """Return names and attached state of all agents that have any; errors as of `has`."""
        with self._database.explained():
            rows = self._writing.execute("SELECT name, belongings FROM sleepers WHERE belongings IS NOT NULL")
            return rows.fetchall()

    # -- writing --------------------------------------------------------------------------------------------

    def write(self, put: Collection[Sleeper], removed: Sequence[str]) -> None:
        """Save agents and remove others, all or none.

        Raises:
            StoreError: nothing has changed; with the reason.
        """
        run = self._writing
        gone = 0
        with self._database.explained():
            with self._database.transaction(run):
                for some, marks in _in_statements(removed):
                    gone += run.execute(f"DELETE FROM sleepers WHERE name IN ({marks})", some).rowcount  # noqa: S608
                run.executemany(_PUT, map(msgspec.structs.astuple, put))
            self.count += len(put) - gone

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
        self._database.close()
        if self._lock >= 0:
            os.close(self._lock)  # last, as this would release SQLite's locks
            self._lock = -1


def _in_statements(names: Sequence[str]) -> Iterator[tuple[Sequence[str], str]]:
    """Iterate over names, as many at a time as a statement can have, with a mark for each."""
    for start in range(0, len(names), _NAMED):
        some = names[start : start + _NAMED]
        yield some, ", ".join("?" * len(some))
