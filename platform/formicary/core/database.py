"""SQLite files of one owner each: how they are opened and checked, changed as a whole, and what goes wrong.

Files that are broken, of another program, or of a newer version are refused, and left as they are. What has
been committed has reached the disk: neither a killed process nor a host without power loses it.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from formicary.core.errors import StoreError
from formicary.core.private import check_folder, check_private

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


class FileKind(NamedTuple):
    """What a file is for.

    Args:
        application: marks it as one of these, as SQLite's application_id.
        version: of its tables, as SQLite's user_version.
        tables: the statements that make them.
        what: a broken one is said not to be, such as "a directory's file".
        owner: who else may have it, such as "process".
        restore: what can be done where it is broken.
    """

    application: int
    version: int
    tables: Sequence[str]
    what: str
    owner: str
    restore: str


class Database:
    """A file with one or several connections. Each is for one thread at a time.

    Args:
        path: the file.
        kind: what it is for.
    """

    def __init__(self, path: Path, kind: FileKind) -> None:
        self.path = path
        self._kind = kind
        self._connections: list[sqlite3.Connection] = []

    def make(self) -> None:
        """Make the file, readable for its owner only, if there is none.

        Raises:
            OSError: it cannot be.
        """
        with suppress(FileExistsError):  # SQLite gives its further files the mode of the first
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        if not self.path.is_file():  # SQLite would take /dev/null for an empty one
            raise OSError(errno.EINVAL, "it is not a file", str(self.path))

    def make_private(self) -> None:
        """Make the file as `make` does, where nobody else has a hand in it, nor in the one that is there.

        Raises:
            OSError: it cannot be, or others may read or change it.
        """
        check_folder(self.path.parent)
        self.make()
        check_private(self.path)

    def connect(self, timeout: float) -> sqlite3.Connection:
        """Return a connection, without transactions of its own.

        Args:
            timeout: how many seconds it waits for another one.
        """
        connection = sqlite3.connect(
            self.path, timeout=timeout, isolation_level=None, check_same_thread=False
        )
        self._connections.append(connection)
        return connection

    def check(self, connection: sqlite3.Connection) -> int | None:
        """Return of which version the file's tables are; None for a new file.

        Raises:
            StoreError: it is none that can be used.
        """
        run = connection.execute
        (application,) = run("PRAGMA application_id").fetchone()
        (version,) = run("PRAGMA user_version").fetchone()
        found = run("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
        if not (application or version or found):
            return None
        if application != self._kind.application:
            raise StoreError(f"{self.path} is another program's database; choose another file")
        if version > self._kind.version:
            raise StoreError(
                f"{self.path} was written by a newer version of Formicary (format {version}; this "
                f"one supports {self._kind.version}); use that version, or choose another file"
            )
        if version == self._kind.version and sorted(found) != sorted((sql,) for sql in self._kind.tables):
            # Such as a view in place of a table, which runs what somebody else has written.
            raise StoreError(
                f"{self.path} is not {self._kind.what} in Formicary's format; choose another file"
            )
        return int(version)

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Flush what was committed to the disk; only after the file was checked."""
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    def begin_file(self, connection: sqlite3.Connection) -> None:
        """Make the tables of a new file, in a transaction."""
        connection.execute(f"PRAGMA application_id = {self._kind.application}")
        connection.execute(f"PRAGMA user_version = {self._kind.version}")
        for table in self._kind.tables:
            connection.execute(table)

    @contextmanager
    def transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Make changes as a whole, or not at all."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite has rolled back by itself after some errors
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Raise errors of SQLite and the system as a `StoreError`."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self.explain(error) from error

    def explain(self, error: sqlite3.Error | OSError) -> StoreError:
        """Return the error with the cause and the next step."""
        if isinstance(error, OSError):
            return StoreError(f"{self.path} cannot be opened: {error.strerror}; choose another file")
        kind = self._kind
        busy = f"is in use by another {kind.owner}; stop that one, or choose another file"
        causes = {
            "SQLITE_BUSY": busy,
            "SQLITE_LOCKED": busy,
            "SQLITE_NOTADB": f"is not {kind.what}, or it is corrupt; choose another file, or {kind.restore}",
            "SQLITE_CORRUPT": f"is corrupt; {kind.restore}",
            "SQLITE_INTERRUPT": f"is corrupt (its contents never end); {kind.restore}",
            "SQLITE_FULL": "cannot grow because the disk is full; free some space and try again",
            "SQLITE_READONLY": "cannot be written; make it writable, or choose another file",
            "SQLITE_CANTOPEN": "cannot be opened; check that its folder exists and is writable",
        }
        name = getattr(error, "sqlite_errorname", "")
        for code, cause in causes.items():
            if name == code or name.startswith(f"{code}_"):  # extended codes say more: SQLITE_CORRUPT_VTAB
                return StoreError(f"{self.path} {cause}")
        return StoreError(
            f"{self.path} cannot be read or written: {error} ({name}); check whether the disk is "
            "full or failing"
        )

    def close(self) -> None:
        """Close all connections; closing them again does nothing."""
        with self.explained():
            for connection in self._connections:
                connection.close()
