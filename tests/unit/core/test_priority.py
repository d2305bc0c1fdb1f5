"""Urgent messages are received before others that wait, wherever they have waited."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest
from tests.unit.core.agents import Collect, Do

from formicary import Agent, Container, Limits, Message
from formicary.core.priority import LOW, PRIORITY, URGENT, Lanes


def _of(body, priority=None):
    return Message(to="bob", body=body, metadata=priority and {PRIORITY: priority})


_SENT = [_of("1"), _of("2", LOW), _of("3"), _of("4", URGENT), _of("5", "soon"), _of("6", URGENT), _of("7")]
_RECEIVED = ["4", "6", "1", "3", "5", "7", "2"]


def _send_all(messages=_SENT):
    async def send(behaviour):
        for message in messages:
            await behaviour.send(message)

    return Do(send)


async def _start(container, behaviour, name, *, held=False):
    agent = Agent(name)
    agent.add_behaviour(behaviour)
    await container.start(agent)
    if held:
        agent.suspend()
    return agent


@pytest.mark.virtual_clock
async def test_the_urgent_are_received_first_and_those_of_low_priority_last():
    async with Container("c1") as container:
        collect, send = Collect(), _send_all()
        bob = await _start(container, collect, "bob", held=True)
        await _start(container, send, "alice")
        await send.join()
        assert [each.body for each in bob.unreceived()] == _RECEIVED
        bob.resume()
        await asyncio.sleep(1)
        assert collect.bodies == _RECEIVED


@pytest.mark.virtual_clock
async def test_what_was_about_to_be_received_comes_after_what_is_more_urgent():
    async def hold_and_send(behaviour):
        await behaviour.send(_of("1", LOW))  # the strand is about to get it
        bob.suspend()
        await behaviour.send(_of("2"))
        await behaviour.send(_of("3", URGENT))

    async with Container("c1") as container:
        collect, do = Collect(), Do(hold_and_send)
        bob = await _start(container, collect, "bob")
        await asyncio.sleep(1)
        await _start(container, do, "alice")
        await do.join()
        bob.resume()
        await asyncio.sleep(1)
        assert collect.bodies == ["3", "2", "1"]


@pytest.mark.virtual_clock
async def test_a_full_mailbox_has_no_room_for_the_urgent_either():
    async with Container("c1", limits=Limits(mailbox=3)) as container:
        collect, send = Collect(), _send_all()
        bob = await _start(container, collect, "bob", held=True)
        await _start(container, send, "alice")
        await asyncio.sleep(1)
        assert not send.is_done()
        assert len(bob.unreceived()) == 3
        bob.resume()
        await send.join()
        await asyncio.sleep(1)
        assert sorted(collect.bodies) == sorted(_RECEIVED)


def test_an_answer_has_no_priority_of_itself():
    assert _of("1", URGENT).replace(sender="alice").make_reply().metadata is None


def test_nothing_can_be_taken_where_nothing_waits():
    with pytest.raises(IndexError, match="no message waits"):
        Lanes(deque()).popleft()
