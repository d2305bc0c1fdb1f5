"""What waits for full mailboxes is bounded by number, and by what it holds."""

from __future__ import annotations

import asyncio
from unittest.mock import Mock

import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import Deaf, start

from formicary import AgentState, Container, Limits, Message
from formicary.delivery import overflow as module
from formicary.delivery.held import HeldMessages
from formicary.testing import until_idle


@pytest.mark.virtual_clock
async def test_nothing_more_is_to_come_in_where_few_large_messages_wait(monkeypatch):
    monkeypatch.setattr(module, "_LIMIT_BYTES", 1000)
    said = []
    async with Container("c1", limits=Limits(mailbox=1, send_timeout=10)) as c1:
        await start(c1, "deaf", Deaf())
        overflow = c1.dispatcher.overflow
        overflow.pause = said.append
        for _ in range(4):  # the first finds room
            assert said == []
            overflow.deliver(Message(to="deaf@c1.lab.localhost", body="x" * 400), "deaf@c1.lab.localhost")
        assert said == [True]
        await until(lambda: not overflow.lines)  # they fail
        assert said == [True, False]


@pytest.mark.virtual_clock
async def test_while_the_process_stood_still_nobody_was_late(monkeypatch):
    async with Container("c1", limits=Limits(mailbox=1, send_timeout=10)) as c1:
        agent = await start(c1, "deaf", Deaf())
        name = "deaf@c1.lab.localhost"
        for body in ("taken", "waits", "waits too"):
            c1.dispatcher.overflow.deliver(Message(to=name, body=body), name)
        await asyncio.sleep(5)
        monkeypatch.setattr(asyncio.get_running_loop(), "_now", 65.0)  # as after a minute of SIGSTOP
        await asyncio.sleep(5)
        assert not c1.dead_letters.total
        await agent.stop()
        await asyncio.sleep(0)
        assert "had no room" not in " ".join(letter.reason for letter in c1.dead_letters)


@pytest.mark.virtual_clock
async def test_who_is_deaf_after_that_is_late_all_the_same(monkeypatch):
    async with Container("c1", limits=Limits(mailbox=1, send_timeout=10)) as c1:
        await start(c1, "deaf", Deaf())
        name = "deaf@c1.lab.localhost"
        for body in ("taken", "waits", "waits too"):
            c1.dispatcher.overflow.deliver(Message(to=name, body=body), name)
        await asyncio.sleep(5)
        monkeypatch.setattr(asyncio.get_running_loop(), "_now", 65.0)
        await asyncio.sleep(9)
        assert not c1.dead_letters.total
        await asyncio.sleep(20)
        assert [letter.message.body for letter in c1.dead_letters] == ["waits", "waits too"]


@pytest.mark.virtual_clock
async def test_what_waits_for_an_agent_that_leaves_goes_after_it_in_order():
    async with Container("c1") as c1:
        dispatcher, bodies = c1.dispatcher, []
        address = "alice@c1.lab.localhost"
        held = HeldMessages(address, 1, AgentState.ACTIVE)
        dispatcher.hold(held)
        for number in range(4):
            dispatcher.overflow.deliver(
                Message(to=address, sender="bob@c1.lab.localhost", body=str(number)), address
            )
        await until_idle()
        forwarder = Mock(pass_on=lambda message, _: bodies.append(message.body))
        forwarder.post.side_effect = AssertionError("it goes behind what waits")
        dispatcher.forwarders[address] = forwarder
        del dispatcher.held[address]
        assert [message.body for message in held.end()] == ["0"]
        await until_idle()
        del dispatcher.forwarders[address]
        assert bodies == ["1", "2", "3"]


@pytest.mark.virtual_clock
async def test_who_passes_messages_on_does_so_until_the_container_has_stopped():
    async with Container("c1", limits=Limits(mailbox=1, send_timeout=10)) as c1:
        await start(c1, "deaf", Deaf())
        name, overflow, taker = "deaf@c1.lab.localhost", c1.dispatcher.overflow, Mock()
        overflow.divert("away@c1.lab.localhost", taker)
        for body in ("taken", "waits"):
            overflow.deliver(Message(to=name, body=body), name)
        assert set(overflow.takers) == {name, "away@c1.lab.localhost"}
        await overflow.close()
        assert overflow.takers == {"away@c1.lab.localhost": taker}
        overflow.deliver(Message(to=name, body="too late"), name)
        assert not overflow.lines
        assert [letter.message.body for letter in c1.dead_letters] == ["waits", "too late"]
        assert {letter.reason for letter in c1.dead_letters} == {
            "container c1 stopped before the mailbox had room"
        }
