"""What is under way to an agent is not overtaken when its home has lost sight of it, or it has come back."""

from __future__ import annotations

import asyncio

import pytest
from tests.property.mobility.forwarding.mesh import Mesh
from tests.property.mobility.forwarding.moving import World, numbers_of, send
from tests.property.mobility.forwarding.test_forwarding_links import Told

from formicary import Message

pytestmark = pytest.mark.virtual_clock

C1, C2, C3, C4 = (f"c{number}.lab.localhost" for number in (1, 2, 3, 4))


@pytest.mark.parametrize("sent", [[0], []])
async def test_what_waits_for_an_agent_that_was_missing_comes_before_what_its_home_sends_later(sent):
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        await asyncio.sleep(5)
        bob, alice = await world.start("bob", 1), await world.start("alice", 1, Told)
        await world.move(bob, 2)
        await send(alice, bob.address, [0])
        await asyncio.sleep(2)
        mesh.cut.add(frozenset((C2, C3)))
        await send(alice, bob.address, [1])
        await asyncio.sleep(0.1)
        home = world.places(1)
        home.forget(bob.address)  # as c1 says that c3 is gone
        home.set(bob.address, C3)  # and then that it is back
        if sent:
            await send(alice, bob.address, [2])
        moving = asyncio.create_task(world.move(bob, 3))
        await asyncio.sleep(0.5)
        await send(alice, bob.address, [3])
        mesh.cut.clear()
        await moving
        await asyncio.sleep(5)
        assert numbers_of(bob, alice.address) == [0, 1, *([2] if sent else []), 3]
        assert world.containers[1].dispatcher.domain_of(bob.address) == C4


async def test_failures_that_a_container_tells_are_not_overtaken_by_later_ones_when_an_agent_comes():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        await asyncio.sleep(5)
        bob = await world.start("bob", 0, Told)
        await world.move(bob, 2)
        c2 = world.containers[1].dispatcher

        def fail(number):
            message = Message(to=f"nobody@{C2}", sender=bob.address, reply_with=str(number))
            c2.add_dead_letter(message, "why", f"nobody@{C2}")

        await bob.send(Message(to=f"nobody@{C2}", reply_with="0"))
        await asyncio.sleep(5)
        mesh.cut.add(frozenset((C2, C3)))
        fail(1)
        await asyncio.sleep(0.1)
        await world.move(bob, 1)
        fail(2)
        await asyncio.sleep(0.5)
        mesh.cut.clear()
        await asyncio.sleep(5)
        assert bob.failed == [0, 1, 2]
