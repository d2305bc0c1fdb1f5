"""What agents have registered, and the roles that they play, when they live in another container."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.groups.crew import Member, begin, joined

from formicary import AgentState
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock
DESIGNS = ["replica"]


class Host(Member):
    """Has a gatekeeper that is a method."""

    def admit(self, agent, role, pass_key):
        return pass_key == "sesame"


def carry(agent, there, *, is_told=True):
    """Have an agent live in another container; return it, and what tells the former one."""
    here = agent.container
    address = agent.address
    agent.state = AgentState.TRANSIT
    belongings = here.platform_services.belongings.hand_over(address)
    there.platform_services.belongings.check(address, belongings)
    arrived = type(agent)(agent.name)
    arrived.enter_container(there, address)
    there.dispatcher.agents[address] = arrived
    successor = there.platform_services.belongings.take_over(address, belongings)
    arrived.become_active(there.scheduler, 1000)
    del here.dispatcher.agents[address]
    here.dispatcher.routes.pop(address, None)

    def tell():
        here.platform_services.belongings.release(address, successor)

    if is_told:
        tell()
    return arrived, tell


async def found(container, **query):
    services = await container.directory.search(**(query or {"type": "printer"}))
    return [(service.agent, service.name, service.properties.get("pages")) for service in services]


async def settle():
    await until_idle()
    await asyncio.sleep(1)
    await until_idle()


@pytest.mark.parametrize("directory", DESIGNS)
@pytest.mark.parametrize("is_told", [True, False])
async def test_what_is_registered_is_found_once_all_the_while_and_remains_the_agents_own(directory, is_told):
    async with joined("c1", "c2", "c3", directory=directory) as (c1, c2, c3, network):
        network.delay = 0.01
        (alice,) = await begin(c1, "alice")
        await alice.directory.register("printer", properties={"pages": 1})
        await settle()
        expected = [(alice.address, "printer", 1)]
        alice, tell = carry(alice, c2, is_told=is_told)
        for _ in range(10):
            for container in (c1, c2, c3):
                assert await found(container) == expected
            await asyncio.sleep(0.004)
        tell()
        await settle()
        await alice.directory.modify("printer", properties={"pages": 2})
        await alice.directory.register("printer", "second")
        await settle()
        for container in (c1, c2, c3):
            assert sorted(await found(container), key=str) == [
                (alice.address, "printer", 2), (alice.address, "second", None)]  # fmt: skip
        alice, _ = carry(alice, c3)
        alice, _ = carry(alice, c1)
        await settle()
        await alice.directory.deregister("printer")
        await settle()
        for container in (c1, c2, c3):
            assert await found(container) == [(alice.address, "second", None)]
        await alice.stop()
        await settle()
        if directory != "lookup":
            for container in (c1, c2, c3):
                assert await found(container) == []
