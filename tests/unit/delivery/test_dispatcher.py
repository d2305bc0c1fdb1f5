"""What the documentation promises holds where messages go the short way by a short name, too."""

from __future__ import annotations

import asyncio

import pytest

from formicary import Agent, Container, CyclicBehaviour, Instrument, Limits, Message, MicroAgent
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


class Keep(CyclicBehaviour):
    def __init__(self):
        super().__init__()
        self.kept = []

    async def run(self):
        message = await self.receive()
        self.kept.append((message.to, message.body))


class KeepMicro(MicroAgent):
    def __init__(self, name):
        super().__init__(name)
        self.kept = []

    def handle(self, message):
        self.kept.append((message.to, message.body))


class Cancelled(MicroAgent):
    async def handle(self, message):
        asyncio.current_task().cancel()
        await asyncio.sleep(0)
        raise AssertionError(message)


class Sees(Instrument):
    def __init__(self):
        self.seen = []

    def message_delivered(self, message, receiver):
        self.seen.append((message.to, receiver, message.body))


FULL = "a@c1.lab.localhost"


async def started(container, name):
    agent, keep = Agent(name), Keep()
    agent.add_behaviour(keep)
    await container.start(agent)
    return agent, keep


@pytest.mark.parametrize("later", ["behaviours", "micro"])
async def test_a_short_name_that_is_used_again_at_once_is_the_new_agents(later):
    async with Container("c1") as container:
        sender = KeepMicro("sender")
        await container.start(sender)
        agent, keep = await started(container, "a")
        for number in range(2):
            await sender.send(Message(to="a", body=str(number)))
        await until_idle()
        await agent.stop()
        await sender.send(Message(to="a", body="nobody"))
        if later == "behaviours":
            _, successor = await started(container, "a")
        else:
            await container.start(successor := KeepMicro("a"))
        await sender.send(Message(to="a", body="2"))
        await until_idle()
        assert keep.kept == [(FULL, "0"), (FULL, "1")]
        assert successor.kept == [(FULL, "2")]
        assert [letter.message.body for letter in container.dead_letters] == ["nobody"]


async def test_who_waits_for_room_by_a_short_name_keeps_the_order_and_the_full_name_arrives():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        sender = KeepMicro("sender")
        await container.start(sender)
        agent, keep = await started(container, "a")
        await sender.send(Message(to="a", body="0"))
        await until_idle()
        agent.suspend()
        sending = [asyncio.create_task(sender.send(Message(to="a", body=str(n)))) for n in range(1, 5)]
        await until_idle()
        assert not all(task.done() for task in sending)
        agent.resume()
        await asyncio.gather(*sending)
        await until_idle()
        assert keep.kept == [(FULL, str(number)) for number in range(5)]


async def test_an_instrument_that_comes_in_the_middle_sees_all_from_then_on_and_nothing_after():
    async with Container("c1") as container:
        sender, sees = KeepMicro("sender"), Sees()
        await container.start(sender)
        _, keep = await started(container, "a")
        for number in range(6):
            if number == 2:
                container.add_instrument(sees)
            if number == 4:
                container.remove_instrument(sees)
            await sender.send(Message(to="a", body=str(number)))
        await until_idle()
        assert [body for _, body in keep.kept] == ["0", "1", "2", "3", "4", "5"]
        assert sees.seen == [(FULL, FULL, "2"), (FULL, FULL, "3")]


async def test_a_handle_that_is_cancelled_at_its_first_await_leaves_the_next_untouched():
    async with Container("c1") as container:
        sender, agent = KeepMicro("sender"), Cancelled("a")
        await container.start(sender)
        await container.start(agent)
        for number in range(3):
            await sender.send(Message(to="a", body=str(number)))
        await until_idle()
        assert not agent.handling_strands()
        assert not agent.failures
