"""The connections of a server: their number, time limits, and which are closed first."""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from typing import Any

from formicary.transport.accepting import source_of
from formicary.transport.os_errors import descriptor_limit

ASKING = 10.0
"""Seconds for a request to arrive, from its first byte, and for the first request of a new connection."""

_TAKING = 30.0  # s for the other end to read what is sent
_SHARE = 8  # connections may use one in this many of the available file descriptors


class Connections:
    """The open connections.

    When there are too many, the source with the most connections loses one, so that a crowd only displaces
    itself: the one that has been idle longest. A connection that waits for our answer is closed only if its
    source has no other, and the new one is from another source.

    Args:
        most: the most connections at once; fewer if the limit on open files is low.
    """

    def __init__(self, most: int) -> None:
        self.most = min(most, max(1, descriptor_limit() // _SHARE))
        self._all: dict[Any, Connection] = {}  # by transport

    def __len__(self) -> int:
        return len(self._all)

    def make_room(self, source: str | bytes) -> bool:
        """Make room for a new connection; return whether there is any."""
        if len(self._all) < self.most:
            return True
        sources = Counter([source, *(each.source for each in self._all.values())])
        most = max(sources.values())
        crowd = [each for each in self._all.values() if sources[each.source] == most]
        one = min(crowd, key=lambda each: (each.is_answered, each.since), default=None)
        if one is None or (one.is_answered and sources[source] == most):
            return False
        self._end(one)
        return True

    async def let_go(self) -> None:
        """Close the connection that has been idle longest, if there is one."""
        waiting = [each for each in self._all.values() if not each.is_answered]
        if waiting:
            self._end(min(waiting, key=lambda each: each.since))

    def end_waiting(self) -> None:
        """Close all connections that do not wait for an answer."""
        for each in [each for each in self._all.values() if not each.is_answered]:
            self._end(each)

    def add(self, transport: Any, connection: Connection) -> None:
        """Add a new connection."""
        self._all[transport] = connection

    def remove(self, transport: Any) -> None:
        """Remove a connection that has ended."""
        self._all.pop(transport, None)

    def get(self, transport: Any) -> Connection | None:
        """Return the connection of a request, if it has not ended."""
        return self._all.get(transport)

    def _end(self, connection: Connection) -> None:
        self.remove(connection.transport)  # to free its place at once
        connection.transport.abort()


class Connection(asyncio.Protocol):
    """One connection: passes data on, and closes itself when the other end takes too long."""

    def __init__(self, connections: Connections, inner: Any, source: str | bytes) -> None:
        self._connections = connections
        self._inner = inner
        self.source = source
        self.transport: Any = None
        self.since = 0.0  # since when it has been idle, by the loop's clock
        self.is_answered = False  # whether it waits for our answer
        self._is_kept = False  # whether it is kept open between requests
        self._has_more = False  # whether data has arrived during an answer
        self._patience: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Wait for the first request."""
        self.transport = transport
        self._connections.add(transport, self)
        self._wait(ASKING)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Pass data on; the first data begins a request."""
        self._has_more = self.is_answered
        if self._is_kept:
            self._is_kept = False
            self._wait(ASKING)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Pass on the end of the data."""
        keeps_open: bool | None = self._inner.eof_received()
        return keeps_open

    def pause_writing(self) -> None:
        """Limit how long the other end may take to read what was sent."""
        self._taking = self._later(_TAKING)
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Resume sending."""
        _cancel(self._taking)
        self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        _cancel(self._patience)
        _cancel(self._taking)
        self._connections.remove(self.transport)
        self.transport = None
        self._inner.connection_lost(exc)

    def begin(self) -> None:
        """Wait for the rest of a request: longer than the handler, so that it can still answer."""
        self._is_kept = False
        self._wait(2 * ASKING)

    def answer(self) -> None:
        """Stop the clock: the whole request has arrived, and waits for our answer."""
        _cancel(self._patience)
        self.is_answered, self._has_more = True, False

    def keep(self, seconds: float) -> None:
        """Wait `seconds` for the next request, or for the rest of one that has already begun."""
        self.is_answered = False
        self._is_kept = not self._has_more
        self._wait(seconds if self._is_kept else ASKING)

    def _wait(self, seconds: float) -> None:
        _cancel(self._patience)
        if self.transport is not None:
            self.since = asyncio.get_running_loop().time()
            self._patience = self._later(seconds)

    def _later(self, seconds: float) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, self.transport.abort)


def source(address: tuple[Any, ...]) -> str | bytes:
    """Return the source of a connection: this host, whichever of its addresses was used, or another one."""
    is_here = ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback
    return "" if is_here else source_of(address)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
