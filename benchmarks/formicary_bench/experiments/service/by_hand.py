"""The service without agents: by asyncio tasks with a channel each, and by functions that call each other."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.service.rounds import fetch
from formicary_bench.subjects.baselines.callbacks import drain
from formicary_bench.subjects.baselines.tasks import Channel, end

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Write = Callable[[str], object]


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
    """Run the tasks of coordinator, fetcher and printer; yield the client, a function that makes rounds."""
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
    """The four parties as functions that a run queue calls.

    Args:
        write: prints a line.
    """

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
