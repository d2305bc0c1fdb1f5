"""The experiments by asyncio tasks in one process, which talk through channels."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile.loops import Loops
from formicary_bench.experiments.mobile.mediators import SERVERS, Requests
from formicary_bench.experiments.mobile.weighing import weighed, weighing
from formicary_bench.subjects.baselines.tasks import Channel, end
from formicary_bench.vocabulary.sleeping import ASLEEP, BY_TIME
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from typing import Any

    from formicary_bench.worker.workload import Workload

_LAST = ""
_LITTLE = 0.05  # s


class Tasks(Loops):
    """Loops by tasks, which are cancelled after the last loop."""

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self.running: list[asyncio.Task[None]] = []

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task."""
        self.running.append(asyncio.create_task(work))


class Talk(Tasks):
    """Sends to a listening task, and waits for every answer in turn, for all of them, or for the last."""

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self.here, self.there = Channel(), Channel()
        self.answers_all = work.configuration.experiment != "mobile/one-way"
        self.waits = work.configuration.experiment == "mobile/synchronize"
        self.begin(_listen(self.there, self.here, answers_all=self.answers_all))

    async def operate(self, count: int) -> None:
        """Send, and wait for as many answers as there are."""
        answers_all, waits, body = self.answers_all, self.waits, self.work.body
        for number in range(count):
            self.there.put(body if answers_all or number < count - 1 else _LAST)
            if waits:
                await self.here.take()
        for _ in range(0 if waits else count if answers_all else 1):
            await self.here.take()


async def _listen(channel: Channel, answers: Channel, *, answers_all: bool) -> None:
    items, future = channel.items, asyncio.get_running_loop().create_future
    while True:
        if not items:
            channel.waiter = future()
            await channel.waiter
        body = items.popleft()
        if answers_all or body == _LAST:
            answers.put(body)


class Mediate(Tasks):
    """Client tasks send requests to a mediator task, which passes them on to server tasks."""

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self.proxies = work.configuration.experiment == "mobile/proxy"
        self.mediator, self.requests = Channel(), Requests()
        self.servers = [Channel() for _ in range(SERVERS)]
        self.clients = [Channel() for _ in range(work.configuration.pairs)]
        self.begin(self._mediate())
        for server in self.servers:
            self.begin(self._serve(server))
        for number, client in enumerate(self.clients):
            self.begin(self._ask(number, client))

    async def operate(self, count: int) -> None:
        """Make `count` requests."""
        await self.requests.start(count)

    async def _ask(self, client: int, own: Channel) -> None:
        body = self.work.body
        while True:
            number = self.requests.take()
            if number is None:
                await self.requests.begin.wait()
                continue
            self.mediator.put((client, number % SERVERS, body))
            await own.take()
            self.requests.end()

    async def _mediate(self) -> None:
        while True:
            client, server, body = item = await self.mediator.take()
            if server < 0:
                self.clients[client].put(body)
            else:
                self.servers[server].put(item)

    async def _serve(self, own: Channel) -> None:
        while True:
            client, _, body = await own.take()
            if self.proxies:
                self.mediator.put((client, -1, body))
            else:
                self.clients[client].put(body)


class Wait(Tasks):
    """Starts tasks that wait."""

    async def operate(self, count: int) -> float | None:
        """Begin so many."""
        await self.fall_asleep(count, [])
        return None

    async def clear(self, count: int) -> None:
        """End them."""
        del count
        await end(self.running)

    async def fall_asleep(self, count: int, woken: list[float]) -> list[Channel]:
        """Start tasks that each wait on a channel, and record when they wake."""
        channels = [Channel() for _ in range(count)]
        self.running = [asyncio.create_task(_sleep(channel, woken)) for channel in channels]
        await asyncio.sleep(0)  # when it goes on, all of them have begun to wait
        return channels


class Wake(Wait):
    """Wakes waiting tasks by timers or by items in their channels."""

    async def make_all(self) -> None:
        """Make all loops, then measure the memory of waiting tasks."""
        await super().make_all()
        count = weighed(self.work.configuration)
        with weighing() as held:
            await self.fall_asleep(count, [])
            self.work.counters[ASLEEP] = held() / count
            await end(self.running)

    async def operate(self, count: int) -> float:
        """Start `count` waiting tasks, wake them, and return how many seconds that took."""
        go_on = _by_timers if self.work.configuration.way == BY_TIME else _by_channels
        woken: list[float] = []
        channels = await self.fall_asleep(count, woken)
        everyone = asyncio.gather(*self.running)
        start = go_on(channels)
        await everyone
        return perf_counter() - min(start, woken[0])  # uvloop's timers are early by a millisecond at most


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


_LOOPS: dict[str, type[Tasks]] = {
    "mobile/create-local": Wait,
    "mobile/one-way": Talk,
    "mobile/two-way": Talk,
    "mobile/synchronize": Talk,
    "mobile/forward-messages": Mediate,
    "mobile/proxy": Mediate,
    "mobile/wake": Wake,
}


@asynccontextmanager
async def play(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the tasks of an experiment."""
    loops = _LOOPS[work.configuration.experiment](work)
    yield PreparedRole(measure=loops.make_all)
    await end(loops.running)
