"""Copies of agents: what they have, where they begin, and why there is none."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import msgspec
import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import reasons

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.errors import InvalidNameError, ManagementError, MoveError, NameTakenError, UsageError
from formicary.testing import MemoryNetwork


class Sheep(Agent):
    data: list[str]

    def __init__(self, name):
        super().__init__(name)
        self.data = ["wool"]
        self.add_behaviour(Graze())


class Graze(CyclicBehaviour):
    data: int = 0

    async def run(self):
        await self.receive()
        self.data += 1


class Dolly(Sheep):
    async def after_clone(self, original):
        if self.name == "black":
            raise ValueError("not this one")
        if self.name.startswith("slow"):
            await asyncio.sleep(60)
        self.data.append(f"a copy of {original} in {self.container.name}")


class Closed(Sheep):
    def __init__(self, name):
        super().__init__(name)
        self.bell = object()


class Cell(MicroAgent):
    data: int = 7

    def handle(self, message):
        pass


class Divide(OneShotBehaviour):
    """Copies its agent once."""

    async def run(self):
        if self.agent.name == "first":
            await self.agent.container.platform_services.cloning.clone(
                self.agent, self.agent.container.domain, "second", 30.0
            )
        self.agent.set("done", True)


class Dividing(Agent):
    async def setup(self):
        self.add_behaviour(Divide())


@asynccontextmanager
async def platform(**options):
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, accepts=[__name__]) as c1,
        Container("c2", server=network, **{"accepts": [__name__], **options}) as c2,
    ):
        await until(lambda: len(c1.members) == len(c2.members) == 2)
        yield c1, c2


async def clone(container, agent, to, name):
    await container.platform_services.cloning.clone(agent, to.domain, name, 30.0)


@pytest.mark.parametrize("where", ["c1", "c2"])
async def test_a_copy_has_what_the_agent_has_but_its_messages(where):
    async with platform() as (c1, c2):
        there = c1 if where == "c1" else c2
        sheep = Dolly("sheep")
        await c1.start(sheep)
        await until(lambda: sheep.behaviours[0].mailbox.strand.waiting)
        c1.dispatcher.send_nowait(Message(to="sheep", sender=sheep.address))
        await until(lambda: sheep.behaviours[0].data == 1)
        sheep.set("colour", "white")
        sheep.suspend()
        c1.dispatcher.send_nowait(Message(to="sheep", sender=sheep.address))
        await clone(c1, sheep, there, "dolly")
        (dolly,) = [agent for agent in there.agents if agent is not sheep]
        assert dolly.address == f"dolly@{there.domain}"
        assert dolly.data == ["wool", f"a copy of {sheep.address} in {where}"]
        assert (dolly.get("colour"), dolly.state) == ("white", AgentState.SUSPENDED)
        (graze,) = dolly.behaviours
        assert (graze.data, graze.mailbox_size()) == (1, 0)
        assert (sheep.state, sheep.data, sheep.behaviours[0].mailbox_size()) == (
            AgentState.SUSPENDED,
            ["wool"],
            1,
        )
        for agent in (sheep, dolly):
            agent.resume()
        c2.dispatcher.send_nowait(Message(to=dolly.address, sender=f"x@{c2.domain}"))
        await until(lambda: graze.data == 2 and sheep.behaviours[0].data == 2)
        assert reasons(c1) == reasons(c2) == []


@pytest.mark.parametrize("where", ["c1", "c2"])
async def test_why_there_is_no_copy_is_said_and_the_agent_goes_on(where, caplog):
    caplog.set_level("CRITICAL", "formicary")
    async with platform() as (c1, c2):
        there = c1 if where == "c1" else c2
        sheep, closed = Dolly("sheep"), Closed("closed")
        for agent in (sheep, closed):
            await c1.start(agent)
        await there.start(Cell("taken"))
        before = there.agents
        there.platform_services.locations.set(f"away@{there.domain}", (c2 if there is c1 else c1).domain)
        for agent, name, sentence in (
            (
                sheep,
                "taken",
                f"an agent named 'taken' already lives in container {where}; choose another name",
            ),
            (sheep, "away", f"agent away@{where}.lab.localhost now lives in container "),
            (sheep, "black", "its after_clone\\(\\) failed or stopped it"),
            (closed, "open", "its attribute `bell` is not carried"),
        ):
            with pytest.raises(MoveError, match=sentence):
                await clone(c1, agent, there, name)
        with pytest.raises(InvalidNameError):
            await clone(c1, sheep, there, "b b")
        assert there.agents == before
        assert (sheep.state, sheep.data) == (AgentState.ACTIVE, ["wool"])


async def test_a_container_makes_copies_of_what_it_accepts_alone():
    async with platform(accepts=[]) as (c1, c2):
        sheep = Sheep("sheep")
        await c1.start(sheep)
        with pytest.raises(MoveError, match="container c2 accepts no agents"):
            await clone(c1, sheep, c2, "dolly")
        with pytest.raises(MoveError, match="no container for ams@c9"):
            await c1.platform_services.cloning.clone(sheep, "c9.lab.localhost", "dolly", 30.0)


@pytest.mark.virtual_clock
async def test_who_asks_for_a_copy_waits_as_long_as_is_said():
    async with platform() as (c1, c2):
        sheep, management = Dolly("sheep"), c1.management
        await c1.start(sheep)
        unknown = (
            r"^it is not known whether sheep@c1.* was cloned: .*c2.* within 10 s, and may still start it$"
        )
        for doing in (
            sheep.clone("c2", "slow-1", timeout=10),
            management.clone("sheep", "c2", "slow-2", timeout=10),
        ):
            with pytest.raises(MoveError, match=unknown):
                await doing
        with pytest.raises(ManagementError, match=r"c1.* within 9 s; agent slow-3 may still start"):
            await c2.management.clone("sheep@c1", "c2", "slow-3", timeout=9)
        assert await management.clone("sheep", "c2", "slow-4", timeout=100) == f"slow-4@{c2.domain}"
        assert [agent.name for agent in c2.agents] == ["slow-1", "slow-2", "slow-3", "slow-4"]
        with pytest.raises(UsageError, match=r"timeout= must be a number of seconds above 0, .* not 0"):
            await management.clone("sheep", "c2", "other", timeout=0)


async def test_a_micro_agent_is_copied():
    async with platform() as (c1, c2):
        cell = Cell("cell")
        cell.data = 8
        await c1.start(cell)
        await clone(c1, cell, c2, "other")
        assert [(agent.name, agent.data) for agent in c2.agents] == [("other", 8)]


async def test_a_behaviour_may_copy_its_own_agent():
    async with platform() as (c1, _):
        await c1.start(Dividing("first"))
        await until(lambda: [agent.get("done") for agent in c1.agents] == [True, True])
        assert [agent.name for agent in c1.agents] == ["first", "second"]


async def test_only_containers_may_ask():
    async with platform() as (c1, c2):
        answers = []

        class Asker(MicroAgent):
            def handle(self, message):
                answers.append((message.performative, message.body))

        asker = Asker("asker")
        await c1.start(asker)
        order = msgspec.msgpack.encode(["x@c1.lab.localhost", "dolly", None])
        for body in (order, "text"):
            await asker.send(
                Message(to="ams@c2", performative="request", ontology="formicary-mobility", body=body)
            )
        await until(lambda: len(answers) == 2)
        assert {performative for performative, _ in answers} == {"refuse"}
        assert "is not one of the platform's containers" in answers[0][1]
        assert c2.agents == ()


@pytest.mark.parametrize(
    "body",
    [b"", "text", b"\xc1", msgspec.msgpack.encode(["x", "dolly"]), msgspec.msgpack.encode(["x", "dolly", 3])],
)
async def test_what_is_no_order_is_answered_in_a_sentence(body):
    async with platform() as (c1, c2):
        services = c1.platform_services
        message = services.agent.make_request(f"ams@{c2.domain}", body, "formicary-mobility")
        answer = await services.agent.ask(message)
        assert answer.performative == "failure"
        assert "what arrived is not a" in str(answer.body)


async def test_no_agent_takes_the_name_of_one_that_is_away():
    async with platform() as (c1, c2):
        c1.platform_services.locations.set(f"ada@{c1.domain}", c2.domain)
        with pytest.raises(NameTakenError, match="now lives in container c2"):
            await c1.start(Sheep("ada"))
        await asyncio.sleep(0)
        assert c1.agents == ()
