"""An HTTP server that answers all requests by one function."""

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
_silent = get_logger("formicary.http.library")  # logs a traceback for each malformed request
_silent.setLevel(logging.CRITICAL)

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_CLOSE = 1.0  # s for requests to end when the server closes
_TURNS = 5  # turns of the loop that connections' tasks need to end
_LOGGED = 10  # refusals logged one by one; after them, every thousandth


class HttpServer:
    """A server exposed to strangers.

    Args:
        name: its name in the log, such as "the gateway of container c1".
        handler: answers a request; calls the connection's `answer` once the whole request has arrived.
        connections: the most connections at once.
        kept: how many seconds a connection stays open after an answer.
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
            auto_decompress=False,  # only attackers send compressed bodies
        )
        self._acceptor = Acceptor(f"{name} accepts no connections", Counter())
        self._tasks: set[asyncio.Task[Any]] = set()  # tasks that answer requests
        self._listening: socket.socket
        self._accepting: asyncio.Task[None] | None = None
        self.refused = 0
        """How many requests and connections were refused."""

    def open(self, listening: socket.socket) -> None:
        """Start accepting connections; the socket is closed with the server."""
        self._listening = listening
        self._accepting = asyncio.create_task(self._accept(listening))

    async def close(self) -> None:
        """Close the server, after giving requests in progress a moment to end."""
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.wait([self._accepting])
            self._listening.close()
        self._connections.end_waiting()
        await self._web.shutdown(timeout=_CLOSE)
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        for task in self._tasks:  # aiohttp does not end those whose connection is gone
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_CLOSE)

    def refuse(self, what: str) -> None:
        """Count a refusal, and log the first ones."""
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
                self.refuse(f"a connection: there are already {self._connections.most}")
                with connected, suppress(OSError):
                    connected.send(_BUSY)

    async def _connect(self, connected: socket.socket, place: str | bytes) -> None:
        connection = Connection(self._connections, self._web(), place)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(lambda: connection, connected)
        except OSError:  # the connection is gone
            connected.close()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.task not in self._tasks:
            self._tasks.add(request.task)
            request.task.add_done_callback(self._tasks.discard)
        connection = self._connections.get(request.transport)
        if connection is None:
            raise ConnectionResetError  # the connection has ended meanwhile
        connection.begin()
        try:
            return await self._handler(request, connection)
        except (web.HTTPException, ConnectionError):
            raise
        except Exception:
            if self._is_logged():
                logger.exception("%s could not answer a request; please report this", self._name)
            return web.Response(status=500)
        finally:
            connection.keep(self._kept)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket for a server.

    Args:
        host: an IP address of this host.
        port: 0 for any.

    Raises:
        OSError: the port is in use, or the address is not of this host.
    """
    listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setblocking(False)
    return listening
