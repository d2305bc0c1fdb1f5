"""Agents that are created, here or in another container: `mobile/create-local` and `mobile/create-remote`."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from formicary import Agent, MicroAgent
from formicary_bench.experiments.mobile.by_hand import places, tasks
from formicary_bench.experiments.mobile.loops import (
    LIVING,
    MakeLoops,
    end_all,
    first_place,
    measure_loops,
    open_place,
    other_place,
    start_sweeper,
)
from formicary_bench.subjects.ours.behaviours import Wait, WaitAndTell
from formicary_bench.subjects.ours.micro import Idle
from formicary_bench.vocabulary.containers import ASKING, ECHOING
from formicary_bench.vocabulary.loops import AT_ONCE
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary import Container
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"


class Created(Agent):
    """Has one behaviour, which waits for messages."""

    async def setup(self) -> None:
        """Add it."""
        LIVING.append(self)
        self.add_behaviour(Wait())


class CreatedMicro(MicroAgent):
    """Waits for messages."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        LIVING.append(self)


class CreateElsewhere(MakeLoops):
    """Has agents created in the other container, each by a request, or all by one."""

    async def loop(self, count: int) -> float:
        """Create them, and have them ended."""
        home = self.agent.container
        cls = CreatedMicro if self.work.configuration.kind == "micro" else Created
        names = [f"created-{number}" for number in range(count)]
        start = perf_counter()
        if self.work.configuration.way == AT_ONCE:
            await home.management.create_many(cls, names, container=ECHOING)
        else:
            for name in names:
                await home.management.create(cls, name, container=ECHOING)
        seconds = perf_counter() - start
        await self.sweep(f"{ECHOING}.{home.platform}", count)
        return seconds


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Create where the loops are made."""
    return tasks.create(work) if work.configuration.platform == "tasks" else _here(work)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the container in which agents are created."""
    if work.configuration.platform == "tcp":
        return places.echo(work)
    return other_place(work, _start)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the container from which that is asked for."""
    if work.configuration.platform == "tcp":
        return places.ask(work)
    return first_place(work, CreateElsewhere(work))


async def _start(home: Container, _: Workload) -> None:
    await start_sweeper(home)


@asynccontextmanager
async def _here(work: Workload) -> AsyncIterator[PreparedRole]:
    async with open_place(work, ASKING) as home:
        make = _create_micro if work.configuration.kind == "micro" else _create

        async def loop(count: int) -> float:
            start = perf_counter()
            await make(home, count)
            seconds = perf_counter() - start
            await end_all()
            return seconds

        async def measure() -> None:
            await measure_loops(work, loop)

        yield PreparedRole(measure=measure)


async def _create(home: Container, count: int) -> None:
    last = asyncio.get_running_loop().create_future()
    for number in range(count):
        agent = Agent(f"created-{number}")
        # Behaviours start first come, first served: when the last one waits, all do.
        agent.add_behaviour(WaitAndTell(last) if number == count - 1 else Wait())
        await home.start(agent)
        LIVING.append(agent)
    await last


async def _create_micro(home: Container, count: int) -> None:
    for number in range(count):
        agent = Idle(f"created-{number}")
        await home.start(agent)
        LIVING.append(agent)
