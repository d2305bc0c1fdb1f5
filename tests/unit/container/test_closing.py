"""What is left of a container's agents while it closes: they may use all of it, and cause no alarm."""

from __future__ import annotations

import asyncio
import logging

import pytest

from formicary import Agent, Container, CyclicBehaviour, Message, MicroAgent, Template
from formicary.errors import ContainerClosedError, UsageError

pytestmark = pytest.mark.virtual_clock

MANY = 97  # more than end without a turn of the loop for the others


class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await asyncio.sleep(0.001)
        await self.reply(message, body="x")


class Looks(CyclicBehaviour):
    async def run(self):
        await self.agent.directory.search(type="x")
        await self.agent.container.management.list_containers()
        await self.ask(Message(to="e", performative="request"), timeout=10)
        await asyncio.sleep(0.0001)


class Starts(CyclicBehaviour):
    async def run(self):
        await asyncio.sleep(0.001)
        await self.agent.container.start(Agent(f"child{len(self.agent.container.agents)}"))


class Handles(MicroAgent):
    async def handle(self, message):
        while True:
            await self.directory.search(type="x")
            await asyncio.sleep(0.0001)


async def live(*, is_echo_first):
    async with Container("c1") as container:
        echo = Agent("e")
        echo.add_behaviour(Echo())
        micro = Handles("micro")
        agents = [Agent(f"a{number}") for number in range(MANY)]
        for agent in agents:
            agent.add_behaviour(Looks(), ~Template())
        starts = Agent("starts")
        starts.add_behaviour(Starts())
        for agent in [echo, *agents] if is_echo_first else [starts, micro, *agents, echo]:
            await container.start(agent)
        await asyncio.sleep(0.1)
        if not is_echo_first:
            micro.send_nowait(Message(to="micro"))
        await asyncio.sleep(0.01)
    return container


@pytest.mark.parametrize("is_echo_first", [True, False])
async def test_agents_that_wake_up_while_it_closes_cause_no_alarm(caplog, is_echo_first):
    container = await live(is_echo_first=is_echo_first)
    assert [record.getMessage() for record in caplog.records if record.levelno > logging.INFO] == []
    assert not container.failure_log.total
    assert not container.is_open
    with pytest.raises(ContainerClosedError):
        _ = container.directory


async def test_what_has_come_to_nobody_is_still_among_the_dead_letters(caplog):
    caplog.set_level(logging.INFO, "formicary")
    async with Container("c1") as container:
        agent = Agent("a")
        agent.add_behaviour(Looks())
        await container.start(agent)
        container.dispatcher.send_nowait(Message(to="a", sender="a@c1.lab.localhost"))
    assert container.dead_letters.total
    assert [record.levelname for record in caplog.records if "dead letter" in record.getMessage()] == ["INFO"]


class FailsAtTheEnd(CyclicBehaviour):
    def __init__(self, error):
        super().__init__()
        self.error = error

    async def run(self):
        await self.receive()

    async def on_end(self):
        raise self.error


@pytest.mark.parametrize("error", [RuntimeError("mine"), UsageError("mine")])
async def test_mistakes_of_the_program_are_seen_until_the_end(caplog, error):
    async with Container("c1") as container:
        agent = Agent("a")
        agent.add_behaviour(FailsAtTheEnd(error))
        await container.start(agent)
        await asyncio.sleep(0.01)
    assert "behaviour FailsAtTheEnd of agent a ended with an exception" in caplog.text
    assert [failure.text for failure in container.failure_log] == ["mine"]
