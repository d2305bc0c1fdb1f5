"""Waiting until nobody lives in a container any more."""

from __future__ import annotations

import asyncio

import pytest

from formicary import Agent, Container
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


async def test_without_agents_it_returns_at_once():
    async with Container("c1") as container:
        await container.wait_until_finished()


async def test_it_waits_for_the_last_agent_also_for_one_that_came_later():
    async with Container("c1") as container:
        first, second = Agent("first"), Agent("second")
        await container.start(first)
        waiting = [asyncio.create_task(container.wait_until_finished()) for _ in range(2)]
        await until_idle()
        await container.start(second)
        await first.stop()
        await until_idle()
        assert not any(task.done() for task in waiting)
        await second.stop()
        await asyncio.gather(*waiting)


async def test_who_stops_waiting_does_not_take_the_others_along():
    async with Container("c1") as container:
        agent = Agent("alice")
        await container.start(agent)
        impatient, patient = (asyncio.create_task(container.wait_until_finished()) for _ in range(2))
        await until_idle()
        impatient.cancel()
        await until_idle()
        assert impatient.cancelled()
        assert not patient.done()
        await agent.stop()
        await patient


async def test_a_container_can_be_waited_for_again():
    async with Container("c1") as container:
        for name in "alice", "bob":
            agent = Agent(name)
            await container.start(agent)
            waiting = asyncio.create_task(container.wait_until_finished())
            await until_idle()
            assert not waiting.done()
            await agent.stop()
            await waiting
