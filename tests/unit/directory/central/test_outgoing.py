"""What an agent sends from plain code: at once, or when there is room; never lost without a word."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Deaf, start

from formicary import Container, Limits, Message, MicroAgent
from formicary.directory.central.outgoing import Outgoing
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


class Late(Collect):
    """Takes nothing for ten seconds, and then all that comes."""

    async def run(self):
        if not self.messages:
            await asyncio.sleep(10)
        await super().run()


class Witness:
    """An instrument: with one, messages go the long way."""

    def __init__(self):
        self.sent = []

    def message_sent(self, message):
        self.sent.append(message.body)

    def __getattr__(self, name):
        return lambda *_: None


async def sender(container):
    """Start an agent; return its outgoing messages, and what it is told that it has lost."""
    agent = MicroAgent("sender")
    await container.start(agent)
    lost = []
    return Outgoing(agent, lambda message, error: lost.append((message.body, str(error)))), lost


BODIES = [str(number) for number in range(30)]


@pytest.mark.parametrize("receiver", ["late@c1.lab.localhost", "late@c2.lab.localhost", "late", "late@c2"])
@pytest.mark.parametrize("is_watched", [True, False])
async def test_messages_arrive_once_and_in_order(receiver, is_watched):
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, limits=Limits(mailbox=3)) as c1,
        Container("c2", server=network, limits=Limits(mailbox=3)) as c2,
    ):
        late = Late()
        await start(c2 if "c2" in receiver else c1, "late", late)
        outgoing, lost = await sender(c1)
        witness = Witness()
        if is_watched:
            c1.add_instrument(witness)
        for body in BODIES:
            outgoing.send(Message(receiver, body=body))
        await until_idle()
        assert late.messages == []
        await asyncio.sleep(20)
        assert late.bodies == BODIES
        assert {message.sender for message in late.messages} == {"sender@c1.lab.localhost"}
        assert lost == []
        assert witness.sent == (BODIES if is_watched else [])
        assert c1.dead_letters.total == c2.dead_letters.total == 0
        assert outgoing._lines == {}


async def test_what_finds_no_room_in_time_is_a_dead_letter_and_told():
    async with Container("c1", limits=Limits(mailbox=3, send_timeout=5)) as c1:
        await start(c1, "deaf", Deaf())
        outgoing, lost = await sender(c1)
        for body in BODIES[:5]:
            outgoing.send(Message("deaf@c1.lab.localhost", body=body))
        await asyncio.sleep(20)
        assert [body for body, _ in lost] == ["3", "4"]
        assert "had no room for 5 s" in lost[0][1]
        assert [letter.message.body for letter in c1.dead_letters] == ["3", "4"]


async def test_a_receiver_that_has_no_room_holds_up_nobody_else():
    async with Container("c1", limits=Limits(mailbox=3)) as c1:
        got = Collect()
        await start(c1, "deaf", Deaf())
        await start(c1, "quick", got)
        outgoing, _ = await sender(c1)
        for body in BODIES:
            outgoing.send(Message("deaf@c1.lab.localhost", body=body))
            outgoing.send(Message("quick@c1.lab.localhost", body=body))
            await until_idle()
        assert got.bodies == BODIES
        await outgoing.close()


async def test_only_so_many_wait_and_none_when_it_ends(monkeypatch):
    monkeypatch.setattr("formicary.directory.central.outgoing._LIMIT", 10)
    async with Container("c1", limits=Limits(mailbox=3)) as c1:
        await start(c1, "deaf", Deaf())
        outgoing, _ = await sender(c1)
        for body in BODIES:
            outgoing.send(Message("deaf@c1.lab.localhost", body=body))
        await until_idle()
        assert [letter.message.body for letter in c1.dead_letters if letter.message.body in BODIES] == BODIES[
            13:
        ]
        await outgoing.close()
        dead = [letter.message.body for letter in c1.dead_letters if letter.message.body in BODIES]
        assert sorted(dead, key=int) == BODIES[3:]
        assert outgoing._lines == {}


async def test_what_is_sent_when_the_container_has_closed_is_a_dead_letter():
    async with Container("c1") as c1:
        outgoing, lost = await sender(c1)
    outgoing.send(Message("deaf@c1.lab.localhost", body="x"))
    assert [letter.message.body for letter in c1.dead_letters] == ["x"]
    assert lost == [("x", "container c1 is not open")]
