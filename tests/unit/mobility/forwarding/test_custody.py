"""What is passed on is not taken until it is where it belongs: no container loses a message alone."""

from __future__ import annotations

import asyncio

import pytest
from tests.integration.transport.raw import until
from tests.property.mobility.forwarding.mesh import Mesh
from tests.property.mobility.forwarding.moving import World, numbers_of, send
from tests.property.mobility.forwarding.test_forwarding_links import Told

from formicary import Message

pytestmark = pytest.mark.virtual_clock

C1, C2, C3 = (f"c{number}.lab.localhost" for number in (1, 2, 3))


def unconsumed(world, number, domain):
    """Return how many messages one container has sent to another that may still fail."""
    link = world.containers[number].dispatcher.transport.links[domain]
    return len(link.session.unconsumed) + link.session.unacknowledged


async def scene(world):
    """Have bob, whose home is c1, live in c3, and alice in c2 know only his home."""
    await asyncio.sleep(5)
    bob, alice = await world.start("bob", 0), await world.start("alice", 1, Told)
    await world.move(bob, 2)
    return bob, alice


async def test_where_a_container_dies_that_passes_a_message_on_its_sender_is_told():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.cut.add(frozenset((C1, C3)))
        await alice.send(Message(to=bob.address, body="1", reply_with="1"))
        await asyncio.sleep(2)  # c1 has it, and c2 has heard so
        assert unconsumed(world, 1, C1) == 1
        mesh.kill(C1)
        await until(lambda: alice.failed)
        assert numbers_of(bob, alice.address) == []
        mesh.dead |= {C1, C2, C3}


async def test_so_is_one_of_whose_name_there_is_another_agent_in_that_container():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.cut.add(frozenset((C1, C3)))
        agents = world.containers[0].dispatcher.agents
        agents[alice.address] = Told("alice")  # as one of an earlier time, when c2 has been restarted
        await alice.send(Message(to=bob.address, body="1", reply_with="1"))
        await asyncio.sleep(2)
        assert unconsumed(world, 1, C1) == 1
        mesh.kill(C1)
        await until(lambda: alice.failed)
        del agents[alice.address]
        mesh.dead |= {C1, C2, C3}


async def test_what_has_been_passed_on_and_taken_is_known_to_be_so():
    async with World(3, Mesh(1)) as world:
        bob, alice = await scene(world)
        await send(alice, bob.address, range(100))
        await until(lambda: len(bob.bodies) == 100)
        assert numbers_of(bob, alice.address) == list(range(100))
        await asyncio.sleep(3)
        for number, domain in ((0, C3), (1, C1), (1, C3)):
            assert unconsumed(world, number, domain) == 0
        assert all(not each.messages() for each in world.containers[0].dispatcher.unacked_holders)


async def test_a_failure_of_what_was_passed_on_comes_to_its_sender():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.kill(C3)
        await alice.send(Message(to=bob.address, body="1", reply_with="1"))
        await until(lambda: alice.failed)
        await asyncio.sleep(3)
        assert unconsumed(world, 1, C1) == 0
        mesh.dead |= {C1, C2, C3}
