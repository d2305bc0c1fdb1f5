"""Tasks of one process: they are created, hand each other what is in a channel, and are woken."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.mobile.loops import measure_loops
from formicary_bench.experiments.mobile.weighing import weighed, weighing
from formicary_bench.subjects.baselines.tasks import Channel, end
from formicary_bench.vocabulary.sleeping import ASLEEP, BY_TIME
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

_LAST = ""
_LITTLE = 0.05  # s


@asynccontextmanager
async def create(work: Workload) -> AsyncIterator[PreparedRole]:
    """Begin tasks that wait."""

    async def loop(count: int) -> float:
        start = perf_counter()
        waiting = [asyncio.create_task(_wait(Channel())) for _ in range(count)]
        await asyncio.sleep(0)  # when it goes on, all of them have begun to wait
        seconds = perf_counter() - start
        await end(waiting)
        return seconds

    yield looping(work, loop)


@asynccontextmanager
async def talk(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have a task that listens, and one that sends."""
    here, there = Channel(), Channel()
    answers_all = work.configuration.experiment != "mobile/one-way"
    listening = asyncio.create_task(_listen(there, here, answers_all=answers_all))
    waits = work.configuration.experiment == "mobile/synchronize"
    body = work.body

    async def loop(count: int) -> float:
        start = perf_counter()
        for number in range(count):
            there.put(body if answers_all or number < count - 1 else _LAST)
            if waits:
                await take(here)
        for _ in range(0 if waits else count if answers_all else 1):
            await take(here)
        return perf_counter() - start

    yield looping(work, loop)
    await end([listening])


@asynccontextmanager
async def wake(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have tasks wait in the memory, and go on by a timer or by what is put into the channel of each."""
    go_on = _by_timers if work.configuration.way == BY_TIME else _by_channels

    async def loop(count: int) -> float:
        woken: list[float] = []
        channels, sleeping = await _fall_asleep(count, woken)
        everyone = asyncio.gather(*sleeping)
        start = go_on(channels)
        await everyone
        return perf_counter() - min(start, woken[0])  # uvloop's timers are early by a millisecond at most

    async def measure() -> None:
        await measure_loops(work, loop)
        count = weighed(work.configuration)
        with weighing() as held:
            _, sleeping = await _fall_asleep(count, [])
            work.counters[ASLEEP] = held() / count
            await end(sleeping)

    yield PreparedRole(measure=measure)


async def _fall_asleep(count: int, woken: list[float]) -> tuple[list[Channel], list[asyncio.Task[None]]]:
    channels = [Channel() for _ in range(count)]
    sleeping = [asyncio.create_task(_sleep(channel, woken)) for channel in channels]
    await asyncio.sleep(0)  # when it goes on, all of them have begun to wait
    return channels, sleeping


async def _sleep(channel: Channel, woken: list[float]) -> None:
    await take(channel)
    woken.append(perf_counter())


def _by_channels(channels: Sequence[Channel]) -> float:
    """Have tasks go on, and return when that began."""
    start = perf_counter()
    for channel in channels:
        channel.put(None)
    return start


def _by_timers(channels: Sequence[Channel]) -> float:
    """Have tasks go on a little later, all at the same moment, and return when that is."""
    loop = asyncio.get_running_loop()
    due = perf_counter() + _LITTLE
    for channel in channels:
        loop.call_later(due - perf_counter(), channel.put, None)
    return max(due, perf_counter())  # none of them goes on before this one waits


def looping(work: Workload, loop: Callable[[int], Awaitable[float]]) -> PreparedRole:
    """Return the role of a worker that makes loops without agents."""

    async def measure() -> None:
        await measure_loops(work, loop)

    return PreparedRole(measure=measure)


async def _wait(channel: Channel) -> None:
    await take(channel)


async def _listen(channel: Channel, answers: Channel, *, answers_all: bool) -> None:
    items, future = channel.items, asyncio.get_running_loop().create_future
    while True:
        if not items:
            channel.waiter = future()
            await channel.waiter
        body = items.popleft()
        if answers_all or body == _LAST:
            answers.put(body)


async def take(channel: Channel) -> Any:
    """Take the next item, and wait for it if there is none."""
    if not channel.items:
        channel.waiter = asyncio.get_running_loop().create_future()
        await channel.waiter
    return channel.items.popleft()
