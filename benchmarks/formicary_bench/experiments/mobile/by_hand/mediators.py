"""A mediator between clients and servers, by hand: tasks of one process, or TCP connections of two.

A frame is the number of its client and of its server, and the body. In the process that does not measure, the
mediator and each server listen at ports of their own, and the mediator is connected to the servers.
"""

from __future__ import annotations

import asyncio
import struct
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile.by_hand.tasks import looping, take
from formicary_bench.experiments.mobile.mediators import SERVERS, Requests, is_proxy
from formicary_bench.subjects.baselines import tcp
from formicary_bench.subjects.baselines.tasks import Channel, end
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

_HEAD = struct.Struct(">HB")  # the numbers of client and server
_HELLO = 255  # in the place of a server's number: this is the connection to that client
_BETWEEN = "\n"  # endpoints


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have tasks for all of them."""
    mediator, requests, body = Channel(), Requests(), work.body
    servers = [Channel() for _ in range(SERVERS)]
    proxies = is_proxy(work)
    own = [Channel() for _ in range(work.configuration.pairs)]
    running = [asyncio.create_task(_mediate(mediator, servers, own, proxies=proxies))]
    running += [asyncio.create_task(_serve(one, mediator, own, proxies=proxies)) for one in servers]

    async def ask(client: int) -> None:
        while True:
            number = requests.take()
            if number is None:
                await requests.begin.wait()
                continue
            mediator.put((client, number % SERVERS, body))
            await take(own[client])
            requests.end()

    running += [asyncio.create_task(ask(client)) for client in range(len(own))]
    yield looping(work, requests.make)
    await end(running)


async def _mediate(
    own: Channel, servers: Sequence[Channel], clients: Sequence[Channel], *, proxies: bool
) -> None:
    while True:
        client, server, body = item = await take(own)
        if proxies and server < 0:
            clients[client].put(body)
        else:
            servers[server].put(item)


async def _serve(own: Channel, mediator: Channel, clients: Sequence[Channel], *, proxies: bool) -> None:
    while True:
        client, _, body = await take(own)
        if proxies:
            mediator.put((client, -1, body))
        else:
            clients[client].put(body)


class Server(tcp.Framed):
    """Answers a request on its client's own connection, if there is one; else where it came from.

    Args:
        clients: the connections of clients, by number.
    """

    def __init__(self, clients: dict[int, Server]) -> None:
        super().__init__()
        self._clients = clients

    def received(self, frame: bytes) -> None:
        """Answer it, or note whose connection this is."""
        client, server = _HEAD.unpack_from(frame, tcp.LENGTH.size)
        if server == _HELLO:
            self._clients[client] = self
        else:
            self._clients.get(client, self).transport.write(frame)


class Mediator(tcp.Framed):
    """Passes on requests of one client, whose connection it is.

    Args:
        servers: the connections to the servers.
        clients: those of the clients, by number.
    """

    def __init__(self, servers: Sequence[tcp.Framed], clients: dict[int, Mediator]) -> None:
        super().__init__()
        self._servers = servers
        self._clients = clients

    def received(self, frame: bytes) -> None:
        """Pass it on."""
        client, server = _HEAD.unpack_from(frame, tcp.LENGTH.size)
        self._clients[client] = self
        self._servers[server].transport.write(frame)


class ToServer(tcp.Framed):
    """The mediator's connection to a server, whose answers it passes on to the clients.

    Args:
        clients: the clients' connections to the mediator, by number.
    """

    def __init__(self, clients: dict[int, Mediator]) -> None:
        super().__init__()
        self._clients = clients

    def received(self, frame: bytes) -> None:
        """Pass an answer on."""
        client, _ = _HEAD.unpack_from(frame, tcp.LENGTH.size)
        self._clients[client].transport.write(frame)


class Client(tcp.Framed):
    """A client: makes a request, and the next one when it is answered, on whichever connection.

    Args:
        number: its number.
        body: what each request has.
        requests: how many are to be made.
    """

    def __init__(self, number: int, body: bytes, requests: Requests) -> None:
        super().__init__()
        self.number = number
        self._body = body
        self._requests = requests

    def ask(self) -> None:
        """Make the next request, if there is one."""
        number = self._requests.take()
        if number is not None:
            self.write(number % SERVERS)

    def write(self, server: int) -> None:
        """Send a frame."""
        content = _HEAD.pack(self.number, server) + self._body
        self.transport.write(tcp.LENGTH.pack(len(content)) + content)

    def received(self, frame: bytes) -> None:
        """Take an answer."""
        del frame
        self._requests.end()
        self.ask()


class Answers(Client):
    """A client's connection to a server, which answers there.

    Args:
        client: the client.
        body: as of `Client`.
        requests: as of `Client`.
    """

    def __init__(self, client: Client, body: bytes, requests: Requests) -> None:
        super().__init__(client.number, body, requests)
        self._client = client

    def ask(self) -> None:
        """Have the client make it."""
        self._client.ask()


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the mediator, and the servers."""
    clients: dict[int, Mediator] = {}
    async with AsyncExitStack() as stack:
        endpoints = [
            await stack.enter_async_context(tcp.listening(work, partial(Server, {}))) for _ in range(SERVERS)
        ]
        servers = [ToServer(clients) for _ in endpoints]
        for server, endpoint in zip(servers, endpoints, strict=True):
            await tcp.connect(server, endpoint)
            stack.callback(server.transport.close)
        own = await stack.enter_async_context(tcp.listening(work, partial(Mediator, servers, clients)))
        yield PreparedRole(_BETWEEN.join([own, *endpoints]))


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the clients."""
    requests, body = Requests(), work.body.encode()
    mediator, *servers = work.job.peer.split(_BETWEEN)
    clients = [Client(number, body, requests) for number in range(work.configuration.pairs)]
    async with AsyncExitStack() as stack:
        for client in clients:
            await tcp.connect(client, mediator)
            stack.callback(client.transport.close)
            for endpoint in () if is_proxy(work) else servers:
                answers = Answers(client, b"", requests)
                await tcp.connect(answers, endpoint)
                stack.callback(answers.transport.close)
                answers.write(_HELLO)

        async def loop(count: int) -> float:
            start = perf_counter()
            requests.start(count)
            for client in clients:
                client.ask()
            await requests.answered.wait()
            return perf_counter() - start

        yield looping(work, loop)
