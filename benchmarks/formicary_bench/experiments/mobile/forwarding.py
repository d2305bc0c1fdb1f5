"""Agents that come to a place and are sent on from there: `mobile/forward-agents`.

They leave the measuring process all at once, and tell the forwarder when they arrive. The forwarder moves
them to the third container one after another. As in the paper, the time lasts from the first arrival until
the last agent is there.
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
_MIDDLE, _LAST = 0, 1  # indices in the cast


class Route(msgspec.Struct):
    """The route of an agent, and its payload.

    Attributes:
        last: the domain of the container where it stays.
        carried: its payload.
    """

    last: str
    carried: bytes


class Forwarded(Agent):
    """Tells the forwarder when it arrives, and stays at the last container."""

    data: Route

    async def after_move(self, origin: str) -> None:
        """Announce its arrival, or record it."""
        del origin
        if self.container.domain == self.data.last:
            LIVING.append(self)
        else:
            self.add_behaviour(Announce())


class Announce(CyclicBehaviour):
    """Tells the forwarder that its agent has arrived, and waits."""

    __slots__ = ()

    async def run(self) -> None:
        """Announce the arrival, and wait; at the last container there is nothing to announce."""
        if self.agent.container.domain != self.agent.data.last:
            message = Message(
                to=FORWARDER, body=self.agent.address or "", ontology="forward", performative="inform"
            )
            await self.send(message)
        await self.receive()


class Forward(CyclicBehaviour):
    """Receives the number of agents to expect, and sends each of them on."""

    def __init__(self, last: str) -> None:
        super().__init__()
        self.last = last

    async def run(self) -> None:
        """Send on the ordered number of agents, and answer with the seconds it took."""
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
        """Return the hosts of forwarder and sweeper; with two hosts, agents return to the first."""
        del hosts
        return _MIDDLE, _LAST

    def make(self, name: str) -> Agent:
        agent = Forwarded(name)
        agent.data = Route(self.domain(_LAST), self.work.body.encode())
        return agent

    async def operate(self, count: int) -> float:
        """Send the agents, and return how long the forwarder took."""
        to = f"{FORWARDER}@{self.domain(_MIDDLE)}"
        await self.send(Message(to=to, body=str(count), ontology="forward", performative="request"))
        middle = self.places[_MIDDLE]
        await asyncio.gather(*(self.home.management.move(name, middle) for name in self.sent))
        return float((await self.hear()).body)


echo = ask = member = played({"mobile/forward-agents": SendAll})
