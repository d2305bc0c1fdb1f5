"""A container drops off the list of members, or is lost: those who know the way to its agents go on."""

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


async def scene(world):
    """Have bob, whose home is c1, live in c3, and alice in c2 send straight there."""
    await asyncio.sleep(5)
    bob, alice = await world.start("bob", 0), await world.start("alice", 1, Told)
    await world.move(bob, 2)
    await send(alice, bob.address, [0])
    await asyncio.sleep(2)
    assert world.containers[1].dispatcher.domain_of(bob.address) == C3
    return bob, alice


async def test_its_agents_are_written_to_as_before():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.cut.add(frozenset((C2, C3)))
        await send(alice, bob.address, [1])
        await asyncio.sleep(0.1)
        world.places(1).lost(C3)  # as the first container says, which has not heard of it
        await send(alice, bob.address, [2])
        mesh.cut.clear()
        await until(lambda: len(bob.bodies) == 3)
        assert numbers_of(bob, alice.address) == [0, 1, 2]
        assert world.containers[1].dispatcher.domain_of(bob.address) == C3


async def test_where_its_link_ends_messages_go_by_the_home():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.cut.add(frozenset((C2, C3)))
        await alice.send(Message(to=bob.address, body="1", reply_with="1"))
        await asyncio.sleep(100)  # when c2 has given c3 up
        await send(alice, bob.address, [2])
        await until(lambda: len(bob.bodies) == 2)
        assert numbers_of(bob, alice.address) == [0, 2]
        assert alice.failed == [1]


async def test_who_knows_the_way_goes_on_where_the_home_is_lost():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.kill(C1)
        await asyncio.sleep(10)
        await send(alice, bob.address, [1])
        await until(lambda: len(bob.bodies) == 2)
        assert numbers_of(bob, alice.address) == [0, 1]
