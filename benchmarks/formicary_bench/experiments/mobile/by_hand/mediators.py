"""A mediator between clients and servers, by hand: TCP connections of two processes.

A frame is the number of its client and of its server, and the body. In the process that does not measure, the
mediator and each server listen at ports of their own, and the mediator is connected to the servers.
"""

from __future__ import annotations

import struct
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile.loops import Loops
from formicary_bench.experiments.mobile.mediators import SERVERS, Requests
from formicary_bench.subjects.baselines import tcp
from formicary_bench.vocabulary.roles import ECHO
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import Workload

_HEAD = struct.Struct(">HB")  # the numbers of client and server
_HELLO = 255  # in the place of a server's number: this is the connection to that client
_BETWEEN = "\n"  # endpoints


class Wire(tcp.Framed):
    """A connection.

    Args:
        take: called with it, with the numbers of client and server, and with the frame.
    """

    def __init__(self, take: Callable[[Wire, int, int, bytes], None]) -> None:
        super().__init__()
        self._take = take

    def received(self, frame: bytes) -> None:
        """Take a frame."""
        client, server = _HEAD.unpack_from(frame, tcp.LENGTH.size)
        self._take(self, client, server, frame)


def play(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up the mediator and the servers, or the clients."""
    return _echo(work) if work.job.role == ECHO else _ask(work)


@asynccontextmanager
async def _echo(work: Workload) -> AsyncIterator[PreparedRole]:
    clients: dict[int, Wire] = {}  # by number, of the mediator
    servers: list[Wire] = []

    def pass_on(wire: Wire, client: int, server: int, frame: bytes) -> None:
        clients[client] = wire
        servers[server].transport.write(frame)

    def pass_back(_: Wire, client: int, __: int, frame: bytes) -> None:
        clients[client].transport.write(frame)

    async with AsyncExitStack() as stack:
        endpoints = []
        for _ in range(SERVERS):
            listening = tcp.listening(work, partial(Wire, _serving()))
            endpoints.append(await stack.enter_async_context(listening))
            connected = tcp.connected(Wire(pass_back), endpoints[-1])
            servers.append(await stack.enter_async_context(connected))
        own = await stack.enter_async_context(tcp.listening(work, partial(Wire, pass_on)))
        yield PreparedRole(_BETWEEN.join([own, *endpoints]))


def _serving() -> Callable[[Wire, int, int, bytes], None]:
    """Return what answers on the client's own connection, if there is one; else where a request came from."""
    clients: dict[int, Wire] = {}

    def serve(wire: Wire, client: int, server: int, frame: bytes) -> None:
        if server == _HELLO:
            clients[client] = wire
        else:
            clients.get(client, wire).transport.write(frame)

    return serve


class Clients(Loops):
    """Each client makes a request, and the next one when it is answered, on whichever connection."""

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self._requests = Requests()
        self._body = work.body.encode()
        self._wires: list[Wire] = []  # to the mediator

    async def operate(self, count: int) -> None:
        """Make `count` requests."""
        answered = self._requests.start(count)
        for client in range(len(self._wires)):
            self._ask(client)
        await answered

    async def connect(self, stack: AsyncExitStack, mediator: str, servers: list[str]) -> None:
        """Connect each client to the mediator, and to the servers that answer it themselves."""
        for client in range(self.work.configuration.pairs):
            self._wires.append(await stack.enter_async_context(tcp.connected(Wire(self._answered), mediator)))
            for server in servers:
                wire = Wire(self._answered)
                await stack.enter_async_context(tcp.connected(wire, server))
                _write(wire, client, _HELLO)

    def _ask(self, client: int) -> None:
        number = self._requests.take()
        if number is not None:
            _write(self._wires[client], client, number % SERVERS, self._body)

    def _answered(self, _: Wire, client: int, __: int, ___: bytes) -> None:
        self._requests.end()
        self._ask(client)


@asynccontextmanager
async def _ask(work: Workload) -> AsyncIterator[PreparedRole]:
    clients = Clients(work)
    mediator, *servers = work.job.peer.split(_BETWEEN)
    async with AsyncExitStack() as stack:
        await clients.connect(
            stack, mediator, [] if work.configuration.experiment == "mobile/proxy" else servers
        )
        yield PreparedRole(measure=clients.make_all)


def _write(wire: Wire, client: int, server: int, body: bytes = b"") -> None:
    wire.transport.write(tcp.LENGTH.pack(_HEAD.size + len(body)) + _HEAD.pack(client, server) + body)
