"""How long it takes until other containers know of a registration.

In each of them, which share a process, an agent subscribes to the directory and tells the one that has
registered, by a message, when it sees the service. The time is from the registration until all have told: the
way of their messages back is part of it, as no two clocks are compared.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Agent, Message, OneShotBehaviour
from formicary_bench.subjects.ours.containers import complaint, endpoint, know_members, meet_all
from formicary_bench.subjects.ours.services import know_services, register_services, with_directory
from formicary_bench.vocabulary.containers import ASKING, ECHOING, names_on
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from formicary import Container
    from formicary_bench.worker.workload import Workload

_TYPE = "measured"


class Tell(OneShotBehaviour):
    """Tells each agent whose service it sees.

    Args:
        watches: called when it has begun to watch.
    """

    __slots__ = ("watches",)

    def __init__(self, watches: asyncio.Event) -> None:
        super().__init__()
        self.watches = watches

    async def run(self) -> None:
        """Watch and tell."""
        async with self.agent.directory.subscribe(type=_TYPE) as changes:
            self.watches.set()
            async for change in changes:
                for service in change.services:
                    await self.send(Message(to=service.agent, body=service.name, performative="inform"))


class Announce(OneShotBehaviour):
    """Registers a service, waits until all others have seen it, and takes it back.

    Args:
        work: how often, and how many others there are.
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
        """Register again and again."""
        directory = self.agent.directory
        await self.begin.wait()
        for number in range(self.work.trips):
            name = f"measured-{number}"
            start = perf_counter_ns()
            await directory.register(_TYPE, name)
            await self._be_seen(name)
            self.times.rtts.append(perf_counter_ns() - start)
            self.times.starts.append(start)
            await directory.deregister(name)

    async def _be_seen(self, name: str) -> None:
        """Wait until each of the others has told of this service."""
        seen: set[str | None] = set()
        while len(seen) < self.work.configuration.containers:
            message = await self.receive()
            if message.body == name:
                seen.add(message.sender)


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the containers that are to learn of it; the first of them is the platform's."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(with_directory(work, ECHOING))
        homes = [first]
        await register_services(first, work)
        for name in names_on(1)[1 : work.configuration.containers]:
            other = with_directory(work, name, join=endpoint(first, work))
            homes.append(await stack.enter_async_context(other))
        for home in homes:
            await _watch(home, work, len(homes))
        yield PreparedRole(
            endpoint(first, work), complaint=partial(_complaint, homes, work), meet=_meet(homes, work)
        )


async def _watch(home: Container, work: Workload, members: int) -> None:
    await know_members(home, members)
    watches = asyncio.Event()
    tell = Tell(watches)
    agent = Agent("watcher")
    agent.add_behaviour(tell)
    await home.start(agent)
    await watches.wait()
    work.steps += 1


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the agent that registers."""
    async with with_directory(work, ASKING) as home:
        await know_members(home, 1 + work.configuration.containers)
        await know_services(home, work)
        begin = asyncio.Event()
        times = PairTimes()
        work.times.append(times)
        announce = Announce(work, times, begin)
        agent = Agent("announcer")
        agent.add_behaviour(announce)
        await home.start(agent)

        async def measure() -> None:
            begin.set()
            await announce.join()

        yield PreparedRole(
            measure=measure, complaint=partial(_complaint, [home], work), meet=_meet([home], work)
        )


def _meet(homes: Sequence[Container], work: Workload) -> Callable[[], Awaitable[None]]:
    return partial(meet_all, homes, work, 1 + work.configuration.containers)


def _complaint(homes: Sequence[Container], work: Workload) -> str:
    return next(filter(None, (complaint(home, work) for home in homes)), "")
