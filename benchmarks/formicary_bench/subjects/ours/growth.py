"""Pairs of our agents that talk for a time, and keep nothing of it: what a process holds must not grow.

The parts of `behaviours` and `micro` will not do here: they keep the time of every round trip.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from formicary import Agent, Message, MicroAgent, OneShotBehaviour
from formicary_bench.subjects.ours import behaviours, micro
from formicary_bench.subjects.ours.containers import complaint, container, partner
from formicary_bench.vocabulary.containers import ASKING
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager
    from types import ModuleType

    from formicary import Container
    from formicary_bench.worker.workload import Workload


class Load:
    """How far it has come, and whether it goes on.

    Args:
        work: counts the round trips.
    """

    def __init__(self, work: Workload) -> None:
        self.work = work
        self.goes_on = True
        self.left = work.configuration.load
        self.ended = asyncio.Event()

    def end_pair(self) -> None:
        """Note that a pair has ended."""
        self.left -= 1
        if not self.left:
            self.ended.set()


class Ask(OneShotBehaviour):
    """Sends a message and waits for the answer, as long as the load goes on.

    Args:
        partner: the full name of the agent that answers.
        load: how long.
        begin: set when all pairs are to begin.
    """

    __slots__ = ("begin", "load", "partner")

    def __init__(self, partner: str, load: Load, begin: asyncio.Event) -> None:
        super().__init__()
        self.partner = partner
        self.load = load
        self.begin = begin

    async def run(self) -> None:
        """Make round trips."""
        load, work, body = self.load, self.load.work, self.load.work.body
        await self.begin.wait()
        while load.goes_on:
            await self.send(Message(to=self.partner, body=body, performative="request"))
            await self.receive()
            work.steps += 1
        load.end_pair()


class MicroAsk(MicroAgent):
    """Sends a message when the answer to the one before has come, as long as the load goes on.

    Args:
        name: its own name.
        partner: the full name of the agent that answers.
        load: how long.
    """

    __slots__ = ("body", "load", "partner")

    def __init__(self, name: str, partner: str, load: Load) -> None:
        super().__init__(name)
        self.partner = partner
        self.load = load
        self.body = load.work.body

    def ask(self) -> None:
        """Send a message."""
        self.send_nowait(Message(to=self.partner, body=self.body, performative="request"))

    def handle(self, message: Message) -> None:  # noqa: ARG002 -- as of MicroAgent
        """Count an answer and go on."""
        self.load.work.steps += 1
        if self.load.goes_on:
            self.ask()
        else:
            self.load.end_pair()


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have all agents in one container."""
    async with container(work, ASKING) as home:
        await _echoes(work).start_echoes(home, work)
        yield await _start_asking(home, work)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the agents that echo."""
    part: AbstractAsyncContextManager[PreparedRole] = _echoes(work).echo(work)
    return part


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the agents that ask."""
    async with container(work, ASKING) as home:
        yield await _start_asking(home, work)


def _echoes(work: Workload) -> ModuleType:
    return micro if work.configuration.kind == "micro" else behaviours


async def _start_asking(home: Container, work: Workload) -> PreparedRole:
    begin = asyncio.Event()
    load = Load(work)
    asking: list[MicroAsk] = []
    for number in work.senders:
        answering = partner(home, work, number)
        if work.configuration.kind == "micro":
            asking.append(MicroAsk(f"asker-{number}", answering, load))
            await home.start(asking[-1])
        else:
            agent = Agent(f"asker-{number}")
            agent.add_behaviour(Ask(answering, load, begin))
            await home.start(agent)

    async def measure() -> None:
        begin.set()
        for agent in asking:
            agent.ask()
        await asyncio.sleep(work.configuration.seconds)
        load.goes_on = False
        await load.ended.wait()

    return PreparedRole(measure=measure, complaint=partial(complaint, home, work))
