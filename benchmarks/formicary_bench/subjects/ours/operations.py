"""One agent registers, deregisters or searches in the directory again and again, and times each use.

A measured registration is removed before the next one, so the number of services stays the same. A replica
tells the others at the end of a turn of the event loop: a change is done when that turn is over. In
`directory/register` an agent of each other container also reports when it sees the service.
"""

from __future__ import annotations

import asyncio
import random
from array import array
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle
from statistics import median
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Message, OneShotBehaviour
from formicary_bench.experiments.directory import SEEN_COUNTER, Uses, has_type, types
from formicary_bench.subjects.ours.containers import prepared, running, start_agent
from formicary_bench.subjects.ours.services import know_services, register_services, with_directory
from formicary_bench.vocabulary.names import DEREGISTER, REGISTER, SEARCH
from formicary_bench.vocabulary.places import ASKING, ECHOING, N_HOSTS, SAME, member_name
from formicary_bench.vocabulary.values import REPLICA
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

_TYPE = "measured"


async def turn_end() -> int:
    """Wait for the end of this turn of the event loop, and return its time."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[int] = loop.create_future()
    loop.call_soon(lambda: over.set_result(perf_counter_ns()))
    return await over


class Use(OneShotBehaviour):
    """Uses the directory a number of times, and records when and how long."""

    __slots__ = ("begin", "times", "work")

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__()
        self.work = work
        self.times = times
        self.begin = begin

    async def run(self) -> None:
        await self.begin.wait()
        for number in range(self.work.trips):
            start, end = await self.once(f"measured-{number}")
            self.times.starts.append(start)
            self.times.rtts.append(end - start)
            await asyncio.sleep(0)

    async def once(self, name: str) -> tuple[int, int]:
        """Use the directory once for a service of this name, and return when that began and ended."""
        raise NotImplementedError


class Change(Use):
    """Changes an entry, and waits until the others are told, if confirmation does not include that."""

    __slots__ = ("tells",)

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__(work, times, begin)
        configuration = work.configuration
        self.tells = configuration.kind == REPLICA and configuration.placement != SAME

    async def tell(self) -> int:
        """Wait until a change is on its way to the others, and return the time."""
        return await turn_end() if self.tells else perf_counter_ns()


class Register(Change):
    """Registers a service; deregistering it is not timed.

    If others see it later, the time when all have reported it is recorded as well.
    """

    __slots__ = ("others", "seen")

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__(work, times, begin)
        self.others = watchers(work)
        self.seen = array("q")

    async def run(self) -> None:
        """Use the directory, and record how long it took until others had seen it."""
        await super().run()
        measured = self.seen[self.work.exchange.warm_up :]
        if measured:
            self.work.counters[SEEN_COUNTER] = median(measured) / 1e3

    async def once(self, name: str) -> tuple[int, int]:
        directory = self.agent.directory
        start = perf_counter_ns()
        await directory.register(_TYPE, name)
        end = await self.tell()
        if self.others:
            await self._be_seen(name)
            self.seen.append(perf_counter_ns() - start)
        await directory.deregister(name)
        await self.tell()
        return start, end

    async def _be_seen(self, name: str) -> None:
        """Wait until each of the others has reported this service."""
        seen: set[str | None] = set()
        while len(seen) < self.others:
            message = await self.receive()
            if message.body == name:
                seen.add(message.sender)


class Deregister(Change):
    """Deregisters a service; registering it is not timed."""

    __slots__ = ()

    async def once(self, name: str) -> tuple[int, int]:
        directory = self.agent.directory
        await directory.register(_TYPE, name)
        await self.tell()
        start = perf_counter_ns()
        await directory.deregister(name)
        return start, await self.tell()


class Search(Use):
    """Searches for the few services of a type, a different one each time."""

    __slots__ = ("wanted",)

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__(work, times, begin)
        numbers = list(types(Uses.of(work.configuration).services))
        random.Random(work.job.seed).shuffle(numbers)
        self.wanted = cycle(numbers)

    async def once(self, name: str) -> tuple[int, int]:  # noqa: ARG002 -- as of Use
        directory = self.agent.directory
        number = next(self.wanted)
        start = perf_counter_ns()
        found = await directory.search(type=f"type-{number}")
        end = perf_counter_ns()
        there = has_type(Uses.of(self.work.configuration).services, number)
        if len(found) != there:
            raise RuntimeError(f"a search for type-{number} found {len(found)} services of {there}")
        return start, end


class Tell(OneShotBehaviour):
    """Notifies each agent when it sees the agent's service."""

    __slots__ = ("watches",)

    def __init__(self, watches: asyncio.Event) -> None:
        super().__init__()
        self.watches = watches

    async def run(self) -> None:
        async with self.agent.directory.subscribe(type=_TYPE) as changes:
            self.watches.set()
            async for change in changes:
                for service in change.services:
                    await self.send(Message(to=service.agent, body=service.name, performative="inform"))


async def watch(home: Container) -> None:
    """Start an agent that reports each measured service, and wait until it watches."""
    watches = asyncio.Event()
    await start_agent(home, "watcher", Tell(watches))
    await watches.wait()


def watchers(work: Workload) -> int:
    """Return how many containers report a registration: all, if they have replicas."""
    configuration = work.configuration
    if configuration.experiment != REGISTER or configuration.kind != REPLICA:
        return 0
    if configuration.placement == N_HOSTS:
        return configuration.hosts - 1
    return int(configuration.placement != SAME)


_USES: dict[str, type[Use]] = {
    REGISTER: Register,
    DEREGISTER: Deregister,
    SEARCH: Search,
    "directory/clients": Search,
    "directory/cpu-register": Register,
    "directory/cpu-search": Search,
}


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up everything in one container."""
    async with with_directory(work, ASKING) as home:
        await register_services(home, work)
        yield prepared(home, work, await start_use(home, work, use_of(work)))


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the platform's container, and agents with services there."""
    async with with_directory(work, ECHOING) as home:
        await register_services(home, work)
        if watchers(work):
            await watch(home)
        yield prepared(home, work)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the agent that uses the directory, and agents with services beside it."""
    async with with_directory(work, ASKING) as home:
        await register_services(home, work)
        await know_services(home, work)
        yield prepared(home, work, await start_use(home, work, use_of(work)))


@asynccontextmanager
async def member(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up one of many containers: the first is the platform's, the last has the measuring agent."""
    async with with_directory(work, member_name(work.job.member)) as home:
        await register_services(home, work)
        if not work.senders:
            if watchers(work):
                await watch(home)
            yield prepared(home, work)
            return
        role = prepared(home, work, await start_use(home, work, use_of(work)))
        role.meet = partial(know_services, home, work)
        yield role


def use_of(work: Workload) -> type[Use]:
    """Return the use that an experiment measures."""
    return _USES[work.configuration.experiment]


async def start_use(home: Container, work: Workload, kind: type[Use]) -> Callable[[], Awaitable[None]]:
    """Start the agents that use the directory, and return a function that runs them to their end."""
    begin = asyncio.Event()
    uses = []
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        uses.append(kind(work, times, begin))
        await start_agent(home, f"user-{number}", uses[-1])
    return running(begin, *uses)
