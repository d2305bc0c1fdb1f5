"""Agents that come to a place and are sent on from there: `mobile/forward-agents`.

They come from the container of the process that measures, all at once, and tell the forwarder when they have
come. It has them moved to the third container, one after the other. As in the paper, the time is from when
it is told of the first until the last one is there.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message, Template
from formicary_bench.experiments.mobile.moving import Dispatch
from formicary_bench.experiments.mobile.play import LIVING, SECOND, Play, played, start_sweeper
from formicary_bench.subjects.ours.containers import start_agent
from formicary_bench.vocabulary.places import ECHOING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary import Container

FORWARDER = "forwarder"
_MIDDLE, _LAST = 0, 1  # of the cast


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
        """Announce its arrival, or record it."""
        del origin
        if self.container.domain == self.data.last:
            LIVING.append(self)
        else:
            self.add_behaviour(Announce())


class Announce(CyclicBehaviour):
    """Tells the forwarder of its container that its agent has come, and waits."""

    __slots__ = ()

    async def run(self) -> None:
        """Announce the arrival, and wait; at the last container nobody needs to know."""
        if self.agent.container.domain != self.agent.data.last:
            message = Message(
                to=FORWARDER, body=self.agent.address or "", ontology="forward", performative="inform"
            )
            await self.send(message)
        await self.receive()


class Forward(CyclicBehaviour):
    """Takes the number of agents to expect, and sends each of them on."""

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


async def _start_forwarder(play: Play, home: Container) -> None:
    await start_agent(home, FORWARDER, Forward(play.places[_LAST]), Template(ontology="forward"))


class SendAll(Dispatch):
    """Sends agents to the forwarder's container all at once."""

    cast = ((ECHOING, _start_forwarder), (SECOND, start_sweeper))

    def members(self, hosts: int) -> Sequence[int]:
        """Return where forwarder and sweeper are; of two hosts, agents come back to where they came from."""
        del hosts
        return _MIDDLE, _LAST

    def make(self, name: str) -> Agent:
        """Return an agent that is to be forwarded."""
        agent = Forwarded(name)
        agent.data = Route(self.domain(_LAST), self.work.body.encode())
        return agent

    async def operate(self, count: int) -> float:
        """Send them, and return how long the forwarder took to send them on."""
        to = f"{FORWARDER}@{self.domain(_MIDDLE)}"
        await self.send(Message(to=to, body=str(count), ontology="forward", performative="request"))
        middle = self.places[_MIDDLE]
        await asyncio.gather(*(self.home.management.move(name, middle) for name in self.sent))
        return float((await self.hear()).body)


echo = ask = member = played({"mobile/forward-agents": SendAll})
