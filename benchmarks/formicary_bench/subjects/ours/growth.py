"""Pairs of our agents that talk for a time and keep nothing: the memory of the process must not grow.

The asking agents of `behaviours` and `micro` do not fit here, as they keep the time of every round trip.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary import Message, MicroAgent, OneShotBehaviour
from formicary_bench.experiments.memory import Growing
from formicary_bench.subjects.ours import behaviours, micro
from formicary_bench.subjects.ours.behaviours import PairRoles
from formicary_bench.subjects.ours.containers import partner, start_agent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import Workload


class Load:
    """The progress of the load, and whether it continues."""

    def __init__(self, work: Workload) -> None:
        self.work = work
        self.goes_on = True
        self.left = work.exchange.load
        self.ended = asyncio.Event()

    def end_pair(self) -> None:
        """Record that a pair has ended."""
        self.left -= 1
        if not self.left:
            self.ended.set()


class LoadRequester(OneShotBehaviour):
    """Sends a message and waits for the answer as long as the load continues."""

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


class MicroLoadRequester(MicroAgent):
    """Sends a message after each answer as long as the load continues."""

    __slots__ = ("body", "load", "partner")

    def __init__(self, name: str, partner: str, load: Load) -> None:
        super().__init__(name)
        self.partner = partner
        self.load = load
        self.body = load.work.body

    def ask(self) -> None:
        self.send_nowait(Message(to=self.partner, body=self.body, performative="request"))

    def handle(self, message: Message) -> None:  # noqa: ARG002 -- as of MicroAgent
        """Count an answer, and send the next message."""
        self.load.work.steps += 1
        if self.load.goes_on:
            self.ask()
        else:
            self.load.end_pair()


async def _start_echoes(home: Container, work: Workload) -> None:
    agents = micro if work.configuration.kind == "micro" else behaviours
    await agents.start_echoes(home, work)


async def _start_asking(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    begin = asyncio.Event()
    load = Load(work)
    asking: list[MicroLoadRequester] = []
    for number in work.senders:
        answering = partner(home, work, number)
        if work.configuration.kind == "micro":
            asking.append(MicroLoadRequester(f"asker-{number}", answering, load))
            await home.start(asking[-1])
        else:
            await start_agent(home, f"asker-{number}", LoadRequester(answering, load, begin))

    async def measure() -> None:
        begin.set()
        for agent in asking:
            agent.ask()
        await asyncio.sleep(Growing.of(work.configuration).seconds)
        load.goes_on = False
        await load.ended.wait()

    return measure


_ROLES = PairRoles(_start_echoes, _start_asking)
both, echo, ask = _ROLES.both, _ROLES.echo, _ROLES.ask
