"""Agents created here or in another container: `mobile/create-local` and `mobile/create-remote`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary import Agent, MicroAgent
from formicary_bench.experiments.mobile.play import LIVING, Play, played, start_sweeper
from formicary_bench.subjects.ours.behaviours import Wait, WaitAndTell
from formicary_bench.subjects.ours.micro import Idle
from formicary_bench.vocabulary.places import ECHOING
from formicary_bench.vocabulary.values import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary import Container


class CreateHere(Play):
    """Creates agents in its own container, with no agent requesting it."""

    start: Callable[[Agent | MicroAgent], Awaitable[None]]

    async def measure(self, home: Container) -> None:
        self.start = home.start
        await self.make_all()

    async def operate(self, count: int) -> None:
        """Create and start agents, until the last one waits."""
        start = self.start
        if self.work.configuration.kind == "micro":
            for number in range(count):
                micro = Idle(f"created-{number}")
                await start(micro)
                LIVING.append(micro)
            return
        last = asyncio.get_running_loop().create_future()
        for number in range(count):
            agent = Agent(f"created-{number}")
            # Behaviours start in order: when the last one waits, all do.
            agent.add_behaviour(WaitAndTell(last) if number == count - 1 else Wait())
            await start(agent)
            LIVING.append(agent)
        await last


class Created(Agent):
    """Has one behaviour that waits for messages."""

    async def setup(self) -> None:
        LIVING.append(self)
        self.add_behaviour(Wait())


class CreatedMicro(MicroAgent):
    """Waits for messages."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        LIVING.append(self)


class CreateElsewhere(Play):
    """Creates agents in the other container, with a request each or one for all."""

    cast = ((ECHOING, start_sweeper),)

    async def operate(self, count: int) -> None:
        management = self.home.management
        cls = CreatedMicro if self.work.configuration.kind == "micro" else Created
        names = [f"created-{number}" for number in range(count)]
        if self.sizes.way == AT_ONCE:
            await management.create_many(cls, names, container=ECHOING)
        else:
            for name in names:
                await management.create(cls, name, container=ECHOING)


both = echo = ask = played({"mobile/create-local": CreateHere, "mobile/create-remote": CreateElsewhere})
