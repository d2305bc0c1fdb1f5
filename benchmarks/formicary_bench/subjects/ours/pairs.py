"""The roles of workers whose agents talk in pairs, whatever agents these are."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary_bench.subjects.ours.containers import container, prepared
from formicary_bench.vocabulary.places import ASKING, ECHOING, member_name

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload


@dataclass(frozen=True)
class PairRoles:
    """The roles, by how agents are started and containers made."""

    start_echoes: Callable[[Container, Workload], Awaitable[None]]
    start_asking: Callable[[Container, Workload], Awaitable[Callable[[], Awaitable[None]]]]
    make: Callable[[Workload, str], AbstractAsyncContextManager[Container]] = container

    @asynccontextmanager
    async def both(self, work: Workload) -> AsyncIterator[PreparedRole]:
        """Set up all agents in one container."""
        async with self._asking(work, ASKING, echoes=True) as role:
            yield role

    @asynccontextmanager
    async def echo(self, work: Workload) -> AsyncIterator[PreparedRole]:
        """Set up the agents that echo."""
        async with self.make(work, ECHOING) as home:
            await self.start_echoes(home, work)
            yield prepared(home, work)

    @asynccontextmanager
    async def ask(self, work: Workload) -> AsyncIterator[PreparedRole]:
        """Set up the agents that ask."""
        async with self._asking(work, ASKING) as role:
            yield role

    @asynccontextmanager
    async def member(self, work: Workload) -> AsyncIterator[PreparedRole]:
        """Set up agents that ask, and agents that echo to those of other members."""
        async with self._asking(work, member_name(work.job.member), echoes=True) as role:
            yield role

    @asynccontextmanager
    async def _asking(
        self, work: Workload, name: str, *, echoes: bool = False
    ) -> AsyncIterator[PreparedRole]:
        async with self.make(work, name) as home:
            if echoes:
                await self.start_echoes(home, work)
            measure = await self.start_asking(home, work)
            yield prepared(home, work, measure if work.senders else None)
