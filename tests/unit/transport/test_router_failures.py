"""What a sender is told of a failure takes the way by which its message has come."""

from __future__ import annotations

import asyncio

import pytest
from tests.property.mobility.forwarding.mesh import Mesh
from tests.property.mobility.forwarding.moving import World

from formicary import Message

pytestmark = pytest.mark.virtual_clock

_FOR_EVER = 300.0  # s, after which links have ended over which nothing gets through


async def say(sender, to, number):
    await sender.send(Message(to=to, body=str(number), reply_with=str(number)))
    await asyncio.sleep(1)


async def test_what_came_straight_fails_straight_though_more_has_come_by_way_of_others_before():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        c1, c2, c3 = (container.domain for container in world.containers)
        bob, alice = await world.start("bob", 0), await world.start("alice", 1)
        await asyncio.sleep(5)  # all know each other
        await world.move(bob, 2)
        await say(alice, bob.address, 1)
        assert world.containers[2].dispatcher.transport.refusals.return_paths.domain_of(alice.address) == c1
        mesh.cut.add(frozenset((c1, c2)))
        await say(alice, f"nobody@{c3}", 2)
        assert bob.bodies == [(alice.address, "1")]
        assert [body for _, body in alice.bodies] == ["no agent named 'nobody' lives in container c3"]
        mesh.cut.clear()
        await asyncio.sleep(5)


async def test_where_the_way_has_ended_its_home_is_told():
    mesh = Mesh(1)
    async with World(3, mesh) as world:
        c1, _, c3 = (container.domain for container in world.containers)
        bob, alice = await world.start("bob", 0), await world.start("alice", 1)
        await asyncio.sleep(5)
        await world.move(bob, 2)
        await say(alice, bob.address, 1)
        router = world.containers[2].dispatcher.transport
        assert router.refusals.return_paths.domain_of(alice.address) == c1
        mesh.cut.add(frozenset((c1, c3)))
        await asyncio.sleep(_FOR_EVER)
        assert router.refusals.return_paths.domain_of(alice.address) is None
        mesh.cut.clear()
        await asyncio.sleep(5)


@pytest.mark.parametrize("is_back", [True, False])
async def test_who_is_missing_is_told_when_it_is_found_again(is_back):
    async with World(2, Mesh(1)) as world:
        home, other = world.containers
        alice = await world.start("alice", 0)
        await asyncio.sleep(5)
        await world.move(alice, 1)
        places = home.dispatcher.locations
        places.missing(alice.address)
        home.dispatcher.tell_sender(Message("bob@c1", alice.address, reply_with="1"), "bob@c1", "it is gone")
        await asyncio.sleep(5)
        assert alice.bodies == []
        if is_back:
            places.set(alice.address, other.domain)
        else:
            places.freed(alice.address)
        await asyncio.sleep(5)
        assert [body for _, body in alice.bodies] == (["it is gone"] if is_back else [])


async def test_who_writes_home_from_where_its_home_has_lost_it_is_told_there():
    async with World(2, Mesh(1)) as world:
        home = world.containers[0]
        alice = await world.start("alice", 0)
        await asyncio.sleep(5)
        await world.move(alice, 1)
        home.dispatcher.locations.forget(alice.address)  # as where the other is no member for a moment
        await say(alice, f"nobody@{home.domain}", 1)
        assert [body for _, body in alice.bodies] == ["no agent named 'nobody' lives in container c1"]
        await asyncio.sleep(5)
