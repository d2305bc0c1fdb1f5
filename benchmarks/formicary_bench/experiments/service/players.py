"""The players of the service: agents with behaviours, micro-agents, tasks with channels, bare functions."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary import CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.errors import FormicaryError
from formicary_bench.experiments.service.rounds import fetch, measure_rounds
from formicary_bench.subjects.baselines.callbacks import drain
from formicary_bench.subjects.baselines.tasks import Channel, end
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.subjects.ours.containers import act, start_agent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import Workload

    Write = Callable[[str], object]


class Request(OneShotBehaviour):
    """The client: asks the coordinator, waits until all is done, and repeats."""

    def __init__(self, work: Workload) -> None:
        super().__init__()
        self.work = work

    async def run(self) -> None:
        await measure_rounds(self.work, self._rounds)

    async def _rounds(self, count: int) -> None:
        for _ in range(count):
            await self.send(Message(to="coordinator", performative="request"))
            if await self.receive(timeout=PATIENCE) is None:
                raise FormicaryError(f"the coordinator did not answer within {PATIENCE:g} s")


class Coordinate(CyclicBehaviour):
    """The coordinator: has one agent fetch and another print, and answers the client."""

    async def run(self) -> None:
        """Serve one request of a client."""
        request = await self.receive()
        await self.send(Message(to="fetcher", performative="request"))
        data = await self.receive()
        await self.send(Message(to="printer", body=data.body, performative="request"))
        await self.receive()
        await self.reply(request)


class Serve(CyclicBehaviour):
    """Fetches what it is asked for, or prints what it is sent."""

    def __init__(self, do: Callable[[str], str]) -> None:
        super().__init__()
        self.do = do

    async def run(self) -> None:
        message = await self.receive()
        await self.reply(message, body=self.do(str(message.body)))


async def start(
    home: Container, work: Workload, write: Callable[[str], str]
) -> Callable[[], Awaitable[None]]:
    """Start the agents, and return a function that runs all rounds."""
    await start_agent(home, "fetcher", Serve(fetch))
    await start_agent(home, "printer", Serve(write))
    await start_agent(home, "coordinator", Coordinate())
    return partial(act, home, "client", Request(work))


class Client(MicroAgent):
    """Asks the coordinator, and asks again when all is done."""

    __slots__ = ("done", "left")

    def __init__(self) -> None:
        super().__init__("client")
        self.left = 0
        self.done: asyncio.Future[None] | None = None

    def rounds(self, count: int) -> asyncio.Future[None]:
        """Begin `count` rounds; return a future for their end."""
        self.left = count
        self.done = asyncio.get_running_loop().create_future()
        self.send_nowait(Message(to="coordinator", performative="request"))
        return self.done

    def handle(self, message: Message) -> None:
        del message
        self.left -= 1
        if self.left:
            self.send_nowait(Message(to="coordinator", performative="request"))
        elif self.done is not None:
            self.done.set_result(None)


class Coordinator(MicroAgent):
    """Has one agent fetch and another print, and answers the client."""

    __slots__ = ("request",)

    def __init__(self) -> None:
        super().__init__("coordinator")
        self.request: Message | None = None

    def handle(self, message: Message) -> None:
        """Take the next step of a request."""
        if message.performative == "request":
            self.request = message
            self.send_nowait(Message(to="fetcher", performative="request"))
        elif message.body:
            self.send_nowait(Message(to="printer", body=message.body, performative="request"))
        elif self.request is not None:
            self.send_nowait(self.request.make_reply())


class Server(MicroAgent):
    """Fetches what it is asked for, or prints what it is sent."""

    __slots__ = ("do",)

    def __init__(self, name: str, do: Callable[[str], str]) -> None:
        super().__init__(name)
        self.do = do

    def handle(self, message: Message) -> None:
        self.send_nowait(message.make_reply(body=self.do(str(message.body))))


async def start_micro(
    home: Container, work: Workload, write: Callable[[str], str]
) -> Callable[[], Awaitable[None]]:
    """Start the four agents, and return a function that runs all rounds."""
    client = Client()
    for agent in (Server("fetcher", fetch), Server("printer", write), Coordinator(), client):
        await home.start(agent)
    return partial(measure_rounds, work, client.rounds)


async def _coordinate(own: Channel, fetcher: Channel, printer: Channel, client: Channel) -> None:
    while True:
        await own.take()
        fetcher.put(None)
        printer.put(await own.take())
        await own.take()
        client.put(None)


async def _fetch(own: Channel, coordinator: Channel) -> None:
    while True:
        await own.take()
        coordinator.put(fetch())


async def _print(own: Channel, coordinator: Channel, write: Write) -> None:
    while True:
        write(await own.take())
        coordinator.put(None)


@asynccontextmanager
async def tasks(write: Write) -> AsyncIterator[Callable[[int], Awaitable[None]]]:
    """Run the tasks of coordinator, fetcher and printer; yield the client as a function that makes rounds."""
    client, coordinator, fetcher, printer = (Channel() for _ in range(4))
    running = [
        asyncio.create_task(_coordinate(coordinator, fetcher, printer, client)),
        asyncio.create_task(_fetch(fetcher, coordinator)),
        asyncio.create_task(_print(printer, coordinator, write)),
    ]

    async def rounds(count: int) -> None:
        for _ in range(count):
            coordinator.put(None)
            await client.take()

    yield rounds
    await end(running)


class Callbacks:
    """The four parties as functions that a run queue calls."""

    def __init__(self, write: Write) -> None:
        self.queue: deque[tuple[Callable[[Any], None], Any]] = deque()
        self.write = write
        self.left = 0
        self.done: asyncio.Future[None] | None = None

    def rounds(self, count: int) -> asyncio.Future[None]:
        """Begin `count` rounds; return a future for their end."""
        loop = asyncio.get_running_loop()
        self.left = count
        self.done = loop.create_future()
        self.queue.append((self._coordinate, None))
        loop.call_soon(drain(self.queue))
        return self.done

    def _client(self, _: None) -> None:
        self.left -= 1
        if self.left:
            self.queue.append((self._coordinate, None))
        elif self.done is not None:
            self.done.set_result(None)

    def _coordinate(self, _: None) -> None:
        self.queue.append((self._fetch, None))

    def _fetch(self, _: None) -> None:
        self.queue.append((self._have_fetched, fetch()))

    def _have_fetched(self, data: str) -> None:
        self.queue.append((self._print, data))

    def _print(self, data: str) -> None:
        self.write(data)
        self.queue.append((self._have_printed, None))

    def _have_printed(self, _: None) -> None:
        self.queue.append((self._client, None))
