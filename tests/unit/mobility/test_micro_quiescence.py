"""Micro-agents come to rest between two messages, and lose none."""

from __future__ import annotations

import asyncio

import pytest

from formicary import Agent, AgentState, Container, Limits, Message, MicroAgent, OneShotBehaviour
from formicary.errors import AgentStateError, MoveError
from formicary.mobility.quiescence import dissolve, own_strand, quiesce, resume
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


class Notes(MicroAgent):
    def __init__(self, name="alice"):
        super().__init__(name)
        self.bodies = []

    def handle(self, message):
        self.bodies.append(message.body)


class Slow(Notes):
    async def handle(self, message):
        await asyncio.sleep(float(message.body))
        super().handle(message)


def write(container, *bodies, to="alice"):
    for body in bodies:
        container.dispatcher.send_nowait(Message(to=to, body=body))


async def started(container, agent):
    await container.start(agent)
    return agent


async def test_what_waits_in_the_queue_and_what_comes_is_handled_later():
    async with Container("c1") as c1:
        agent, other = await started(c1, Notes()), await started(c1, Notes("bob"))
        write(c1, "a", "b")
        write(c1, "x", to="bob")
        await quiesce(agent, None)
        write(c1, "c")
        await until_idle()
        assert (agent.bodies, agent.state, other.bodies) == ([], AgentState.TRANSIT, ["x"])
        resume(agent)
        write(c1, "d")
        await until_idle()
        assert (agent.bodies, agent.state) == ([*"abcd"], AgentState.ACTIVE)


async def test_handlers_get_their_time():
    async with Container("c1") as c1:
        agent = await started(c1, Slow())
        write(c1, "3")
        await asyncio.sleep(1)
        await quiesce(agent, None)
        assert agent.bodies == ["3"]
        resume(agent)


async def test_who_handles_a_message_for_too_long_goes_on():
    async with Container("c1") as c1:
        agent = await started(c1, Slow())
        write(c1, "9")
        await asyncio.sleep(1)
        with pytest.raises(
            MoveError, match="alice cannot move: 1 of its messages are still being handled after 5"
        ):
            await quiesce(agent, None)
        write(c1, "1")
        await asyncio.sleep(5)
        assert (agent.bodies, agent.state) == (["1", "9"], AgentState.ACTIVE)


async def test_the_handler_that_asks_is_at_rest_by_that():
    seen = []

    class Asks(MicroAgent):
        async def handle(self, message):
            await quiesce(self, own_strand(self))
            write(self.container, "later")
            seen.append((message.body, self.state))
            resume(self)

    async with Container("c1") as c1:
        agent = await started(c1, Asks("alice"))
        write(c1, "a")
        await asyncio.sleep(0)
        assert seen[0] == ("a", AgentState.TRANSIT)
        agent.end_at_once()


async def test_who_waits_for_room_in_the_queue_waits_until_the_agent_goes_on():
    class Fire(OneShotBehaviour):
        async def run(self):
            for number in range(4):
                await self.send(Message(to="alice", body=str(number)))

    async with Container("c1", limits=Limits(micro_agents=2)) as c1:
        agent, bob, fire = await started(c1, Notes()), Agent("bob"), Fire()
        bob.add_behaviour(fire)
        write(c1, "x", "y")
        await c1.start(bob)
        await quiesce(agent, None)
        await until_idle()
        assert agent.bodies == []
        resume(agent)
        await until_idle()
        assert agent.bodies == [*"xy0123"]
        assert fire.is_done()


async def test_who_is_killed_while_it_rests_is_gone():
    async with Container("c1") as c1:
        agent = await started(c1, Notes())
        await quiesce(agent, None)
        write(c1, "a")
        await agent.stop()
        assert [letter.message.body for letter in c1.dead_letters] == ["a"]
        assert (agent.state, c1.dispatcher.held) == (AgentState.GONE, {})


async def test_what_is_taken_apart_gives_back_all_that_it_did_not_handle():
    class Asks(Notes):
        async def handle(self, message):
            await quiesce(self, own_strand(self))
            try:
                await asyncio.sleep(1)
            finally:
                with pytest.raises(AgentStateError, match="has moved to c2"):
                    await self.send(Message(to="bob"))
                said.append(message.body)

    async with Container("c1") as c1:
        said = []
        agent = await started(c1, Asks())
        write(c1, *"ab")
        await asyncio.sleep(0)
        write(c1, "c")
        unread = dissolve(agent, "c2.lab.localhost")
        assert ([message.body for message in unread.messages], unread.targets) == (["b", "c"], ())
        await until_idle()
        assert said == ["a"]
        assert c1.agents == ()
        with pytest.raises(AgentStateError, match="has moved to c2"):
            agent.send_nowait(Message(to="bob"))
