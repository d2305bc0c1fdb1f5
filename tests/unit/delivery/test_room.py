"""What waits for room goes in when there is some, or is a dead letter: each sink of it once."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Pausing, reasons, start

from formicary import AgentState, Container, Limits, Message
from formicary.core.errors import LinkError
from formicary.delivery.held import HeldMessages
from formicary.delivery.room import Gate, Room
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock

ALICE = "alice@c1.lab.localhost"


class Sink:
    """Has room when it is told so."""

    address = ALICE

    def __init__(self):
        self.took = []
        self.has_ended = False
        self.moved = asyncio.Event()

    def put(self, message):
        if self.moved.is_set():
            self.took.append(message.body)
        return self.moved.is_set()

    async def room(self):
        await self.moved.wait()

    def is_done(self):
        return self.has_ended

    def __str__(self):
        return "the sink"


async def test_each_sink_gets_the_message_when_it_has_room():
    async with Container("c1") as c1:
        sinks = [Sink(), Sink()]
        waiting = list(sinks)
        task = asyncio.create_task(Room(c1.dispatcher).wait(Message(to=ALICE, body="x"), waiting))
        sinks[1].moved.set()
        await until_idle()
        assert (waiting, sinks[1].took) == (sinks, [])  # one after the other
        sinks[0].moved.set()
        await task
        assert (waiting, [sink.took for sink in sinks]) == ([], [["x"], ["x"]])


async def test_a_sink_that_ends_meanwhile_makes_a_dead_letter_and_the_others_get_it():
    async with Container("c1") as c1:
        ended, other = Sink(), Sink()
        other.moved.set()
        ended.has_ended = True
        await Room(c1.dispatcher).wait(Message(to=ALICE, body="x"), [ended, other])
        assert reasons(c1) == ["the sink ended before it had room for the message"]
        assert (ended.took, other.took) == ([], ["x"])


async def test_what_waited_for_an_agent_that_has_come_to_life_elsewhere_goes_where_it_is_now():
    async with Container("c1") as c1:
        await start(c1, "alice", collect := Collect())
        held = HeldMessages(ALICE, 1, AgentState.ACTIVE)
        assert not held.accept(Message(to=ALICE, body="held"))
        held.end()
        await Room(c1.dispatcher).wait(Message(to=ALICE, body="x"), [held])
        await until_idle()
        assert collect.bodies == ["x"]


async def test_what_has_waited_too_long_goes_where_its_receiver_is_by_then_or_stays():
    async with Container("c1") as c1:
        await start(c1, "alice", collect := Collect())
        full, held = Sink(), HeldMessages(ALICE, 1, AgentState.ACTIVE)
        held.end()
        Room(c1.dispatcher).try_again(Message(to=ALICE, body="x"), waiting := [full, held])
        assert waiting == [full]
        await until_idle()
        assert collect.bodies == ["x"]


async def test_an_error_after_the_timeout_reports_the_message_to_the_other_receivers_as_well():
    async with Container("c1", limits=Limits(send_timeout=1)) as c1:
        full, gate = Sink(), Gate("bob@c2.lab.localhost")

        def refuse(message, receiver):
            raise LinkError(f"{receiver} cannot be reached")

        c1.dispatcher.dispatch_to = refuse
        with pytest.raises(LinkError, match="bob"):
            await c1.dispatcher.overflow.wait_to_deliver(Message(to=ALICE, body="x"), [full, gate])
        assert reasons(c1) == [
            "the sender did not wait for the sink to have room: bob@c2.lab.localhost cannot be reached"
        ]


async def test_behind_a_gate_each_behaviour_gets_a_message_once_even_if_one_has_no_room():
    async with Container("c1", limits=Limits(mailbox=1)) as c1:
        await start(c1, "alice", fast := Collect(), slow := Pausing())
        for body in "12":
            assert not c1.dispatcher.deliver(Message(to=ALICE, body=body), ALICE)
            await until_idle()
        gate = Gate(ALICE)
        task = asyncio.create_task(Room(c1.dispatcher).wait(Message(to=ALICE, body="3"), [gate]))
        await until_idle()
        assert (fast.bodies, slow.bodies) == (["1", "2"], ["1"])
        gate.open()
        await until_idle()
        assert not task.done()
        slow.may_receive.set()
        await task
        await until_idle()
        assert fast.bodies == slow.bodies == ["1", "2", "3"]
