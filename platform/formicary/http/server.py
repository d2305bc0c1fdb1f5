"""A server of HTTP: listens, and answers each request by one function."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aiohttp import web

from formicary.core.logs import get_logger
from formicary.http.connections import Connection, Connections, source
from formicary.transport.accepting import Acceptor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Handler = Callable[[web.BaseRequest, Connection], Awaitable[web.StreamResponse]]

logger = get_logger("formicary.http")
_silent = get_logger("formicary.http.library")  # it would say a page about each request that is none
_silent.setLevel(logging.CRITICAL)

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_CLOSE = 1.0  # s that requests get when the server closes
_TURNS = 5  # of the loop, in which the tasks of connections come to their ends
_LOGGED = 10  # of what was refused that are logged one by one, and then each thousandth


class HttpServer:
    """Answers requests, of strangers, too.

    Args:
        name: what it is called in a log, such as "the gateway of container c1".
        handler: answers a request; calls `answer` of its connection when all of it is here.
        connections: how many there may be at once.
        kept: s that a connection stays open after an answer.
    """

    def __init__(self, name: str, handler: Handler, *, connections: int, kept: float) -> None:
        self._name = name
        self._handler = handler
        self._kept = kept
        self._connections = Connections(connections)
        self._web = web.Server(
            self._answer,
            keepalive_timeout=kept,
            lingering_time=1.0,
            access_log=None,
            logger=_silent,
            auto_decompress=False,  # nobody compresses what is brought here, but for bombs
        )
        self._acceptor = Acceptor(f"{name} accepts no connections", Counter())
        self._tasks: set[asyncio.Task[Any]] = set()  # those that answer requests
        self._listening: socket.socket
        self._accepting: asyncio.Task[None] | None = None
        self.refused = 0
        """How many requests and connections were refused, each with a sentence that says why."""

    def open(self, listening: socket.socket) -> None:
        """Accept connections, as of now; the socket is closed with the server."""
        self._listening = listening
        self._accepting = asyncio.create_task(self._accept(listening))

    async def close(self) -> None:
        """Take no more; requests that are being answered get a moment."""
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.wait([self._accepting])
            self._listening.close()
        self._connections.end_waiting()
        await self._web.shutdown(timeout=_CLOSE)
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        for task in self._tasks:  # nobody else ends those whose connection has gone, nor waits for any
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE)

    def refuse(self, what: str) -> None:
        """Count something that is refused, and log the first of it."""
        if self._is_logged():
            logger.warning("%s has refused %s", self._name, what)

    def _is_logged(self) -> bool:
        self.refused += 1
        return self.refused <= _LOGGED or self.refused % 1000 == 0

    async def _accept(self, listening: socket.socket) -> None:
        while True:
            connected, address = await self._acceptor.accept(listening, self._connections.let_go)
            place = source(address)
            if self._connections.make_room(place):
                await self._connect(connected, place)
            else:
                self.refuse(f"a connection: there are {self._connections.most} already")
                with connected, suppress(OSError):
                    connected.send(_BUSY)

    async def _connect(self, connected: socket.socket, place: str | bytes) -> None:
        connection = Connection(self._connections, self._web(), place)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, connected)
        except OSError:  # it has gone
            connected.close()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.task not in self._tasks:
            self._tasks.add(request.task)
            request.task.add_done_callback(self._tasks.discard)
        connection = self._connections.get(request.transport)
        if connection is None:
            raise ConnectionResetError  # it has ended meanwhile
        connection.begin()
        try:
            return await self._handler(request, connection)
        except (web.HTTPException, ConnectionError):
            raise
        except Exception:
            if self._is_logged():
                logger.exception("%s could not answer a request; please report it", self._name)
            return web.Response(status=500)
        finally:
            connection.keep(self._kept)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket for a server.

    Args:
        host: an IP address of this host.
        port: 0 for any.

    Raises:
        OSError: it is taken, or not of this host.
    """
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setblocking(False)
    return listening
