"""What a container tells an agent of messages that have failed comes in order, wherever that goes on."""

from __future__ import annotations

import asyncio

import pytest
from tests.property.mobility.forwarding.mesh import Mesh
from tests.property.mobility.forwarding.moving import World
from tests.property.mobility.forwarding.test_forwarding_links import Told

from formicary import Message
from formicary.mobility.forwarding import failures

pytestmark = pytest.mark.virtual_clock

C1, C2, C4 = (f"c{number}.lab.localhost" for number in (1, 2, 4))

_FOR_EVER = 100.0  # s, after which links have ended over which nothing gets through


async def send_to_nobody(agent, domain, *numbers):
    """Have an agent send messages that fail in another container."""
    for number in numbers:
        await agent.send(Message(to=f"nobody@{domain}", reply_with=str(number)))


def fail(world, number, agent, label):
    """Have a message of an agent fail in a container where it has lain."""
    container = world.containers[number].dispatcher
    message = Message(to=f"nobody@{container.domain}", sender=agent.address, reply_with=str(label))
    container.add_dead_letter(message, "why", f"nobody@{container.domain}")


async def stuck(world, mesh):
    """Have bob told of 1 by a link that is cut, and go on to c3."""
    await asyncio.sleep(5)
    bob = await world.start("bob", 0, Told)
    await world.move(bob, 1)
    await send_to_nobody(bob, C4, 0)
    await asyncio.sleep(5)
    mesh.cut.add(frozenset((C2, C4)))
    fail(world, 3, bob, 1)
    await asyncio.sleep(0.1)
    await world.move(bob, 2)
    return bob


async def stuck_behind(world, mesh):
    """Have bob told of 2, too, which has to wait."""
    bob = await stuck(world, mesh)
    await send_to_nobody(bob, C4, 2)
    await asyncio.sleep(0.5)
    return bob


async def test_a_failure_told_where_an_agent_was_comes_before_one_told_where_it_is():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await stuck_behind(world, mesh)
        await send_to_nobody(bob, C4, 3)
        mesh.cut.clear()
        await asyncio.sleep(5)
        assert bob.failed == [0, 1, 2, 3]


@pytest.mark.parametrize("prepare", [stuck, stuck_behind])
async def test_so_it_does_where_it_goes_by_the_agent_s_home_as_the_link_ends(prepare):
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await prepare(world, mesh)
        mesh.kill(C2)
        mesh.cut = {frozenset((C1, C4))}  # where it waits again
        await asyncio.sleep(10)
        await send_to_nobody(bob, C4, 2 if prepare is stuck else 3)
        await asyncio.sleep(1)
        assert bob.failed == [0]
        mesh.cut.clear()
        await asyncio.sleep(5)
        assert bob.failed == [0, 1, 2, 3][: 3 if prepare is stuck else 4]


async def test_so_it_does_where_the_agent_comes_to_the_container_that_tells_it():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await stuck_behind(world, mesh)
        await world.move(bob, 3)
        fail(world, 3, bob, 3)
        mesh.cut.clear()
        await asyncio.sleep(5)
        assert bob.failed == [0, 1, 2, 3]


async def gone_on(world, mesh):
    """Have bob, whose home is c1, go on from c2 to c3 while he is told of 0 in c2, by a link that is cut."""
    await asyncio.sleep(5)
    bob = await world.start("bob", 0, Told)
    await world.move(bob, 1)
    await asyncio.sleep(5)
    mesh.cut.add(frozenset((C1, C2)))
    fail(world, 0, bob, 0)
    await asyncio.sleep(0.1)
    await world.move(bob, 2)
    return bob


async def test_an_agent_that_is_home_again_is_told_what_could_not_get_to_it_elsewhere():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await gone_on(world, mesh)
        await world.move(bob, 0)
        mesh.kill(C2)
        await asyncio.sleep(10)
        assert bob.failed == [0]


async def cut_off(world, mesh, number=0):
    """Have bob be in c2, or at home again, and a container lose the link by which he was to be told of 0."""
    await asyncio.sleep(5)
    bob = await world.start("bob", 0, Told)
    if number == 0:
        await world.move(bob, 1)
    else:
        await world.move(bob, number)
        await world.move(bob, 0)
    await asyncio.sleep(5)
    mesh.cut.add(frozenset((C1, C4 if number else C2)))
    fail(world, number, bob, 0)
    await asyncio.sleep(_FOR_EVER)
    return bob


@pytest.mark.parametrize("number", [0, 3])
async def test_what_a_link_could_not_bring_comes_by_the_next_one_where_there_is_no_other_way(number):
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await cut_off(world, mesh, number)
        fail(world, number, bob, 1)
        await asyncio.sleep(1)
        mesh.cut.clear()
        fail(world, number, bob, 2)
        await asyncio.sleep(20)
        fail(world, number, bob, 3)
        await asyncio.sleep(1)
        assert bob.failed == [0, 1, 2, 3]


