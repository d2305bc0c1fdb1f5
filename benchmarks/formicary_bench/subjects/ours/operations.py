"""One agent uses the directory, to register, deregister or search, time after time, and times it.

What a measured registration has changed is taken back before the next one, so the number of services stays.
Each use begins on a turn of the event loop of its own, as it does where agents do something else meanwhile,
so that a replica has told the others of what came before.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import OneShotBehaviour
from formicary_bench.experiments.directory import Uses
from formicary_bench.subjects.ours.containers import prepared, start_agent
from formicary_bench.subjects.ours.services import (
    has_type,
    know_services,
    register_services,
    types,
    with_directory,
)
from formicary_bench.vocabulary.containers import ASKING, ECHOING, member_name
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

_TYPE = "measured"


class Use(OneShotBehaviour):
    """Uses the directory as often as it is to, and notes when and how long.

    Args:
        work: how often, and how many services there are.
        times: where the times go.
        begin: set when it is to begin.
    """

    __slots__ = ("begin", "times", "work")

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__()
        self.work = work
        self.times = times
        self.begin = begin

    async def run(self) -> None:
        """Use it."""
        await self.begin.wait()
        for number in range(self.work.trips):
            start, end = await self.once(f"measured-{number}")
            self.times.starts.append(start)
            self.times.rtts.append(end - start)
            await asyncio.sleep(0)

    async def once(self, name: str) -> tuple[int, int]:
        """Use it once, for a service of this name, and return when that began and when it was done."""
        raise NotImplementedError


class Register(Use):
    """Registers a service; it is taken back outside the time."""

    __slots__ = ()

    async def once(self, name: str) -> tuple[int, int]:
        """Register."""
        directory = self.agent.directory
        start = perf_counter_ns()
        await directory.register(_TYPE, name)
        end = perf_counter_ns()
        await directory.deregister(name)
        return start, end


class Deregister(Use):
    """Takes a service back, which was registered outside the time."""

    __slots__ = ()

    async def once(self, name: str) -> tuple[int, int]:
        """Deregister."""
        directory = self.agent.directory
        await directory.register(_TYPE, name)
        await asyncio.sleep(0)
        start = perf_counter_ns()
        await directory.deregister(name)
        return start, perf_counter_ns()


class Search(Use):
    """Searches for the few services of a type, of another one each time."""

    __slots__ = ("wanted",)

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__(work, times, begin)
        numbers = list(types(Uses.of(work.configuration).services))
        random.Random(work.job.seed).shuffle(numbers)
        self.wanted = cycle(numbers)

    async def once(self, name: str) -> tuple[int, int]:  # noqa: ARG002 -- as of Use
        """Search."""
        directory = self.agent.directory
        number = next(self.wanted)
        start = perf_counter_ns()
        found = await directory.search(type=f"type-{number}")
        end = perf_counter_ns()
        there = has_type(Uses.of(self.work.configuration).services, number)
        if len(found) != there:
            raise RuntimeError(f"a search for type-{number} found {len(found)} services of {there}")
        return start, end


_USES: dict[str, type[Use]] = {
    "directory/register": Register,
    "directory/deregister": Deregister,
    "directory/search": Search,
    "directory/clients": Search,
    "directory/cpu-register": Register,
    "directory/cpu-search": Search,
}


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have everything in one container."""
    async with with_directory(work, ASKING) as home:
        await register_services(home, work)
        yield prepared(home, work, await _start_use(home, work))


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the platform's container, and agents whose services are there."""
    async with with_directory(work, ECHOING) as home:
        await register_services(home, work)
        yield prepared(home, work)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the agent that uses the directory, and agents whose services are beside it."""
    async with with_directory(work, ASKING) as home:
        await register_services(home, work)
        await know_services(home, work)
        yield prepared(home, work, await _start_use(home, work))


@asynccontextmanager
async def member(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have one of many containers: the first is the platform's, the last has the agent that measures."""
    async with with_directory(work, member_name(work.job.member)) as home:
        await register_services(home, work)
        if not work.senders:
            yield prepared(home, work)
            return
        role = prepared(home, work, await _start_use(home, work))
        role.meet = partial(know_services, home, work)
        yield role


async def _start_use(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    return await start_use(home, work, _USES[work.configuration.experiment])


async def start_use(home: Container, work: Workload, kind: type[Use]) -> Callable[[], Awaitable[None]]:
    """Start the agents that use the directory, and return what has them begin and waits for their end."""
    begin = asyncio.Event()
    uses = []
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        uses.append(kind(work, times, begin))
        await start_agent(home, f"user-{number}", uses[-1])

    async def measure() -> None:
        begin.set()
        await asyncio.gather(*(one.join() for one in uses))

    return measure
