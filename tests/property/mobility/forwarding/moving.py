"""Moves agents between containers by hand, like a hand-over without its two phases."""

from __future__ import annotations

import asyncio

from formicary import Container, Message, MicroAgent
from formicary.testing import MemoryNetwork

PLATFORM = "lab.localhost"


class Taker(MicroAgent):
    """Keeps its messages, in whichever container it lives."""

    def __init__(self, name):
        super().__init__(name)
        self.bodies = []

    def handle(self, message):
        self.bodies.append((message.sender, message.body))


class World:
    """Some containers."""

    def __init__(self, count, network=None):
        self.network = network or MemoryNetwork(delay=0.001)
        self.containers = [Container(f"c{number + 1}", server=self.network) for number in range(count)]
        self.longest = 0.002
        """Seconds that anything is on its way at most."""
        self.agents = {}
        self.at = {}

    async def __aenter__(self):
        for container in self.containers:
            await container.__aenter__()
        return self

    async def __aexit__(self, *details):
        for container in reversed(self.containers):
            await container.__aexit__(*details)

    def places(self, number):
        return self.containers[number].dispatcher.locations

    async def start(self, name, home, kind=Taker):
        agent = kind(name)
        await self.containers[home].start(agent)
        self.agents[agent.address] = agent
        self.at[agent.address] = home
        return agent

    async def move(self, agent, to):
        """Move an agent without waiting messages."""
        address, source = agent.address, self.at[agent.address]
        home = int(address.partition("@")[2].partition(".")[0][1:]) - 1
        if source == to:
            return
        here, there = self.containers[source], self.containers[to]
        await settle(self.places(source))  # else something could go out that nobody waits for
        transport = here.dispatcher.transport
        while not all(map(transport.is_quiet, transport.counts())):  # noqa: ASYNC110 -- nothing to wait for
            await asyncio.sleep(0.001)
        await asyncio.sleep(self.longest)  # what others have told meanwhile has come
        await settle(self.places(source))
        if home != source:  # which is told that this was decided behind all that is sent from there
            self.places(home).moving(address, here.domain)
            await self.containers[home].dispatcher.transport.arrive(here.domain)
        brought = []
        self.places(to).starts(address, here.domain, brought.append)
        while here.scheduler.micro:  # noqa: ASYNC110 -- its messages are in the queue
            await asyncio.sleep(0)
        del here.dispatcher.agents[address]
        here.dispatcher.routes.pop(address, None)
        self.places(source).left(address, there.domain, ())
        await transport.arrive(there.domain)
        await asyncio.sleep(0.001)  # as `start` takes
        agent.enter_container(there, address)
        agent.become_active(there.scheduler, 1000)
        there.dispatcher.agents[address] = agent
        for message in brought:
            there.dispatcher.deliver(message, address)
        self.at[address] = to
        self.places(to).arrived(address)
        if home not in {source, to}:  # which is told when it has started
            self.places(home).set(address, there.domain)


async def settle(places):
    await places.drains.drain(places.drains.begin())


async def send(agent, to, numbers, pause=0.0):
    """Send numbers, waiting for room."""
    for number in numbers:
        await agent.send(Message(to=to, body=str(number)))
        if pause:
            await asyncio.sleep(pause)


def numbers_of(taker, sender):
    return [int(body) for who, body in taker.bodies if who == sender]
