"""How long it takes until other containers know of a registration.

In each of them, which share a process, an agent subscribes to the directory and tells the one that has
registered, by a message, when it sees the service. The time is from the registration until all have told: the
way of their messages back is part of it, as no two clocks are compared.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Message, OneShotBehaviour
from formicary_bench.experiments.directory import Spreading
from formicary_bench.subjects.ours.containers import all_prepared, endpoint, know_members, start_agent
from formicary_bench.subjects.ours.operations import Use, start_use
from formicary_bench.subjects.ours.services import know_services, register_services, with_directory
from formicary_bench.vocabulary.containers import ASKING, ECHOING, names_on

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

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


class Announce(Use):
    """Registers a service, waits until all others have seen it, and takes it back outside the time."""

    __slots__ = ()

    async def once(self, name: str) -> tuple[int, int]:
        """Register, and wait."""
        directory = self.agent.directory
        start = perf_counter_ns()
        await directory.register(_TYPE, name)
        await self._be_seen(name)
        end = perf_counter_ns()
        await directory.deregister(name)
        return start, end

    async def _be_seen(self, name: str) -> None:
        """Wait until each of the others has told of this service."""
        seen: set[str | None] = set()
        while len(seen) < Spreading.of(self.work.configuration).containers:
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
        for name in names_on(1)[1 : Spreading.of(work.configuration).containers]:
            other = with_directory(work, name, join=endpoint(first, work))
            homes.append(await stack.enter_async_context(other))
        for home in homes:
            await _watch(home, work, len(homes))
        yield all_prepared(homes, work, 1 + Spreading.of(work.configuration).containers)


async def _watch(home: Container, work: Workload, members: int) -> None:
    await know_members(home, members)
    watches = asyncio.Event()
    tell = Tell(watches)
    await start_agent(home, "watcher", tell)
    await watches.wait()
    work.steps += 1


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the agent that registers."""
    async with with_directory(work, ASKING) as home:
        await know_members(home, 1 + Spreading.of(work.configuration).containers)
        await know_services(home, work)
        measure = await start_use(home, work, Announce)
        yield all_prepared([home], work, 1 + Spreading.of(work.configuration).containers, measure)
