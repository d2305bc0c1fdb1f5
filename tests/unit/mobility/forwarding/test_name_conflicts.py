"""What a visitor's name is told while its home may have another agent of that name."""

from __future__ import annotations

import asyncio

import pytest
from tests.property.mobility.forwarding.moving import World
from tests.unit.core.agents import reasons

from formicary import Message, MicroAgent
from formicary.delivery.dead_letters import failure_of, is_failure
from formicary.mobility.forwarding import name_conflicts as module

pytestmark = pytest.mark.virtual_clock


class Told(MicroAgent):
    """Notes what it is told of its messages."""

    def __init__(self, name):
        super().__init__(name)
        self.told = []

    def handle(self, message):
        self.told.append(message.in_reply_to if is_failure(message) else message.body)


class Meeting:
    """Alice, whose home is c1, lives in c2; and messages of hers fail there, for all that c2 knows."""

    def __init__(self, world, alice):
        self.world, self.alice = world, alice
        self.dispatcher = world.containers[1].dispatcher
        self.conflicts = self.dispatcher.locations.conflicts
        self.home = world.containers[0].domain

    def fail(self, number):
        message = Message(to="nobody@c2.lab.localhost", sender=self.alice.address, reply_with=number)
        self.dispatcher.add_dead_letter(message, "there is none", "nobody@c2.lab.localhost")
        return message

    async def send_home(self, *numbers):
        """Have messages fail at home that have been sent on from here, for all that is known."""
        home = self.world.containers[0].dispatcher
        for number in numbers:
            message = Message(to="nobody@c1.lab.localhost", sender=self.alice.address, reply_with=number)
            failure = failure_of(message, f"ams@{self.home}", "nobody@c1.lab.localhost", "there is none")
            home.transport.carry_on(self.dispatcher.domain, failure, self.alice.address)
        await asyncio.sleep(1)

    async def told(self):
        await asyncio.sleep(1)
        return self.alice.told


async def meet(world):
    alice = await world.start("alice", 0, Told)
    await world.move(alice, 1)
    return Meeting(world, alice)


async def test_failures_wait_until_it_is_known_whose_they_are():
    async with World(2) as world:
        meeting = await meet(world)
        meeting.fail("1")
        assert await meeting.told() == ["1"]
        meeting.conflicts.doubt(meeting.home)
        meeting.conflicts.doubt("c9.lab.localhost")  # another one's agents are in no doubt by that
        second = meeting.fail("2")
        assert await meeting.told() == ["1"]
        assert meeting.conflicts in meeting.dispatcher.unacked_holders  # so nobody hears that it was taken
        assert list(meeting.conflicts.messages()) == [second]
        meeting.conflicts.know("c9.lab.localhost")
        assert await meeting.told() == ["1"]
        meeting.conflicts.know(meeting.home)
        meeting.fail("3")
        assert await meeting.told() == ["1", "2", "3"]
        assert list(meeting.conflicts.messages()) == []


async def check_that_the_other_is_told(world, meeting):
    """End the visitor, start another one of its name at home, and see who is told of 1."""
    del meeting.dispatcher.agents[meeting.alice.address]
    for number in (0, 1):
        world.places(number).forget(meeting.alice.address)
    other = await world.start("alice", 0, Told)
    meeting.conflicts.know(meeting.home)
    assert await meeting.told() == []
    assert other.told == ["1"]
    assert reasons(world.containers[0]) == []


async def test_where_the_visitor_has_ended_they_go_to_the_one_at_home():
    async with World(2) as world:
        meeting = await meet(world)
        meeting.conflicts.doubt(meeting.home)
        meeting.fail("1")
        await check_that_the_other_is_told(world, meeting)


@pytest.mark.parametrize("has_way", [False, True])
async def test_so_does_what_others_tell_in_answer_to_what_was_sent_on(has_way):
    async with World(2) as world:
        meeting = await meet(world)
        assert meeting.alice.address not in world.places(1)._forwarders
        if has_way:
            world.places(1)._add(meeting.alice.address, None)
        await meeting.send_home("1")
        meeting.conflicts.doubt(meeting.home)
        await meeting.send_home("2")
        assert [message.in_reply_to for message in meeting.conflicts.messages()] == ["2"]
        bob = await world.start("bob", 0)
        await bob.send(Message(to=meeting.alice.address, body="hello"))
        assert await meeting.told() == ["1", "hello"]
        meeting.conflicts.doubt("c9.lab.localhost")
        meeting.conflicts.know(meeting.home)
        await meeting.send_home("3")
        assert await meeting.told() == ["1", "hello", "2", "3"]
        assert meeting.alice.address not in meeting.dispatcher.overflow.takers or has_way


async def test_where_the_visitor_has_ended_that_goes_to_the_one_at_home_too():
    async with World(2) as world:
        meeting = await meet(world)
        meeting.conflicts.doubt(meeting.home)
        await meeting.send_home("1")
        meeting.dispatcher.overflow.forget(None)  # as where the link begins anew
        await check_that_the_other_is_told(world, meeting)


async def test_no_more_are_kept_than_a_bound(monkeypatch):
    monkeypatch.setattr(module, "_MOST", 2)
    async with World(2) as world:
        meeting = await meet(world)
        meeting.conflicts.doubt(meeting.home)
        for number in "123":
            meeting.fail(number)
        assert await meeting.told() == ["3"]
