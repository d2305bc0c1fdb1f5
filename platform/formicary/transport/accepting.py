"""Accepts connections, even while file descriptors run out, and identifies their sources."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from formicary.core.logs import get_logger
from formicary.transport.os_errors import descriptors_advice, reason

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Awaitable, Callable

logger = get_logger("formicary.transport")

_RETRY = 0.5  # seconds until accepting again after the system could not
_SILENCE = 60.0  # seconds between two log lines about that
_GONE = frozenset({errno.ECONNABORTED, errno.EPROTO})  # the connection has ended already


class Acceptor:
    """Accepts connections; counts those that it cannot accept, and logs a line that begins with `cannot`."""

    def __init__(self, cannot: str, dropped: Counter[str]) -> None:
        self._cannot = cannot
        self._dropped = dropped
        self._next_line = 0.0  # when the log may say it again

    async def accept(
        self, listening: socket.socket, let_go: Callable[[], Awaitable[None]]
    ) -> tuple[socket.socket, Any]:
        """Return the next connection, and its remote address.

        `let_go` is called when file descriptors run out, to close a connection that can be spared.
        """
        loop = asyncio.get_running_loop()
        while True:
            try:
                return await _accept(listening)
            except OSError as error:
                self._dropped["not accepted"] += 1
                if error.errno in _GONE:
                    continue
                if loop.time() >= self._next_line:
                    self._next_line = loop.time() + _SILENCE
                    why = "; ".join(filter(None, (reason(error), descriptors_advice(error))))
                    logger.warning("%s for now: %s", self._cannot, why)
            await let_go()
            await asyncio.sleep(_RETRY)


async def _accept(listening: socket.socket) -> tuple[socket.socket, Any]:
    """Accept a connection; unlike asyncio's `sock_accept()`, lose none if the caller is cancelled."""
    if sys.platform == "win32":  # its event loop cannot say when a socket is ready
        return await asyncio.get_running_loop().sock_accept(listening)
    while True:
        with suppress(BlockingIOError):
            connected, address = listening.accept()
            connected.setblocking(False)
            return connected, address
        await _wait_until_readable(listening)


async def _wait_until_readable(listening: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(listening, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(listening)


def source_of(address: object) -> str | bytes:
    """Return the source of a connection: its host, or the 64-bit network of an IPv6 host."""
    if not isinstance(address, tuple):
        return ""
    ip = str(address[0]).partition("%")[0]
    return socket.inet_pton(socket.AF_INET6, ip)[:8] if ":" in ip else ip
