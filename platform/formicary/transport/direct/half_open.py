"""Half-open connections, which have not proven who they are, and must not become too many."""

from __future__ import annotations

import asyncio
import select
import socket
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from formicary.transport.accepting import source_of
from formicary.transport.direct.opening import OpeningError, is_whole_hello
from formicary.transport.os_errors import descriptor_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    Welcome = Callable[[socket.socket, bool, Callable[[], None]], Coroutine[None, None, None]]

MOST = 64
"""Half-open connections at one listening socket, if the process may open many files."""

_SHARE = 8  # of the files that the process may open, one in this many may be such a connection

_SILENT = 0.1  # s for which each is kept, however many there are
_BEGUN = 0.5  # the same once its first message has arrived
_LOOK_AGAIN = 0.05  # s at most between two looks for that
_HANDSHAKE = b"\x16\x03"  # TLS: the type of a record, and its major version (RFC 8446, section 5.1)
_RECORD_HEAD = 5  # bytes
_LONGEST_RECORD = 1 << 14  # bytes
_HALF_CLOSED = getattr(select, "POLLRDHUP", 0)  # on Linux; elsewhere such a connection times out
_TURNS = 1000  # of the loop until a connection that has ended is closed: far more than it takes


class HalfOpen:
    """The half-open connections at one listening socket.

    If there are too many, one from the source with most of them is closed, so that a stranger displaces its
    own connections first: the one whose time ends first. Each has enough time to get in, and less as long as
    it is silent.

    `welcome` is called with each connection, whether it is TCP, and what to call when its first message has
    arrived; it returns when the connection is handed over or closed.
    """

    def __init__(self, welcome: Welcome, dropped: Counter[str]) -> None:
        self._welcome = welcome
        self._dropped = dropped
        self._all: dict[asyncio.Task[None], _Place] = {}  # until closed or handed over
        self._most = min(MOST, max(1, descriptor_limit() // _SHARE))
        self._one_ended: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return len(self._all)

    def add(self, connected: socket.socket, address: object) -> None:
        """Take over a new connection from this address."""
        loop = asyncio.get_running_loop()
        place = _Place(source_of(address), loop.time())
        is_tcp = connected.family in {socket.AF_INET, socket.AF_INET6}
        task = loop.create_task(self._welcome(connected, is_tcp, place.begin))
        self._all[task] = place
        task.add_done_callback(self._remove)

    async def make_room(self, most: int | None = None) -> None:
        """Close what is too many; return when at most `most` are left, or as many as are allowed."""
        loop = asyncio.get_running_loop()
        most = self._most if most is None else most
        while len(self._all) > most:
            wait = None
            staying = {task: place for task, place in self._all.items() if not place.is_left}
            if len(staying) > most:
                task, place = _least(staying)
                wait = place.until - loop.time()
                if wait <= 0:
                    place.is_left, wait = True, None
                    self._dropped["too many at once"] += 1
                    task.cancel()
            self._one_ended = loop.create_future()
            await asyncio.wait([self._one_ended], timeout=wait)

    async def close(self) -> None:
        """Close all; return when they are closed."""
        for task in self._all:
            task.cancel()
        if self._all:
            await asyncio.wait(list(self._all))

    def _remove(self, task: asyncio.Task[None]) -> None:
        del self._all[task]
        if self._one_ended is not None and not self._one_ended.done():
            self._one_ended.set_result(None)


class _Place:
    """One half-open connection."""

    def __init__(self, source: str | bytes, since: float) -> None:
        self.source = source
        self.since = since
        self.until = since + _SILENT
        self.is_left = False  # it is being closed

    def begin(self) -> None:
        """Keep it longer, as its first message has arrived."""
        self.until = self.since + _BEGUN


def _least(places: dict[asyncio.Task[None], _Place]) -> tuple[asyncio.Task[None], _Place]:
    """Return the one to close."""
    sources = Counter(place.source for place in places.values())
    most = max(sources.values())
    crowd = (item for item in places.items() if sources[item[1].source] == most)
    return min(crowd, key=lambda item: item[1].until)


async def cut(connected: socket.socket) -> None:
    """Close a connection that the loop owns; return when it is closed."""
    with suppress(OSError):  # it has ended already
        connected.shutdown(socket.SHUT_RDWR)  # ends it in any state of TLS
    for _ in range(_TURNS):
        if connected.fileno() < 0:
            return
        await asyncio.sleep(0.001)  # its transport tells only TLS
    connected.close()  # the loop did not own it after all


async def first_message(connected: socket.socket, *, with_tls: bool) -> None:
    """Wait for the whole first message, without taking it from the socket.

    TLS takes some 100 kB for each connection, which only those get who begin to speak it.

    Raises:
        OpeningError: it is not TLS where it should be, or the connection has ended.
    """
    pause = 0.001
    # Polled: data that stays in a socket would call a reader all the time.
    while not _has_come(connected, with_tls=with_tls):
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LOOK_AGAIN)


def _has_come(connected: socket.socket, *, with_tls: bool) -> bool:
    has_ended = _has_ended(connected)  # before the peek, which then sees everything before the end
    try:
        data = connected.recv(_RECORD_HEAD + _LONGEST_RECORD, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        raise OpeningError("closed early") from None
    if _is_whole_record(data) if with_tls else is_whole_hello(data):
        return True
    if has_ended or not data:
        raise OpeningError("closed early")
    return False


def _is_whole_record(data: bytes) -> bool:
    length = int.from_bytes(data[_RECORD_HEAD - 2 : _RECORD_HEAD])
    if not _HANDSHAKE.startswith(data[: len(_HANDSHAKE)]) or length > _LONGEST_RECORD:
        raise OpeningError("no TLS")
    return len(data) >= _RECORD_HEAD and len(data) >= _RECORD_HEAD + length


def _has_ended(connected: socket.socket) -> bool:
    """Return whether the other side sends no more."""
    if not _HALF_CLOSED:
        return False
    poll = select.poll()
    poll.register(connected, _HALF_CLOSED)
    return bool(poll.poll(0))
