"""Who watches messages is told which of them still wait, until none does."""

from __future__ import annotations

import asyncio

import pytest

from formicary import Agent, Container, Message, MicroAgent, OneShotBehaviour

pytestmark = pytest.mark.virtual_clock


class Watch:
    def __init__(self, *messages):
        self.messages = messages
        self.receivers = {"a"}
        self.found = []

    def look(self, waiting):
        self.found.append([message.body for message in self.messages if id(message) in waiting])
        return len(self.found[-1])


class Later(OneShotBehaviour):
    def __init__(self, may_receive):
        super().__init__()
        self.may_receive = may_receive

    async def run(self):
        await self.may_receive.wait()
        for _ in range(2):
            await self.receive()
        await asyncio.Future()


async def test_what_a_behaviour_has_not_received_waits():
    async with Container("c1") as container:
        agent, may_receive = Agent("a"), asyncio.Event()
        agent.add_behaviour(Later(may_receive))
        await container.start(agent)
        await container.start(sender := MicroAgent("sender"))
        messages = [Message(to=agent.address, body=str(number)) for number in range(3)]
        for message in messages:
            await sender.send(message)
        watch, waiting = Watch(*agent.unreceived()), container.dispatcher.waiting
        waiting.watch(watch)
        await asyncio.sleep(1)
        assert watch.found
        assert all(found == ["0", "1", "2"] for found in watch.found)
        may_receive.set()
        await asyncio.sleep(5)
        assert watch.found[-1] == ["2"]
        waiting.forget(watch)
        looks = len(watch.found)
        await asyncio.sleep(5)
        assert len(watch.found) == looks


async def test_in_haste_they_are_looked_at_once_and_no_more_when_none_waits():
    async with Container("c1") as container:
        watch, waiting = Watch(Message(to="a", body="gone")), container.dispatcher.waiting
        waiting.watch(watch, in_haste=True)
        await asyncio.sleep(0)
        assert watch.found == [[]]
        await asyncio.sleep(5)
        assert watch.found == [[]]
