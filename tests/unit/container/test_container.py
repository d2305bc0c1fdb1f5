"""Containers: opening, starting agents, and leaving nothing behind."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Deaf, do, start

from formicary import Agent, AgentState, Container, Message, MicroAgent
from formicary.errors import AgentStateError, ContainerClosedError, NameTakenError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


class Noting(Collect):
    """Notes its end, which takes a while."""

    def __init__(self, ends):
        super().__init__()
        self.ends = ends

    async def on_end(self):
        await asyncio.sleep(1)
        self.ends.append(self.agent.name)


async def test_leaving_stops_the_agents_the_latest_first_and_leaves_no_task_behind():
    ends = []
    async with Container("c1") as container:
        agents = [await start(container, name, Noting(ends)) for name in "abc"]
        await container.start(MicroAgent("m"))
        await until_idle()
        assert [agent.name for agent in container.agents] == list("abcm")
    assert ends == list("cba")
    assert all(agent.state is AgentState.GONE for agent in agents)
    assert container.agents == ()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_an_exception_in_the_block_comes_out_after_the_agents_have_stopped():
    ends = []

    async def live():
        async with Container("c1") as container:
            await start(container, "a", Noting(ends))
            await until_idle()
            raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await live()
    assert ends == ["a"]


async def test_a_cancellation_of_the_block_stops_the_agents():
    ends = []

    async def live():
        async with Container("c1") as container:
            await start(container, "a", Noting(ends))
            await start(container, "b", Noting(ends))
            await asyncio.sleep(100)

    task = asyncio.create_task(live())
    await until_idle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ends == ["b", "a"]


async def test_a_second_cancellation_does_not_wait_and_still_leaves_nobody_behind():
    ends = []

    async def live():
        async with Container("c1") as container:
            agents.append(await start(container, "a", Noting(ends)))
            agents.append(await start(container, "b", Noting(ends)))
            agents[0].suspend()
            await asyncio.sleep(100)

    agents = []
    task = asyncio.create_task(live())
    await until_idle()
    task.cancel()
    await until_idle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [agent.state for agent in agents] == [AgentState.GONE] * 2
    await asyncio.sleep(5)
    assert sorted(ends) == ["b"]  # a had not begun
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_agents_may_talk_until_their_end():
    class Goodbye(Collect):
        async def on_end(self):
            await self.send(Message(to="b", body="goodbye"))

    async with Container("c1") as container:
        collect = Collect()
        await start(container, "b", collect)
        await start(container, "a", Goodbye())
        await until_idle()
    assert collect.bodies == ["goodbye"]


async def test_two_agents_of_one_name_are_refused():
    class Slow(Agent):
        async def setup(self):
            await asyncio.sleep(1)

    async with Container("c1") as container:
        await start(container, "a")
        for second in (Agent("a"), MicroAgent("a")):
            with pytest.raises(
                NameTakenError, match="an agent named 'a' already lives in container c1; choose"
            ):
                await container.start(second)
            assert second.state is AgentState.INITIATED
        starting = asyncio.create_task(container.start(Slow("b")))
        await asyncio.sleep(0)
        with pytest.raises(NameTakenError):  # while the first is still set up
            await container.start(Agent("b"))
        await starting
    async with Container("c2") as other:
        await other.start(second)  # whoever was refused may live elsewhere


async def test_a_name_is_free_again_when_its_agent_is_gone():
    async with Container("c1") as container:
        first = await start(container, "a", Deaf())
        await first.stop()
        collect = Collect()
        await start(container, "a", collect)
        await start(container, "b", do(lambda behaviour: behaviour.send(Message(to="a", body="x"))))
        await until_idle()
        assert collect.bodies == ["x"]


async def test_an_agent_is_started_once():
    async with Container("c1") as container, Container("c2") as other:
        agent = await start(container, "a")
        for where in (container, other):
            with pytest.raises(AgentStateError, match="agent a has already been started; create a new one"):
                await where.start(agent)


async def test_outside_of_its_block_a_container_starts_and_sends_nothing():
    container = Container("c1")
    sentence = "container c1 is not open; use `async with container`"
    with pytest.raises(ContainerClosedError, match=sentence):
        await container.start(Agent("a"))
    async with container:
        note = MicroAgent("m")
        await container.start(note)
    with pytest.raises(ContainerClosedError, match=sentence):
        await container.start(Agent("b"))
    with pytest.raises(ContainerClosedError, match="container c1 is not open"):
        note.send_nowait(Message(to="b"))
    with pytest.raises(ContainerClosedError, match="container c1 is not open"):
        await note.send(Message(to="b"))


async def test_a_container_opens_once():
    container = Container("c1")
    async with container:
        with pytest.raises(
            ContainerClosedError, match="container c1 has already been opened; create a new one"
        ):
            async with container:
                pass
        await start(container, "a")  # it is not harmed
    with pytest.raises(ContainerClosedError, match="has already been opened"):
        async with container:
            pass


async def test_several_containers_live_in_one_process():
    async with Container("c1") as one, Container("c2") as two, Container("c1") as same:
        collects = [Collect() for _ in range(3)]
        for container, collect in zip((one, two, same), collects, strict=True):
            await start(container, "b", collect)
            await start(container, "a", do(lambda behaviour: behaviour.send(Message(to="b", body="x"))))
        await until_idle()
        assert [collect.bodies for collect in collects] == [["x"]] * 3


async def test_join_waits_until_nobody_lives_there():
    async with Container("c1") as container:
        await container.wait_until_finished()
        agents = [await start(container, name, Collect()) for name in "ab"]
        joining = [asyncio.create_task(container.wait_until_finished()) for _ in range(2)]
        await agents[0].stop()
        await until_idle()
        assert not any(task.done() for task in joining)
        joining[0].cancel()
        await agents[1].stop()
        await joining[1]


async def test_a_behaviour_without_an_agent_in_a_container_cannot_send():
    behaviour = Collect()
    Agent("a").add_behaviour(behaviour)
    with pytest.raises(ContainerClosedError, match="agent a is not in a container"):
        await behaviour.send(Message(to="b"))


async def test_it_shows_itself():
    async with Container("c1") as container:
        agent = await start(container, "a")
        assert repr(container) == "<Container c1.lab.localhost, 1 agents>"
        assert repr(agent) == "<Agent a@c1.lab.localhost active>"
        assert repr(Agent("b")) == "<Agent b initiated>"
