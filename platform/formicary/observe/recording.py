"""Recordings: events of a platform in an SQLite file, to be replayed."""

from __future__ import annotations

import sqlite3
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from formicary.core.database import Database, FileKind
from formicary.core.errors import StoreError
from formicary.observe.events import At, Event, Figures, MessageSeen, MessageTaken
from formicary.observe.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import Self

LARGEST: Final = 256_000_000
"""The default size limit of a recording in bytes."""

_KIND: Final = FileKind(
    application=0x466D5263,
    version=1,
    tables=(
        "CREATE TABLE events (number INTEGER PRIMARY KEY, at REAL, conversation TEXT, content BLOB NOT NULL)",
        "CREATE INDEX by_time ON events (at)",
        "CREATE INDEX by_conversation ON events (conversation) WHERE conversation IS NOT NULL",
        "CREATE TABLE states (at REAL PRIMARY KEY, content BLOB NOT NULL)",
    ),
    what="a recording",
    owner="process",
    restore="record again",
)
_STATES: Final = 5.0  # s between two saved states, from which replay can start
_PART: Final = 5  # the oldest fifth is dropped when a recording becomes too large
_WAITS: Final = 5.0  # s for another process
_STEPS: Final = 10_000  # of SQLite between two checks of the limit; a row takes some dozen
_FEW: Final = 2_000  # checks allowed, besides one step per byte of the file
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Event).decode


