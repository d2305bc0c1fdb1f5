"""Random numbers are the system's, or those of a loop in virtual time: then the same each time."""

from __future__ import annotations

import asyncio
import random

from formicary import Agent, Container
from formicary.core import randomness
from formicary.testing import MemoryNetwork, run_virtual


async def numbers():
    """Return what an agent draws, and where the container's questions begin."""
    async with Container("c1", server=MemoryNetwork()) as container:
        agent = Agent("a")
        await container.start(agent)
        return agent.random.random(), container.platform_services.agent.new_name()


def test_they_are_the_systems_where_the_loop_has_none():
    async def ask():
        return randomness.source()

    assert isinstance(randomness.source(), random.SystemRandom)
    assert isinstance(asyncio.run(ask()), random.SystemRandom)
    assert asyncio.run(numbers()) != asyncio.run(numbers())


def test_they_are_the_same_each_time_in_virtual_time_and_others_with_another_seed():
    assert run_virtual(numbers()) == run_virtual(numbers())
    assert run_virtual(numbers(), seed=1) == run_virtual(numbers(), seed=1) != run_virtual(numbers())
