"""Suspended agents: nothing of them runs, and nothing is lost."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Counting, do, start

from formicary import AgentState, Container, Message
from formicary.errors import AgentStateError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


async def test_nothing_of_a_suspended_agent_runs_and_its_messages_wait():
    async def send(behaviour):
        for number in range(3):
            await behaviour.send(Message(to="b", body=str(number)))

    async with Container("c1") as container:
        collect, counting = Collect(), Counting()
        agent = await start(container, "b", collect)
        agent.add_behaviour(counting)
        await asyncio.sleep(0.5)
        agent.suspend()
        await start(container, "a", do(send))
        await asyncio.sleep(10)
        assert (collect.bodies, collect.mailbox_size(), counting.runs) == ([], 3, 1)
        agent.resume()
        await until_idle()
        assert (collect.bodies, counting.runs) == (["0", "1", "2"], 2)


async def test_a_message_in_flight_when_the_agent_is_suspended_waits():
    async def send(behaviour):
        await behaviour.send(Message(to="b", body="x"))
        agent.suspend()

    async with Container("c1") as container:
        collect = Collect()
        agent = await start(container, "b", collect)
        await until_idle()
        await start(container, "a", do(send))
        await asyncio.sleep(5)
        assert (collect.bodies, collect.mailbox_size()) == ([], 1)
        agent.resume()
        await until_idle()
        assert collect.bodies == ["x"]


@pytest.mark.parametrize("kind", ["receive", "sleep", "timeout"])
async def test_time_that_runs_out_while_suspended_is_noticed_after(kind):
    async def wait(behaviour):
        if kind == "receive":
            return await behaviour.receive(timeout=2), now()
        if kind == "sleep":
            return await asyncio.sleep(2), now()
        try:
            async with asyncio.timeout(2):
                await behaviour.receive()
        except TimeoutError:
            return None, now()

    async with Container("c1") as container:
        behaviour = do(wait)
        agent = await start(container, "a", behaviour)
        await asyncio.sleep(1)
        agent.suspend()
        await asyncio.sleep(9)
        assert not behaviour.is_done()
        assert behaviour.result is None
        agent.resume()
        await behaviour.join()
        assert behaviour.result == (None, 10)


async def test_a_message_that_came_in_time_while_suspended_is_received_after():
    async def wait(behaviour):
        return (await behaviour.receive(timeout=5)).body

    async with Container("c1") as container:
        behaviour = do(wait)
        agent = await start(container, "b", behaviour)
        await until_idle()
        agent.suspend()
        await start(container, "a", do(lambda sender: sender.send(Message(to="b", body="x"))))
        await asyncio.sleep(10)
        agent.resume()
        await behaviour.join()
        assert behaviour.result == "x"


async def test_an_agent_that_suspends_itself_stays_where_it_waits_next():
    async def suspend(behaviour):
        behaviour.agent.suspend()
        behaviour.set("went on", "to the next wait")
        await asyncio.sleep(0)
        behaviour.set("went on", "after it")

    async with Container("c1") as container:
        agent = await start(container, "a", do(suspend))
        await asyncio.sleep(5)
        assert agent.get("went on") == "to the next wait"
        agent.resume()
        await until_idle()
        assert agent.get("went on") == "after it"


async def test_a_behaviour_that_is_added_while_suspended_starts_after():
    async with Container("c1") as container:
        agent = await start(container, "a")
        agent.suspend()
        counting = Counting()
        agent.add_behaviour(counting)
        await asyncio.sleep(5)
        assert counting.runs == 0
        agent.resume()
        await until_idle()
        assert counting.runs == 1


async def test_a_behaviour_of_a_suspended_agent_can_be_killed():
    async with Container("c1") as container:
        collect, counting = Collect(), Counting()
        agent = await start(container, "a", collect, counting)
        await asyncio.sleep(0.5)
        agent.suspend()
        collect.kill("a")
        counting.kill("b")
        await collect.join()
        await counting.join()
        assert (collect.exit_code, counting.exit_code, counting.ends) == ("a", "b", 1)
        assert agent.state is AgentState.SUSPENDED


async def test_a_behaviour_that_ends_while_its_agent_is_suspended_ends_when_it_is_stopped():
    async with Container("c1") as container:
        behaviour = Counting()
        agent = await start(container, "a", behaviour)
        await asyncio.sleep(0.25)
        agent.remove_behaviour(behaviour)
        agent.suspend()
        await asyncio.sleep(5)
        assert behaviour.ends == 0
        await agent.stop()
        assert (behaviour.ends, now()) == (1, 5.75)


async def test_an_agent_that_stops_cannot_be_suspended():
    async with Container("c1") as container:
        agent = await start(container, "a", Counting())
        await asyncio.sleep(0.25)
        stopping = asyncio.create_task(agent.stop())
        await asyncio.sleep(0)
        with pytest.raises(AgentStateError, match="agent a is stopping, so it cannot be suspended"):
            agent.suspend()
        await stopping


async def test_an_agent_that_suspends_itself_before_it_receives_gets_its_messages_after():
    async def suspend(behaviour):
        behaviour.agent.suspend()
        return (await behaviour.receive()).body, now()

    async with Container("c1") as container:
        behaviour = do(suspend)
        agent = await start(container, "b", behaviour)
        await start(container, "a", do(lambda sender: sender.send(Message(to="b", body="x"))))
        await asyncio.sleep(5)
        assert behaviour.mailbox_size() == 1
        agent.resume()
        await behaviour.join()
        assert behaviour.result == ("x", 5)


async def test_a_cancellation_waits_until_the_agent_is_resumed():
    async def receive(behaviour):
        behaviour.set("task", asyncio.current_task())
        try:
            await behaviour.receive()
        except asyncio.CancelledError:
            return "cancelled", now()

    async with Container("c1") as container:
        behaviour = do(receive)
        agent = await start(container, "b", behaviour)
        await until_idle()
        agent.suspend()
        agent.get("task").cancel()
        await asyncio.sleep(5)
        assert not behaviour.is_done()
        agent.resume()
        await behaviour.join()
        assert behaviour.result == ("cancelled", 5)
