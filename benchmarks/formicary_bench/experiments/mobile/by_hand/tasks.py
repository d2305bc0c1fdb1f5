"""Tasks of one process that wait in the memory, where agents would sleep, and are woken: `mobile/wake`."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.mobile.loops import Loops
from formicary_bench.experiments.mobile.weighing import weighed, weighing
from formicary_bench.subjects.baselines.tasks import Channel, end
from formicary_bench.vocabulary.values import ASLEEP, BY_TIME
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from formicary_bench.worker.workload import Workload

_LITTLE = 0.05  # s


class Wake(Loops):
    """Wakes waiting tasks by timers or by items in their channels."""

    async def make_all(self) -> None:
        """Make all loops, then measure the memory of waiting tasks."""
        await super().make_all()
        count = weighed(self.work.configuration)
        with weighing() as held:
            _, sleeping = await _fall_asleep(count, [])
            self.work.counters[ASLEEP] = held() / count
            await end(sleeping)

    async def operate(self, count: int) -> float:
        """Start `count` waiting tasks, wake them, and return how many seconds that took."""
        go_on = _by_timers if Looped.of(self.work.configuration).way == BY_TIME else _by_channels
        woken: list[float] = []
        channels, sleeping = await _fall_asleep(count, woken)
        everyone = asyncio.gather(*sleeping)
        start = go_on(channels)
        await everyone
        return perf_counter() - min(start, woken[0])  # uvloop's timers are early by a millisecond at most


async def _fall_asleep(count: int, woken: list[float]) -> tuple[list[Channel], list[asyncio.Task[None]]]:
    channels = [Channel() for _ in range(count)]
    sleeping = [asyncio.create_task(_sleep(channel, woken)) for channel in channels]
    await asyncio.sleep(0)  # when it goes on, all of them have begun to wait
    return channels, sleeping


async def _sleep(channel: Channel, woken: list[float]) -> None:
    await channel.take()
    woken.append(perf_counter())


def _by_channels(channels: Sequence[Channel]) -> float:
    """Wake the tasks through their channels, and return when that began."""
    start = perf_counter()
    for channel in channels:
        channel.put(None)
    return start


def _by_timers(channels: Sequence[Channel]) -> float:
    """Set timers that wake all tasks at the same moment, and return that moment."""
    loop = asyncio.get_running_loop()
    due = perf_counter() + _LITTLE
    for channel in channels:
        loop.call_later(due - perf_counter(), channel.put, None)
    return max(due, perf_counter())  # none of them goes on before this one waits


@asynccontextmanager
async def play(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up waiting tasks."""
    yield PreparedRole(measure=Wake(work).make_all)
