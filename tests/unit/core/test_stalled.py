"""A behaviour that receives nothing while its mailbox is full is named, once, with what to do."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.unit.core.agents import do, start

from formicary import Agent, Container, CyclicBehaviour, Limits, Message, PeriodicBehaviour, Template
from formicary.core.stalled import PATIENCE

pytestmark = pytest.mark.virtual_clock

FULL = (
    "is full of 2 messages, none was received for 5 s, and senders to the agent are waiting; "
    "without a template it gets every message for its agent: give it one, or ~Template() if it "
    "only sends"
)


class Tick(PeriodicBehaviour):
    async def run(self):
        await self.send(Message(to="other"))


class Other(CyclicBehaviour):
    async def run(self):
        await self.receive()


class Slow(CyclicBehaviour):
    async def run(self):
        await asyncio.sleep(PATIENCE - 1)
        await self.receive()


def sends(many):
    async def send(behaviour):
        for _ in range(many):
            await behaviour.send(Message(to="b"))

    return do(send)


async def warned(caplog, behaviour, many, template=None, **options):
    caplog.set_level(logging.WARNING, "formicary")
    async with Container("c1", **{"limits": Limits(mailbox=2), **options}) as container:
        await start(container, "other", Other())
        agent = Agent("b")
        agent.add_behaviour(behaviour, template)
        await container.start(agent)
        senders = [sends(many) for _ in range(2)]
        for number, sending in enumerate(senders):
            await start(container, f"a{number}", sending)
        await asyncio.sleep(4 * PATIENCE)
        behaviour.kill()
        await asyncio.sleep(4 * PATIENCE)
    return [record.getMessage() for record in caplog.records if "is full of" in record.getMessage()]


async def test_one_that_only_sends_and_has_no_template_is_named_once(caplog):
    said = await warned(caplog, Tick(1.0), 5)
    assert said == [f"the mailbox of behaviour Tick of agent b {FULL}"]


async def test_one_with_a_template_is_named_too(caplog):
    (said,) = await warned(caplog, Tick(1.0), 5, ~Template(performative="inform"))
    assert said.endswith("; make it receive, or give it a narrower template")


async def test_a_template_that_matches_nothing_is_what_helps(caplog):
    assert not await warned(caplog, Tick(1.0), 5, ~Template())


async def test_one_that_receives_slowly_is_not_named(caplog):
    assert not await warned(caplog, Slow(), 5)


async def test_nobody_is_named_where_there_is_room(caplog):
    assert not await warned(caplog, Tick(1.0), 1)
    assert not await warned(caplog, Tick(1.0), 5, limits=Limits(mailbox=0))


@pytest.mark.parametrize("hold", [Agent.suspend, Agent.wait])
async def test_one_of_an_agent_that_is_held_is_not_named(caplog, hold):
    caplog.set_level(logging.WARNING, "formicary")
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        agent = Agent("b")
        agent.add_behaviour(Other())
        await container.start(agent)
        hold(agent)
        await start(container, "a", sends(5))
        await asyncio.sleep(2 * PATIENCE)
        assert not caplog.records
        assert agent.behaviours[0].mailbox_size() == 2
        await agent.stop()
