"""Containers that are opened and closed by hand, as in a notebook: twice, at once, too early, or never."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from tests.unit.core.agents import Collect, do, start

from formicary import Agent, AgentState, Container, CyclicBehaviour, Services
from formicary.errors import ContainerClosedError, LinkError
from formicary.testing import MemoryNetwork, until_idle


@pytest.mark.virtual_clock
async def test_it_is_opened_and_closed_by_hand_once_and_again():
    container = await Container("c1").open()
    assert container.is_open
    assert await container.open() is container  # as by a cell that is run again
    agent = await start(container, "a", Collect())
    await container.close()
    assert (agent.state, container.is_open) == (AgentState.GONE, False)
    await container.close()
    with pytest.raises(ContainerClosedError, match="container c1 has already been opened; create a new one"):
        await container.open()


@pytest.mark.virtual_clock
async def test_who_opens_and_closes_at_once_waits_for_the_other():
    class Slow(Collect):
        async def on_end(self):
            await asyncio.sleep(1)

    container = Container("c1", services=Services(directory="central"))
    await asyncio.gather(container.open(), container.open())
    agent = await start(container, "a", Slow())
    closing = asyncio.create_task(container.close())
    await until_idle()
    await container.close()
    assert agent.state is AgentState.GONE
    await closing


@pytest.mark.virtual_clock
async def test_a_block_may_be_left_after_a_close():
    async with Container("c1") as container:
        await container.close()
        assert not container.is_open


@pytest.mark.virtual_clock
async def test_what_was_never_opened_needs_no_close():
    container = Container("c1")
    await container.close()
    await container.open()  # that was no end
    await container.close()


async def test_what_could_not_be_opened_needs_no_close():
    first = await Container("c1", listen="127.0.0.1").open()
    address = first.join_address
    await first.close()
    alone = Container("c2", join=address)
    with pytest.raises(LinkError):
        await alone.open()
    await alone.close()
    with pytest.raises(ContainerClosedError, match="has already been opened"):
        await alone.open()


@pytest.mark.virtual_clock
@pytest.mark.parametrize("where", ["run", "on_end"])
async def test_an_agent_may_close_its_own_container(where):
    class Close(CyclicBehaviour):
        async def run(self):
            if where == "run":
                await self.agent.container.close()
            else:
                self.kill()
            await asyncio.sleep(0)

        async def on_end(self):
            if where == "on_end":
                await self.agent.container.close()

    async with Container("c1") as container:
        agent, other = await start(container, "a", Close()), await start(container, "b", Collect())
        async with asyncio.timeout(5):
            await container.wait_until_finished()
    assert agent.state is other.state is AgentState.GONE


def test_another_event_loop_is_said():
    container = asyncio.run(Container("c1").open())
    sentence = "container c1 was opened in another event loop"
    with pytest.raises(ContainerClosedError, match=sentence):
        asyncio.run(start(container, "a", do(lambda behaviour: behaviour.send)))
    with pytest.raises(ContainerClosedError, match=sentence):
        asyncio.run(container.close())
    container._opening.reminder.detach()


PROGRAM = """
import asyncio
from formicary import Agent, Container, CyclicBehaviour

class Wait(CyclicBehaviour):
    async def run(self):
        await self.receive()

async def main():
    global container
    container = Container("c1", listen="127.0.0.1")
    other = Container("c2", join=(await container.open()).join_address)
    await other.open()
    agent = Agent("a")
    agent.add_behaviour(Wait())
    await container.start(agent)
    {}

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("closes", "warnings"), [("", ["c1", "c2"]), ("await other.close()\n    await container.close()", [])]
)
def test_what_is_never_closed_is_said_once_and_holds_nothing_up(closes, warnings):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(closes)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    said = [line for line in done.stderr.splitlines() if "was not closed" in line]
    assert sorted(line.split()[1] for line in said) == warnings, done.stderr
    assert done.stderr.splitlines() == said


@pytest.mark.virtual_clock
@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_it_knows_the_platform_when_it_is_open(directory):
    network = MemoryNetwork(delay=0.1)
    options = {"server": network, "services": Services(directory=directory)}
    async with Container("c1", **options) as c1, Container("c2", **options) as c2:
        for container, name in ((c1, "one"), (c2, "two")):
            manager = Agent(f"m{name}")
            await container.start(manager)
            await manager.groups.create(name)
            await manager.directory.register(name=name, type=name)
        await asyncio.sleep(1)
        async with Container("c3", **options) as c3:
            assert set(c3.members) == {c1.domain, c2.domain, c3.domain}
            agent = Agent("a")
            await c3.start(agent)
            for name in ("one", "two"):
                assert len(await agent.directory.search(type=name)) == 1
                await agent.groups.request_role(name, "x")


@pytest.mark.virtual_clock
async def test_without_the_platform_s_container_it_is_open_at_once():
    loop = asyncio.get_running_loop()
    began = loop.time()
    async with Container("c2", server=MemoryNetwork()) as container:
        assert loop.time() == began
        assert set(container.members) == {container.domain}


@pytest.mark.virtual_clock
async def test_cancelled_while_it_gets_to_know_the_others_it_is_closed():
    network = MemoryNetwork(delay=1)
    async with Container("c1", server=network) as c1:
        container = Container("c2", server=network)
        opening = asyncio.create_task(container.open())
        await asyncio.sleep(1.5)
        assert not opening.done()
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        assert not container.is_open
        await asyncio.sleep(5)
        assert set(c1.members) == {c1.domain}
