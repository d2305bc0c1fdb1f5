"""What an agent has registered is found by whoever hears of it from that agent."""

from __future__ import annotations

import pytest
from tests.integration.directory.agents import joined
from tests.integration.transport.raw import until

from formicary import Agent, Container, CyclicBehaviour, Message, Network, OneShotBehaviour, Services
from formicary.server import ManagedServer

TRIES = 1000


class Telling(OneShotBehaviour):
    """Registers services, and tells somebody of each at once."""

    async def run(self):
        for number in range(TRIES):
            await self.agent.directory.register(type="printer", name=f"p{number}")
            await self.send(Message(to="carol@c2", body=f"p{number}"))
            await self.receive()


class Looking(CyclicBehaviour):
    """Searches for what it hears of."""

    def __init__(self):
        super().__init__()
        self.heard = 0
        self.missed = []

    async def run(self):
        message = await self.receive()
        found = await self.agent.directory.search(name=message.body)
        self.heard += 1
        if len(found) != 1:
            self.missed.append(message.body)
        await self.reply(message)


async def tell(c1, c2):
    looking = Looking()
    for container, name, behaviour in ((c2, "carol", looking), (c1, "bob", Telling())):
        agent = Agent(name)
        agent.add_behaviour(behaviour)
        await container.start(agent)
    await until(lambda: looking.heard == TRIES)
    assert looking.missed == []


@pytest.mark.parametrize("design", ["replica", "central"])
async def test_who_hears_of_a_service_finds_it_over_direct_links(design):
    async with joined(design, "c2") as (c1, c2):
        await tell(c1, c2)


@pytest.mark.server
@pytest.mark.parametrize("design", ["replica", "central"])
async def test_who_hears_of_a_service_finds_it_through_a_server(design):
    with ManagedServer() as server:
        options = {
            "server": server.address,
            "network": Network(route="xmpp"),
            "services": Services(directory=design),
        }
        async with Container("c1", **options) as c1, Container("c2", **options) as c2:
            await until(lambda: len(c1.members) == len(c2.members) == 2)
            await tell(c1, c2)
