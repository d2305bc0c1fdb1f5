"""Agents sleep in a container that joins another one, and is away for a time."""

from __future__ import annotations

import asyncio

import pytest

from formicary import Agent, AgentState, Container, Services
from formicary.groups.naming import ROLE


@pytest.mark.parametrize("until", [3, 600])
async def test_what_a_sleeper_has_registered_is_there_again_whether_its_time_came_or_not(tmp_path, until):
    path = tmp_path / "sleepers.sqlite"
    async with Container("c1", listen="127.0.0.1") as c1:
        async with Container("c2", join=c1.join_address, services=Services(sleepers=path)) as c2:
            alice = Agent("alice")
            await c2.start(alice)
            await alice.directory.register("printer", "laser")
            await alice.groups.create("printers")
            await c2.management.deactivate("alice", until)
        await asyncio.sleep(3)  # its time comes, or not
        async with Container("c2", join=c1.join_address, services=Services(sleepers=path)) as c2:
            state = AgentState.ACTIVE if until < 600 else AgentState.DEACTIVATED
            async with asyncio.timeout(60):
                while [each.state for each in await c2.management.list_agents("alice")] != [state]:  # noqa: ASYNC110 -- nobody tells
                    await asyncio.sleep(0.01)
            assert [each.name for each in await c2.directory.search(type="printer")] == ["laser"]
            roles = await c2.directory.search(type=ROLE)
            assert {each.agent for each in roles} == {"alice@c2.lab.localhost"}
