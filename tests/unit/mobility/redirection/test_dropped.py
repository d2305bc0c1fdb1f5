"""A container drops off the list of members while its link lives: the way to its agents stays in order."""

from __future__ import annotations

import asyncio

import pytest
from tests.integration.transport.raw import until
from tests.property.mobility.redirection.mesh import Mesh
from tests.property.mobility.redirection.moving import World, numbers_of, send
from tests.property.mobility.redirection.test_redirection_links import Told

pytestmark = pytest.mark.virtual_clock

C1, C2, C3 = (f"c{number}.lab.localhost" for number in (1, 2, 3))


async def scene(world):
    """Have bob, whose home is c1, live in c3, and alice in c2 send straight there."""
    await asyncio.sleep(5)
    bob, alice = await world.start("bob", 0), await world.start("alice", 1, Told)
    await world.move(bob, 2)
    await send(alice, bob.address, [0])
    await asyncio.sleep(2)
    assert world.places(1).get(bob.address) == C3
    return bob, alice


async def test_what_is_under_way_there_is_not_overtaken_by_what_goes_by_the_agent_s_home():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.cut.add(frozenset((C2, C3)))
        await send(alice, bob.address, [1])
        await asyncio.sleep(0.1)
        world.places(1).lost(C3)  # as the first container says, which has not heard of it
        await send(alice, bob.address, [2])
        await asyncio.sleep(2)
        mesh.cut.clear()
        await until(lambda: len(bob.bodies) == 3)
        assert numbers_of(bob, alice.address) == [0, 1, 2]
        assert world.places(1).get(bob.address) == C3  # which has answered


async def test_where_its_link_ends_then_what_was_held_goes_to_the_home():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        bob, alice = await scene(world)
        mesh.cut.add(frozenset((C2, C3)))
        await send(alice, bob.address, [1])
        await asyncio.sleep(0.1)
        world.places(1).lost(C3)
        await send(alice, bob.address, [2])
        await until(lambda: len(bob.bodies) == 2)  # when c2 has given c3 up
        assert numbers_of(bob, alice.address) == [0, 2]
        assert len(world.containers[1].dead_letters) == 1


async def test_where_nothing_has_gone_there_messages_go_to_the_home_at_once():
    async with World(3, Mesh(1)) as world:
        await asyncio.sleep(5)
        bob, alice = await world.start("bob", 0), await world.start("alice", 1, Told)
        await world.move(bob, 2)
        world.places(1).left(bob.address, C3)  # as if he had been in c2
        world.places(1).lost(C3)
        assert world.places(1).get(bob.address) == C1
        await send(alice, bob.address, [0])
        await until(lambda: bob.bodies)
        assert numbers_of(bob, alice.address) == [0]
