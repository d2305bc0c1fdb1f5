"""Agents get copies of messages where that is asked for, and the very messages where it is not."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import EVERYTHING, Collect

from formicary import Agent, Container, Message, MicroAgent, Template
from formicary.delivery.copying import copy_of


class Note(MicroAgent):
    """Keeps what it gets."""

    def __init__(self, name):
        super().__init__(name)
        self.messages = []

    def handle(self, message):
        self.messages.append(message)


class Silent:
    """An instrument that looks at nothing."""

    def message_sent(self, *_):
        """See nothing."""

    message_delivered = message_sent


@pytest.mark.parametrize("body", ["text", "\ud800", "", b"\x00\xff"])
def test_a_copy_says_the_same_and_shares_nothing_that_is_large(body):
    message = Message(to="bob", **(EVERYTHING | {"body": body}))
    copy = copy_of(message)
    assert copy == message
    assert copy is not message
    assert copy.metadata is not message.metadata
    assert not body or len(body) == 1 or copy.body is not message.body


@pytest.mark.virtual_clock
@pytest.mark.parametrize("is_watched", [False, True])
@pytest.mark.parametrize("copy", [False, True])
async def test_agents_get_copies_where_the_container_makes_them(copy, is_watched):
    async with Container("c1", copy=copy) as container:
        if is_watched:
            container.add_instrument(Silent())
        alice, bob, note, collect = Agent("alice"), Agent("bob"), Note("note"), Collect()
        bob.add_behaviour(collect, Template(performative="inform"))
        for agent in (alice, bob, note):
            await container.start(agent)
        sent = []
        for behaviour in (None, Collect()):
            if behaviour is not None:
                bob.add_behaviour(behaviour, Template(performative="request"))  # so its way in is another
            for to in ("bob", "note"):
                sent.append(Message(to=f"{to}@c1.lab.localhost", body="a body", performative="inform"))
                await container.dispatcher.send(sent[-1])
        await asyncio.sleep(1)
        got = [message for pair in zip(collect.messages, note.messages, strict=True) for message in pair]
        assert got == sent
        shared = [
            message is other and message.body is other.body for message, other in zip(got, sent, strict=True)
        ]
        assert shared == [not copy] * 4
