"""The baseline of agents with behaviours: asyncio tasks that hand over through a deque and a future.

Everything is inlined, as nobody would write a program: no call is made that the work does not need, and a
future only when there is nothing to take. With asyncio it cannot be done for less.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from formicary_bench.worker.creation import measure_creation
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import Workload


class Channel:
    """The channel of one task: its items, and the future it waits for without any."""

    __slots__ = ("items", "waiter")

    def __init__(self) -> None:
        self.items: deque[Any] = deque()
        self.waiter: asyncio.Future[None] | None = None

    def put(self, item: object) -> None:
        """Add an item, and wake the waiting task."""
        self.items.append(item)
        if (waiter := self.waiter) is not None:
            self.waiter = None
            waiter.set_result(None)

    async def take(self) -> Any:
        """Take the next item, waiting for it if there is none."""
        if not self.items:
            self.waiter = asyncio.get_running_loop().create_future()
            await self.waiter
        return self.items.popleft()


async def ask(own: Channel, other: Channel, item: object, trips: int, times: PairTimes) -> None:
    """Put `item` and wait for the answer, `trips` times."""
    items, put = own.items, other.items.append
    take, future = items.popleft, asyncio.get_running_loop().create_future
    started, took = times.starts.append, times.rtts.append
    for _ in range(trips):
        start = perf_counter_ns()
        put(item)
        waiter = other.waiter
        if waiter is not None:
            other.waiter = None
            waiter.set_result(None)
        if not items:
            own.waiter = future()
            await own.waiter
        take()
        took(perf_counter_ns() - start)
        started(start)


async def echo(own: Channel, other: Channel) -> None:
    """Put back the items of one partner."""
    items, put = own.items, other.items.append
    take, future = items.popleft, asyncio.get_running_loop().create_future
    while True:
        if not items:
            own.waiter = future()
            await own.waiter
        put(take())
        waiter = other.waiter
        if waiter is not None:
            other.waiter = None
            waiter.set_result(None)


async def echo_to_many(own: Channel) -> None:
    """Put back the items of many partners: pairs of a channel and a message."""
    items = own.items
    take, future = items.popleft, asyncio.get_running_loop().create_future
    while True:
        if not items:
            own.waiter = future()
            await own.waiter
        other, message = take()
        other.items.append(message)
        waiter = other.waiter
        if waiter is not None:
            other.waiter = None
            waiter.set_result(None)


async def wait(own: Channel) -> None:
    """Wait for an item that never comes."""
    while True:
        if not own.items:
            own.waiter = asyncio.get_running_loop().create_future()
            await own.waiter
        own.items.popleft()


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up all tasks; those that ask start with the measurement."""
    receivers = [Channel() for _ in work.receivers]
    senders = [Channel() for _ in work.senders]
    work.times += [PairTimes() for _ in senders]
    if work.many_to_one:
        echoes = [asyncio.create_task(echo_to_many(receivers[0]))]
    else:
        echoes = [asyncio.create_task(echo(*ends)) for ends in zip(receivers, senders, strict=True)]
    body = work.body

    async def measure() -> None:
        async with asyncio.TaskGroup() as group:
            for number, own in enumerate(senders):
                item: object = (own, body) if work.many_to_one else body
                other = receivers[work.receiver_of(number)]
                group.create_task(ask(own, other, item, work.trips, work.times[number]))

    yield PreparedRole(measure=measure)
    await end(echoes)


@asynccontextmanager
async def create(work: Workload) -> AsyncIterator[PreparedRole]:
    """Create tasks that wait."""
    waiting: list[asyncio.Task[None]] = []

    async def batch(numbers: range) -> None:
        waiting.extend([asyncio.create_task(wait(Channel())) for _ in numbers])
        # The loop starts tasks in order, and resumes this one after them.
        await asyncio.sleep(0)

    yield PreparedRole(measure=partial(measure_creation, work, batch))
    await end(waiting)


async def end(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel tasks, and wait until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
