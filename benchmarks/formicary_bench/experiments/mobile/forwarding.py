"""Agents that come to a place and are sent on from there: `mobile/forward-agents`.

They come from the container of the process that measures, all at once, and tell the forwarder when they have
come. It has them moved to the third container, one after the other. As in the paper, the time is from when
it is told of the first until the last one is there.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message, Template
from formicary_bench.experiments.mobile.by_hand import forwarders as by_hand
from formicary_bench.experiments.mobile.loops import (
    LIVING,
    MakeLoops,
    conducted,
    measures,
    open_place,
    start_sweeper,
)
from formicary_bench.subjects.ours.behaviours import Wait
from formicary_bench.subjects.ours.containers import all_prepared, endpoint, know_members, start_agent
from formicary_bench.vocabulary.containers import ASKING, ECHOING, member_name, names_on

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"

FORWARDER = "forwarder"
_THIRD = names_on(1)[1]
_ORDERS = Template(ontology="forward")
_CONTAINERS = 3


class Route(msgspec.Struct):
    """Where an agent goes, and what it carries.

    Attributes:
        last: the domain of the container at which it stays.
        carried: what else it carries.
    """

    last: str
    carried: bytes


class Forwarded(Agent):
    """Tells the forwarder when it has come, and stays where it is sent on to."""

    data: Route

    async def after_move(self, origin: str) -> None:
        """Say that it is here, or note it."""
        del origin
        if self.container.domain == self.data.last:
            LIVING.append(self)
        else:
            self.add_behaviour(Announce())


class Announce(CyclicBehaviour):
    """Tells the forwarder of its container that its agent has come, and waits."""

    __slots__ = ()

    async def run(self) -> None:
        """Tell it, and wait: where it goes next it has nobody to tell."""
        if self.agent.container.domain != self.agent.data.last:
            message = Message(
                to=FORWARDER, body=self.agent.address or "", ontology="forward", performative="inform"
            )
            await self.send(message)
        await self.receive()


class Forward(CyclicBehaviour):
    """Takes an order, how many agents will come, and sends each on that has come.

    Args:
        last: the container to which they go.
    """

    def __init__(self, last: str) -> None:
        super().__init__()
        self.last = last

    async def run(self) -> None:
        """Send on as many as an order says, and answer with the seconds that it took."""
        order = await self.receive()
        management, start = self.agent.container.management, 0.0
        for _ in range(int(order.body)):
            arrived = await self.receive()
            start = start or perf_counter()
            await management.move(str(arrived.body), self.last)
        took = repr(perf_counter() - start)
        await self.send(Message(to=order.sender, body=took, ontology="conduct", performative="inform"))


class SendAll(MakeLoops):
    """Creates agents, and sends them to the forwarder's container all at once.

    Args:
        work: what is measured.
        middle: the forwarder's container, by name.
        last: that to which they are sent on.
    """

    def __init__(self, work: Workload, middle: str, last: str) -> None:
        super().__init__(work)
        self.middle = middle
        self.last = last

    async def loop(self, count: int) -> float:
        """Send so many, wait until all are sent on, and have them ended there."""
        home = self.agent.container
        last = f"{self.last}.{home.platform}"
        names = self.names("forwarded", count)
        for name in names:
            agent = Forwarded(name)
            agent.data = Route(last, self.work.body.encode())
            agent.add_behaviour(Wait())
            await home.start(agent)
        to = f"{FORWARDER}@{self.middle}.{home.platform}"
        await self.send(Message(to=to, body=str(count), ontology="forward", performative="request"))
        await asyncio.gather(*(home.management.move(name, self.middle) for name in names))
        seconds = float((await self.hear()).body)
        await self.sweep(last, count)
        return seconds


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the forwarder's container, and that to which agents are sent on."""
    return by_hand.echo(work) if work.configuration.platform == "tcp" else _echo(work)


@asynccontextmanager
async def _echo(work: Workload) -> AsyncIterator[PreparedRole]:
    async with AsyncExitStack() as stack:
        home = await stack.enter_async_context(open_place(work, ECHOING))
        last = await stack.enter_async_context(open_place(work, _THIRD, endpoint(home, work)))
        await start_agent(home, FORWARDER, Forward(_THIRD), _ORDERS)
        await start_sweeper(last)
        yield all_prepared([home, last], work, _CONTAINERS)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the container from which agents are sent."""
    return by_hand.ask(work) if work.configuration.platform == "tcp" else _ask(work)


@asynccontextmanager
async def _ask(work: Workload) -> AsyncIterator[PreparedRole]:
    async with open_place(work, ASKING) as home:
        await know_members(home, _CONTAINERS)
        measure = await conducted(home, SendAll(work, ECHOING, _THIRD))
        yield all_prepared([home], work, _CONTAINERS, measure)


@asynccontextmanager
async def member(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the forwarder (the first), what it sends to (the second), or where agents come from (the last).

    With two hosts these are one: agents come back to where they came from.
    """
    number, hosts = work.job.member, work.job.members
    async with open_place(work, member_name(number)) as home:
        if number == 0:
            await start_agent(home, FORWARDER, Forward(member_name(1)), _ORDERS)
        if number == 1:
            await start_sweeper(home)
        measure = None
        if measures(work):
            measure = await conducted(home, SendAll(work, member_name(0), member_name(1)))
        yield all_prepared([home], work, hosts, measure)
