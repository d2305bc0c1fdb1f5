"""Messages find agents that have moved: straight from the second on, and in their order."""

from __future__ import annotations

import asyncio

import pytest
from tests.property.mobility.forwarding.moving import World, numbers_of, send
from tests.unit.core.agents import Collect, Pausing, reasons

from formicary import Agent, Message
from formicary.delivery.dead_letters import failure_of
from formicary.testing import memory_line

pytestmark = pytest.mark.virtual_clock


async def test_the_first_message_is_passed_on_and_the_others_go_straight():
    async with World(3) as world:
        bob = await world.start("bob", 0)
        alice = await world.start("alice", 1)
        await send(alice, bob.address, [0])
        await asyncio.sleep(1)
        await world.move(bob, 2)
        await send(alice, bob.address, range(1, 4))
        await asyncio.sleep(1)
        passed = world.containers[0].dispatcher.transport.counts()["c3.lab.localhost"]
        await send(alice, bob.address, range(4, 100))
        await asyncio.sleep(1)
        assert numbers_of(bob, alice.address) == list(range(100))
        assert world.containers[0].dispatcher.transport.counts()["c3.lab.localhost"] == passed
        assert world.containers[1].dispatcher.domain_of(bob.address) == "c3.lab.localhost"
        await world.move(bob, 0)
        await send(alice, bob.address, range(100, 200))
        await asyncio.sleep(1)
        assert numbers_of(bob, alice.address) == list(range(200))
        assert [each.dispatcher.domain_of(bob.address) for each in world.containers[:2]] == [None, None]
        for container in world.containers:
            assert reasons(container) == []


async def test_who_waits_for_a_container_s_agents_waits_for_those_that_are_away():
    async with World(2) as world:
        home = world.containers[0]
        bob = await world.start("bob", 0)
        joining = asyncio.create_task(home.wait_until_finished())
        await world.move(bob, 1)
        await asyncio.sleep(1)
        assert (home.agents, joining.done()) == ((), False)
        world.places(0).forget(bob.address)  # it has ended there
        await joining


async def test_a_container_that_is_closed_waits_for_nobody_who_is_away():
    async with World(2) as world:
        home = world.containers[0]
        await world.move(await world.start("bob", 0), 1)
        joining = asyncio.create_task(home.wait_until_finished())
        await asyncio.sleep(1)
        assert not joining.done()
        await home.close()
        await joining


async def test_a_message_to_several_follows_who_has_moved_though_there_is_a_straight_way_for_others():
    async with World(2) as world:
        bob = await world.start("bob", 0)
        alice = await world.start("alice", 0)
        await world.move(bob, 1)
        dispatcher = world.containers[0].dispatcher
        await send(alice, bob.address, [0])
        dispatcher.routes[bob.address] = lambda message: pytest.fail(f"{message} went as if for one alone")
        dispatcher.deliver(Message(to=(bob.address, "carol"), sender=alice.address, body="1"), bob.address)
        await asyncio.sleep(1)
        assert numbers_of(bob, alice.address) == [0, 1]


async def test_a_failure_that_comes_back_from_where_its_receiver_lives_goes_there_again():
    async with World(2) as world:
        here, home = world.containers
        alice = await world.start("alice", 1)
        failure = failure_of(
            Message(to="bob@c1", sender=alice.address, body="1"), "ams@c2.lab.localhost", "bob", "why"
        )
        home.dispatcher.transport.carry_on(here.domain, failure, alice.address)
        await asyncio.sleep(1)
        assert alice.bodies == [("ams@c2.lab.localhost", "why")]
        assert reasons(here) == []


async def test_what_is_held_where_an_agent_has_come_fails_when_that_ends():
    async with World(2) as world:
        bob = await world.start("bob", 0)
        alice = await world.start("alice", 1)
        await send(alice, bob.address, [0])
        await asyncio.sleep(1)
        await world.move(bob, 1)
        await send(alice, bob.address, [1])
        assert world.places(1)._forwarders[bob.address].is_held
        del world.containers[1].dispatcher.agents[bob.address]
        world.places(1).agent_gone(bob.address)
        assert reasons(world.containers[1]) == [f"{bob.address} is no longer in any container"]
        assert not world.places(1)._forwarders
        await asyncio.sleep(1)
        assert numbers_of(bob, alice.address) == [0]