class Recorder:
    """Writes a recording.

    Args:
        path: the file, which must not exist.
        most_bytes: the size at which the oldest events are dropped.

    Raises:
        StoreError: the file cannot be written, or exists already.
    """

    def __init__(self, path: Path, most_bytes: int = LARGEST) -> None:
        if path.exists() or path.is_symlink():
            raise StoreError(f"{path} already exists; choose another file, or remove it")
        self._database = Database(path, _KIND)
        self._most_bytes = most_bytes
        self._state = State()
        self._state_at = float("-inf")
        with self._database.explained():
            self._database.make()
            self._connection = self._database.connect(_WAITS)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            with self._database.transaction(self._connection):
                self._database.begin_file(self._connection)

    def write(self, events: Sequence[Event]) -> None:
        """Write events, all of them or none.

        Raises:
            StoreError: they cannot be written.
        """
        if not events:
            return
        self._state.take(events)
        rows = [(event.at, _conversation(event), _encode(event)) for event in events]
        with self._database.explained(), self._database.transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO events (at, conversation, content) VALUES (?, ?, ?)", rows
            )
            at = max(event.at for event in events)
            if at - self._state_at >= _STATES:
                self._state_at = at
                self._write_state(at)
            self._drop_oldest()

    def _write_state(self, at: float) -> None:
        content = _encode(self._state.figures(at))
        self._connection.execute("INSERT OR REPLACE INTO states VALUES (?, ?)", (at, content))

    def _drop_oldest(self) -> None:
        run = self._connection.execute
        pages, free, size = (
            run(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * size <= self._most_bytes:
            return
        first, last = run("SELECT min(number), max(number) FROM events").fetchone()
        until = first + (last - first) // _PART + 1
        run("DELETE FROM events WHERE number < ?", (until,))
        run("DELETE FROM states WHERE at < (SELECT min(at) FROM events)")

    def close(self) -> None:
        """Merge everything into the one file, and stop writing."""
        with self._database.explained():
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self._database.close()


class Recording:
    """Reads a recording; a context manager.

    Args:
        path: the file.

    Raises:
        StoreError: it is not a recording, or it is corrupt.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = Database(path, _KIND)
        if not path.is_file():
            raise StoreError(f"no recording {path}; make one with `formicary watch --record {path}`")
        try:
            with self._database.explained():
                self._connection = self._database.connect(_WAITS)
                self._connection.set_progress_handler(self._is_endless, _STEPS)
                self._begin()
                is_empty = self._database.check(self._connection) is None
            first, last = (None, None) if is_empty else self._rows("SELECT min(at), max(at) FROM events")[0]
            self.span: tuple[float, float] = (self._time(first or 0.0), self._time(last or 0.0))
            """Its start and end, in seconds since 1970."""
        except BaseException:
            self._database.close()
            raise
        if is_empty:
            self._database.close()
            raise StoreError(f"{path} is empty; choose another file")

    def _begin(self) -> None:
        """Bound a query by what the file can hold, even if its pages form a cycle."""
        files = self.path, self.path.with_name(f"{self.path.name}-wal")
        self._size = sum(path.stat().st_size for path in files if path.exists())
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(self._size, _STEPS))
        self._steps = 0

    def _is_endless(self) -> bool:
        self._steps += 1
        return self._steps > _FEW + self._size // _STEPS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, after: float, until: float, most: int) -> list[Event]:
        """Return the first `most` events after `after`, up to and including `until`.

        Raises:
            StoreError: the file is corrupt.
        """
        return self._all(
            "SELECT at, content FROM events WHERE at > ? AND at <= ? ORDER BY at, number LIMIT ?",
            (after, until, most),
        )

    def before(self, at: float, most: int) -> list[Event]:
        """Return the latest events up to and including a time; errors as of `read`."""
        found = self._all(
            "SELECT at, content FROM events WHERE at <= ? ORDER BY at DESC, number DESC LIMIT ?", (at, most)
        )
        return found[::-1]

    def state(self, at: float) -> Figures:
        """Return the whole state at a time; errors as of `read`."""
        state = State()
        before = self._all("SELECT at, content FROM states WHERE at <= ? ORDER BY at DESC LIMIT 1", (at,))
        state.take(before)
        since = before[0].at if before else float("-inf")
        state.take(
            self._events(
                "SELECT at, content FROM events WHERE at > ? AND at <= ? ORDER BY number", (since, at)
            )
        )
        return state.figures(at)

    def conversations(self) -> list[tuple[str, int]]:
        """Return the conversations in order, with their numbers of messages; errors as of `read`."""
        return self._rows(
            "SELECT conversation, count(*) FROM events WHERE conversation IS NOT NULL "
            "GROUP BY conversation ORDER BY min(number)"
        )

    def conversation(self, name: str | None, most: int) -> list[MessageSeen]:
        """Return the first messages of a conversation in order of time.

        Args:
            name: its name; None for all messages.
            most: how many.

        Raises:
            StoreError: the file is corrupt.
        """
        if name is None:
            found = self._events("SELECT at, content FROM events ORDER BY at, number", ())
        else:
            found = self._events(
                "SELECT at, content FROM events WHERE conversation = ? ORDER BY at, number", (name,)
            )
        return list(islice((event for event in found if isinstance(event, MessageSeen)), most))

    def waits(self) -> dict[tuple[str, int], float]:
        """Return how long messages waited, by container and number; errors as of `read`."""
        found = self._events("SELECT at, content FROM events WHERE conversation IS NULL", ())
        return {
            (each.container, each.number): each.waited for each in found if isinstance(each, MessageTaken)
        }

    def _rows(self, query: str) -> list[Any]:
        with self._database.explained():
            self._begin()
            return self._connection.execute(query).fetchall()

    def _all(self, query: str, values: tuple[object, ...]) -> list[Event]:
        return list(self._events(query, values))

    def _events(self, query: str, values: tuple[object, ...]) -> Iterator[Event]:
        """Iterate over the results of a query for `at` and `content`, bounded by the file's size."""
        size = 0
        with self._database.explained():
            self._begin()
            for at, content in self._connection.execute(query, values):
                event = self._read(at, content)
                size += len(content)
                if size > self._size:
                    raise self._broken("it contains more than its size")
                yield event

    def _read(self, at: object, content: bytes) -> Event:
        try:
            event: Event = _decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError, TypeError) as error:
            raise self._broken(error) from None
        if event.at != at:
            raise self._broken("an event is stored under the wrong time")
        return event

    def _time(self, value: object) -> float:
        try:
            return msgspec.convert(value, At)
        except msgspec.ValidationError as error:
            raise self._broken(f"it contains an invalid time: {error}") from None

    def _broken(self, why: object) -> StoreError:
        return StoreError(f"{self.path} is corrupt; record again ({why})")

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _conversation(event: Event) -> str | None:
    return (event.conversation or None) if isinstance(event, MessageSeen) else None