@pytest.mark.parametrize("to", [0, 2])
async def test_so_it_is_where_it_goes_on_meanwhile(to):
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await cut_off(world, mesh)
        fail(world, 0, bob, 1)
        await world.move(bob, to)
        await asyncio.sleep(1)
        assert bob.failed == [0, 1]
        mesh.cut.clear()
        await asyncio.sleep(20)
        assert bob.failed == [0, 1]


async def test_so_it_is_where_the_home_knows_by_then_that_it_is_elsewhere():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await gone_on(world, mesh)
        await asyncio.sleep(_FOR_EVER)
        assert bob.failed == [0]
        mesh.cut.clear()


async def test_what_cannot_be_told_till_the_end_is_dropped():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await cut_off(world, mesh)
        world.places(0).close()
        assert [letter.reason for letter in world.containers[0].dispatcher.dead_letters] == ["why"]
        mesh.cut.clear()
        await asyncio.sleep(20)
        assert bob.failed == []


async def test_no_more_waits_for_a_link_than_a_bound(monkeypatch):
    monkeypatch.setattr(failures, "_MOST", 2)
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        await asyncio.sleep(5)
        bob = await world.start("bob", 0, Told)
        await world.move(bob, 1)
        await asyncio.sleep(5)
        mesh.cut.add(frozenset((C1, C2)))
        for number in range(3):
            fail(world, 0, bob, number)
        await asyncio.sleep(_FOR_EVER)
        mesh.cut.clear()
        await asyncio.sleep(20)
        assert bob.failed == [0, 1]
        assert world.containers[0].dispatcher.dead_letters.total == 3


async def test_an_agent_that_has_never_moved_is_not_told_again():
    mesh = Mesh(1)
    async with World(2, mesh) as world:
        await asyncio.sleep(5)
        bob = await world.start("bob", 0, Told)
        mesh.cut.add(frozenset((C1, C2)))
        fail(world, 1, bob, 0)
        await asyncio.sleep(_FOR_EVER)
        mesh.cut.clear()
        await asyncio.sleep(20)
        assert bob.failed == []  # its own container tells it of what it has sent by that link


async def test_a_message_counts_as_not_taken_until_its_sender_is_told():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await stuck_behind(world, mesh)
        await asyncio.sleep(5)
        assert bob.failed == [0]
        mesh.kill(C4)
        await asyncio.sleep(120)
        assert 2 in bob.failed


async def test_what_waits_is_told_when_the_container_closes():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await stuck_behind(world, mesh)
        assert bob.failed == [0]
        world.places(3).close()
        await asyncio.sleep(0.1)
        assert bob.failed == [0, 2]
        mesh.cut.clear()
        await asyncio.sleep(5)
        assert bob.failed == [0, 2, 1]


async def test_nothing_waits_for_the_answer_of_a_container_that_is_no_member():
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        world.places(3)._failures._is_member = lambda domain: domain != C2
        bob = await stuck_behind(world, mesh)
        assert bob.failed == [0, 2]


async def test_the_order_is_given_up_where_very_much_would_wait(monkeypatch):
    monkeypatch.setattr(failures, "_MOST", 4)
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await stuck_behind(world, mesh)
        await send_to_nobody(bob, C4, 3, 4)
        await asyncio.sleep(0.5)
        assert bob.failed == [0]
        await send_to_nobody(bob, C4, 5)
        await asyncio.sleep(0.5)
        assert bob.failed == [0, 2, 3, 4, 5]


async def test_so_it_is_where_much_waits_for_many_agents(monkeypatch):
    mesh = Mesh(1)
    async with World(4, mesh) as world:
        bob = await stuck(world, mesh)
        eve = await world.start("eve", 0, Told)
        await world.move(eve, 2)
        await send_to_nobody(bob, C4, 2)
        await send_to_nobody(eve, C4, 0)
        await asyncio.sleep(0.5)
        assert (bob.failed, eve.failed) == ([0], [0])
        told = world.places(3)._failures._tellings
        told[eve.address] = failures._Telling(C2)
        monkeypatch.setattr(failures.Failures, "_may_overtake", lambda *_: True)
        monkeypatch.setattr(failures, "_MOST", 3)
        await send_to_nobody(eve, C4, 1)
        await asyncio.sleep(0.5)
        assert (bob.failed, eve.failed) == ([0], [0])
        await send_to_nobody(eve, C4, 2)
        await asyncio.sleep(0.5)
        assert (bob.failed, eve.failed) == ([0], [0, 1, 2])