async def test_what_waits_for_room_on_a_way_that_is_over_goes_where_the_agent_is_by_then(monkeypatch):
    async with World(2) as world:
        bob = await world.start("bob", 0)
        alice = await world.start("alice", 0)
        await world.move(bob, 1)
        await send(alice, bob.address, [0])
        monkeypatch.setattr(memory_line, "_LIMIT", 0)
        waiting = asyncio.create_task(send(alice, bob.address, [1, 2]))
        await asyncio.sleep(1)
        await world.move(bob, 0)
        await asyncio.sleep(1)
        assert (world.places(0)._forwarders, waiting.done()) == ({}, False)
        monkeypatch.undo()
        world.containers[0].dispatcher.transport.lines[world.containers[1].domain]._moved.set()
        await asyncio.sleep(1)
        assert numbers_of(bob, alice.address) == [0, 1, 2]
        await waiting


async def test_what_waits_for_a_way_to_be_clear_goes_where_the_agent_is_by_then():
    async with World(3) as world:
        bob = await world.start("bob", 0)
        alice = await world.start("alice", 1)
        await send(alice, bob.address, [0])
        await asyncio.sleep(1)
        await world.move(bob, 1)
        before = world.places(1)._forwarders[bob.address]
        sending = asyncio.create_task(send(alice, bob.address, range(1, 150)))
        await asyncio.sleep(0)
        message = Message(to=bob.address, sender=alice.address, body="150")
        (waiting,) = before.post(message, bob.address)
        await asyncio.sleep(1)
        await sending
        await world.move(bob, 2)
        assert not waiting.put(message)
        await world.containers[1].dispatcher.overflow.wait_for_room(message, [waiting])
        await asyncio.sleep(1)
        assert before.is_over
        assert numbers_of(bob, alice.address) == list(range(151))


async def test_messages_wait_where_an_agent_comes_back_only_if_some_have_gone_after_it():
    async with World(3) as world:
        bob, alice = await world.start("bob", 2), await world.start("alice", 0)
        await world.move(bob, 0)
        await world.move(bob, 1)
        await send(alice, bob.address, [0])
        await world.move(bob, 0)
        assert world.places(0)._forwarders[bob.address].is_held
        await asyncio.sleep(1)
        assert bob.address not in world.places(0)._forwarders
        await world.move(bob, 1)
        await world.move(bob, 0)
        assert bob.address not in world.places(0)._forwarders
        await send(alice, bob.address, [1])
        await asyncio.sleep(1)
        assert numbers_of(bob, alice.address) == [0, 1]


async def test_nothing_waits_where_an_agent_comes_home():
    async with World(2) as world:
        bob, alice = await world.start("bob", 0), await world.start("alice", 0)
        await world.move(bob, 1)
        await send(alice, bob.address, [0])
        await world.move(bob, 0)
        assert bob.address not in world.places(0)._forwarders
        await send(alice, bob.address, [1])
        await asyncio.sleep(1)
        assert numbers_of(bob, alice.address) == [0, 1]


async def test_what_comes_after_an_agent_is_received_once_by_each_behaviour():
    async with World(2) as world:
        there, address = world.containers[1], "alice@c1.lab.localhost"
        agent = Agent("alice")
        for behaviour in (fast := Collect(), slow := Pausing()):
            agent.add_behaviour(behaviour)
        agent.enter_container(there, address)
        there.dispatcher.agents[address] = agent
        agent.become_active(there.scheduler, 1)
        for number in range(5):
            there.dispatcher.overflow.deliver(Message(to=address, body=str(number)), address)
            await asyncio.sleep(1)
        assert slow.bodies == ["0"]
        world.places(1).go_behind(address)
        slow.may_receive.set()
        await asyncio.sleep(1)
        assert fast.bodies == slow.bodies == [*"01234"]
        assert not there.dispatcher.forwarders
