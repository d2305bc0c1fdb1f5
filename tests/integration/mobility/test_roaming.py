"""An agent roams four containers while another writes to it: nothing is lost, doubled or out of order."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from tests.integration.mobility.travellers import HERE, Fire, Traveller, agent_in

from formicary import Agent, Container, Network
from formicary.server import ManagedServer

HOPS = 100


@asynccontextmanager
async def four_direct():
    """Four containers with direct connections, which meet at the first."""
    async with AsyncExitStack() as stack:
        containers = [await stack.enter_async_context(Container("c1", listen="127.0.0.1", accepts=HERE))]
        for number in (2, 3, 4):
            container = Container(
                f"c{number}", join=containers[0].join_address, listen="127.0.0.1", accepts=HERE
            )
            containers.append(await stack.enter_async_context(container))
        yield containers


@asynccontextmanager
async def four_at_a_server():
    """Four containers that reach each other through a server only."""
    with ManagedServer() as server:
        async with AsyncExitStack() as stack:
            containers = [
                Container(f"c{number}", server=server.address, network=Network(route="xmpp"), accepts=HERE)
                for number in (1, 2, 3, 4)
            ]
            yield [await stack.enter_async_context(container) for container in containers]


@pytest.mark.grid
@pytest.mark.parametrize("home", [0, 3])
@pytest.mark.parametrize(
    "four", [four_direct, pytest.param(four_at_a_server, marks=pytest.mark.server)], ids=["direct", "xmpp"]
)
async def test_an_agent_roams_under_fire(four, home):
    async with four() as containers:
        while any(len(each.members) < len(containers) for each in containers):  # noqa: ASYNC110 -- there is no event
            await asyncio.sleep(0.01)
        alice = Traveller("alice")
        await containers[home].start(alice)
        await containers[1].start(bob := Agent("bob"))
        bob.add_behaviour(fire := Fire(alice.address))
        for hop in range(home + 1, home + 1 + HOPS):
            place = containers[hop % 4]
            await alice.move(place.name)
            alice = agent_in(place, "alice")
        await bob.stop()
        while len(alice.data.received) < fire.sent:  # noqa: ASYNC110 -- as above
            await asyncio.sleep(0.01)
        assert alice.data.received == list(range(fire.sent))
        assert len(alice.data.places) == HOPS
        assert sum(each.dead_letters.total for each in containers) == 0
