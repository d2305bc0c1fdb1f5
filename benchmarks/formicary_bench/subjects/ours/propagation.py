"""The time until other containers know of a registration.

In each of them (they share a process) an agent subscribes to the directory, and sends the registering agent a
message when it sees the service. The time lasts from the registration until all messages have arrived: it
includes their way back, so that no two clocks are compared.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from formicary_bench.experiments.directory import Spreading
from formicary_bench.subjects.ours.containers import all_prepared, endpoint, know_members
from formicary_bench.subjects.ours.operations import Register, start_use, watch
from formicary_bench.subjects.ours.services import know_services, register_services, with_directory
from formicary_bench.vocabulary.places import ASKING, ECHOING, names_on

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import PairTimes, PreparedRole, Workload


class Announce(Register):
    """Registers a service and waits until all others have seen it; deregistering it is not timed."""

    __slots__ = ()

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__(work, times, begin)
        self.others = Spreading.of(work.configuration).containers

    async def once(self, name: str) -> tuple[int, int]:
        start, _ = await super().once(name)
        return start, start + self.seen[-1]


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the containers that learn of the service; the first is the platform's."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(with_directory(work, ECHOING))
        homes = [first]
        await register_services(first, work)
        for name in names_on(1)[1 : Spreading.of(work.configuration).containers]:
            other = with_directory(work, name, join=endpoint(first, work))
            homes.append(await stack.enter_async_context(other))
        for home in homes:
            await know_members(home, len(homes))
            await watch(home)
            work.steps += 1
        yield all_prepared(homes, work, 1 + Spreading.of(work.configuration).containers)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the registering agent."""
    async with with_directory(work, ASKING) as home:
        await know_members(home, 1 + Spreading.of(work.configuration).containers)
        await know_services(home, work)
        measure = await start_use(home, work, Announce)
        yield all_prepared([home], work, 1 + Spreading.of(work.configuration).containers, measure)
