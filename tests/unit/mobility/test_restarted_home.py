"""A home that is restarted while an agent of its own lives elsewhere."""

from __future__ import annotations

import asyncio

import pytest

from formicary import Agent, AgentState, Container, Services
from formicary.errors import NameTakenError
from formicary.testing import MemoryNetwork

pytestmark = pytest.mark.virtual_clock


class Mover(Agent):
    pass


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_it_starts_no_other_of_that_name(directory):
    network = MemoryNetwork(delay=0.1)
    options = {"server": network, "services": Services(directory=directory), "accepts": [__name__]}
    async with Container("c1", **options) as c1, Container("c3", **options) as c3:
        home = await Container("c2", **options).open()
        alice = Mover("alice")
        await home.start(alice)
        await alice.move("c3")
        await network.crash(home)
        await asyncio.sleep(1)
        async with Container("c2", **options) as restarted:
            with pytest.raises(NameTakenError, match="now lives in container c3"):
                await restarted.start(Mover("alice"))
            (there,) = c3.agents
            assert (there.name, there.state) == ("alice", AgentState.ACTIVE)
            assert not c1.agents
