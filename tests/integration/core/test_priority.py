"""Urgent messages are received first also where they come over a link, and where their receiver has moved."""

from __future__ import annotations

import msgspec
import pytest
from tests.integration.mobility.travellers import agent_in
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, Do

from formicary import Agent, Container, CyclicBehaviour, Limits, Message
from formicary.core.priority import LOW, PRIORITY, URGENT
from formicary.testing import MemoryNetwork, until_idle

HERE = "tests.integration.core"


def of(body, priority=None):
    return Message(to="bob@c1", body=body, metadata=priority and {PRIORITY: priority})


SENT = [of("1"), of("2", LOW), of("3"), of("4", URGENT), of("5"), of("6", URGENT), of("7", LOW)]


async def send(container, *messages, name="alice"):
    async def send_all(behaviour):
        for message in messages:
            await behaviour.send(message)

    agent, sending = Agent(name), Do(send_all)
    agent.add_behaviour(sending)
    await container.start(agent)
    await sending.join()
    await agent.stop()


def kept(bodies):
    return {priority: [body for body in bodies if body in lane] for priority, lane in _LANES.items()}


_LANES = {URGENT: "46", "": "135", LOW: "27"}


async def test_they_overtake_what_has_come_over_the_link_before():
    async with (
        Container("c1", listen="127.0.0.1") as c1,
        Container("c2", join=c1.join_address) as c2,
    ):
        bob, collect = Agent("bob"), Collect()
        bob.add_behaviour(collect)
        await c1.start(bob)
        bob.suspend()
        await send(c2, *SENT)
        await until(lambda: collect.mailbox_size() == len(SENT))
        bob.resume()
        await until(lambda: len(collect.messages) == len(SENT))
        assert collect.bodies == ["4", "6", "1", "3", "5", "2", "7"]


async def test_behind_a_full_mailbox_each_priority_keeps_its_order():
    async with (
        Container("c1", listen="127.0.0.1", limits=Limits(mailbox=2)) as c1,
        Container("c2", join=c1.join_address) as c2,
    ):
        bob, collect = Agent("bob"), Collect()
        bob.add_behaviour(collect)
        await c1.start(bob)
        bob.suspend()
        await send(c2, *SENT)
        await until(lambda: collect.mailbox_size() == 2)
        bob.resume()
        await until(lambda: len(collect.messages) == len(SENT))
        assert kept(collect.bodies) == {priority: list(lane) for priority, lane in _LANES.items()}


class Log(msgspec.Struct):
    bodies: list[str] = []


class Mover(Agent):
    data: Log

    def __init__(self, name):
        super().__init__(name)
        self.data = Log()
        self.add_behaviour(Listen())


class Listen(CyclicBehaviour):
    async def run(self):
        self.agent.data.bodies.append((await self.receive()).body)


@pytest.mark.virtual_clock
async def test_they_go_along_with_an_agent_that_moves_and_later_ones_overtake_the_others_there():
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, accepts=[HERE]) as c1,
        Container("c2", server=network, accepts=[HERE]) as c2,
    ):
        await until_idle()
        await c1.start(bob := Mover("bob"))
        bob.suspend()
        await send(c1, *SENT[:3])
        await send(c2, *SENT[3:5])
        await until_idle()
        await bob.move("c2")
        await send(c1, *SENT[5:])  # which finds it by its home
        await until_idle()
        bob = agent_in(c2, "bob")
        assert bob.data.bodies == []
        bob.resume()
        await until_idle()
        assert bob.data.bodies == ["4", "6", "1", "3", "5", "2", "7"]
