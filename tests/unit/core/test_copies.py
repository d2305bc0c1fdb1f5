"""A behaviour that has never received anything holds nobody up for long; what it leaves is not lost."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.unit.core.agents import Collect, Deaf, do, reasons, start

from formicary import Agent, Container, CyclicBehaviour, Limits, Message, MicroAgent, Template
from formicary.core.stalled import PATIENCE
from formicary.errors import MailboxFullError

pytestmark = pytest.mark.virtual_clock


class Late(CyclicBehaviour):
    """Receives only from some time on."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds
        self.bodies = []

    async def on_start(self):
        await asyncio.sleep(self.seconds)

    async def run(self):
        self.bodies.append((await self.receive()).body)


def sends(*bodies):
    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="b", body=body))

    return do(send)


NUMBERS = [str(number) for number in range(20)]


async def test_it_does_not_hold_up_what_others_receive_for_ever(caplog):
    caplog.set_level(logging.WARNING, "formicary")
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        collect = Collect()
        await start(container, "b", Deaf(), collect)
        await asyncio.sleep(1)
        sending = sends(*NUMBERS)
        await start(container, "a", sending)
        await asyncio.sleep(PATIENCE / 2)
        assert not sending.is_done()  # it may still begin to receive
        await asyncio.sleep(PATIENCE)
        assert sending.is_done()
        assert collect.bodies == NUMBERS
        await container.agents[0].stop()
        assert reasons(container) == []
    (said,) = [record.getMessage() for record in caplog.records if "is full" in record.getMessage()]
    assert said == (
        "the mailbox of behaviour Deaf of agent b is full of 2 messages, and it has never received "
        "any; messages that other behaviours take no longer go there; without a template it gets "
        "every message for its agent: give it one, or ~Template() if it only sends"
    )


async def test_what_only_it_has_got_is_a_dead_letter_at_its_end():
    async with Container("c1") as container:
        agent = await start(container, "b", deaf := Deaf())
        await start(container, "a", sends("before"))
        await asyncio.sleep(1)
        agent.add_behaviour(collect := Collect())
        await asyncio.sleep(1)
        await start(container, "c", sends("x", "y"))
        await asyncio.sleep(1)
        assert collect.bodies == ["x", "y"]
        deaf.kill()
        await asyncio.sleep(1)
        assert reasons(container) == ["behaviour Deaf of agent b ended before it received the message"]
        assert next(iter(container.dead_letters)).message.body == "before"


async def test_of_two_that_have_never_received_each_has_what_it_leaves_behind():
    async with Container("c1") as container:
        agent = await start(container, "b", Deaf(), Deaf())
        await start(container, "a", sends("x"))
        await asyncio.sleep(1)
        await agent.stop()
        assert reasons(container) == ["behaviour Deaf of agent b ended before it received the message"] * 2


async def test_once_it_receives_senders_wait_for_it_again():
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        collect, late = Collect(), Late(3 * PATIENCE)
        await start(container, "b", late, collect)
        await start(container, "a", sends(*NUMBERS))
        await asyncio.sleep(4 * PATIENCE)
        assert collect.bodies == NUMBERS
        assert late.bodies == NUMBERS[:2]  # what there was room for
        await start(container, "c", sends(*NUMBERS))
        await asyncio.sleep(1)
        assert late.bodies == [*NUMBERS[:2], *NUMBERS]


async def test_a_late_one_gets_all_if_it_begins_in_time():
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        late = Late(PATIENCE - 1)
        await start(container, "b", late, Collect())
        await start(container, "a", sends(*NUMBERS))
        await asyncio.sleep(PATIENCE)
        assert late.bodies == NUMBERS


async def test_it_holds_up_what_nobody_else_wants(caplog):
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        agent = Agent("b")
        agent.add_behaviour(Deaf())
        agent.add_behaviour(Collect(), Template(performative="request"))
        await container.start(agent)
        sending = sends(*NUMBERS)
        await start(container, "a", sending)
        await asyncio.sleep(3 * PATIENCE)
        assert not sending.is_done()
        assert "and senders to the agent are waiting" in caplog.text


async def test_who_cannot_wait_is_refused_only_for_a_time():
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        collect = Collect()
        await start(container, "b", Deaf(), collect)
        await asyncio.sleep(1)
        micro = MicroAgent("m")
        await container.start(micro)
        for body in "xy":
            micro.send_nowait(Message(to="b", body=body))
        with pytest.raises(MailboxFullError, match="the mailbox of behaviour Deaf of agent b is full"):
            micro.send_nowait(Message(to="b", body="z"))
        await asyncio.sleep(2 * PATIENCE)
        micro.send_nowait(Message(to="b", body="z"))
        await asyncio.sleep(1)
        assert collect.bodies == ["x", "y", "z", "z"]  # the first was refused by the other alone


async def test_while_the_agent_is_suspended_it_is_not_said_to_receive_nothing(caplog):
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        collect = Collect()
        agent = await start(container, "b", Deaf(), collect)
        await asyncio.sleep(1)
        await start(container, "a", sends(*NUMBERS))
        agent.suspend()
        await asyncio.sleep(3 * PATIENCE)
        assert "is full" not in caplog.text
        agent.resume()
        await asyncio.sleep(3 * PATIENCE)
        assert collect.bodies == NUMBERS
        assert caplog.text.count("is full") == 1
