"""While it is wanted, agents' names are on the code that runs for them; else nothing is different."""

from __future__ import annotations

import asyncio
import contextlib
import sys

import pytest
import uvloop

from formicary import Agent, Container, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.behaviours import Behaviour
from formicary.core.micro import MicroAgent as Micro
from formicary.profiling.model.code_names import mark, unmark
from formicary.profiling.sampling.agent_labels import labelled_agents
from formicary.protocols import ContractNet, Inform, Propose, QueryRef, Request, responds


def agents_on_the_stack():
    frame, found = sys._getframe(1), []
    while frame is not None:
        if agent := unmark(frame.f_code.co_qualname)[0]:
            found.append(agent)
        frame = frame.f_back
    return found


class Look(OneShotBehaviour):
    async def run(self):
        self.set("seen", agents_on_the_stack())


class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        self.set("seen", agents_on_the_stack())
        await self.reply(message)


class Cell(MicroAgent):
    seen: list[str]

    def handle(self, message: Message, *, extra: str = "default") -> None:
        self.seen = agents_on_the_stack()
        self.extra = extra


class Slow(MicroAgent):
    seen: list[str]

    async def handle(self, message: Message) -> None:
        self.seen = agents_on_the_stack()


async def look(container, name):
    agent = Agent(name)
    behaviour = Look()
    agent.add_behaviour(behaviour)
    await container.start(agent)
    await behaviour.join()
    return agent.get("seen")


async def test_a_behaviours_name_is_on_the_stack_only_while_it_is_wanted():
    async with Container("c1") as container:
        assert await look(container, "before") == []
        with labelled_agents():
            assert await look(container, "bob") == ["bob/Look"]
        assert await look(container, "after") == []


async def test_who_started_within_the_block_keeps_the_name_and_who_did_before_has_none():
    async with Container("c1") as container:
        agents = [Agent("early"), Agent("late")]
        for agent in agents:
            agent.add_behaviour(Echo())
        await container.start(agents[0])
        with labelled_agents():
            await container.start(agents[1])
        asking = Agent("asking")
        await container.start(asking)
        for agent in agents:
            ask = _Ask(agent.address)
            asking.add_behaviour(ask)
            await ask.join()
        assert [agent.get("seen") for agent in agents] == [[], ["late/Echo"]]


class _Ask(OneShotBehaviour):
    def __init__(self, to):
        super().__init__()
        self.to = to

    async def run(self):
        await self.send(Message(to=self.to))
        await self.receive()


async def test_micro_agents_plain_and_asynchronous():
    async with Container("c1") as container:
        with labelled_agents():
            cell, slow = Cell("cell"), Slow("slow")
            await container.start(cell)
            await container.start(slow)
            asking = Agent("asking")
            await container.start(asking)
            for agent in (cell, slow):
                send = _Tell(agent)
                asking.add_behaviour(send)
                await send.join()
        assert (cell.seen, cell.extra, slow.seen) == (["cell"], "default", ["slow"])


class _Tell(_Ask):
    async def run(self):
        await self.send(Message(to=self.to.address))
        while not hasattr(self.to, "seen"):
            await self.receive(timeout=0.001)


def test_the_platforms_own_methods_are_put_back():
    before = Behaviour.__dict__["start_strand"], Micro.__dict__["become_active"]
    with labelled_agents():
        assert Behaviour.__dict__["start_strand"] is not before[0]
    assert (Behaviour.__dict__["start_strand"], Micro.__dict__["become_active"]) == before


def test_names_come_back():
    assert unmark(mark("bob/Trader", "Behaviour._main")) == ("bob/Trader", "Behaviour._main")
    assert unmark("Behaviour._main") == ("", "Behaviour._main")


class Maker(OneShotBehaviour):
    """Makes a task that makes another, and has a library of asyncio's make a third."""

    async def run(self):
        self.set("here", agents_on_the_stack())
        self.set("task", await asyncio.create_task(self.outer(), name="outer"))
        [gathered] = await asyncio.gather(self.inner())
        self.set("gathered", gathered)
        never = asyncio.create_task(self.inner())
        never.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await never

    async def outer(self):
        await asyncio.sleep(0)
        return await asyncio.create_task(self.inner()), agents_on_the_stack()

    async def inner(self):
        await asyncio.sleep(0)
        return agents_on_the_stack()


async def make_tasks(container, name):
    agent = Agent(name)
    behaviour = Maker()
    agent.add_behaviour(behaviour)
    await container.start(agent)
    await behaviour.join()
    return agent


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_tasks_that_an_agent_makes_have_its_name(new_loop):
    async def main():
        async with Container("c1") as container:
            with labelled_agents():
                agent = await make_tasks(container, "bob")
                other = asyncio.create_task(Maker().inner())
                assert await other == []
            assert agent.get("task") == (["bob/Maker"], ["bob/Maker"])
            assert agent.get("gathered") == ["bob/Maker"]
            after = await make_tasks(container, "after")
            assert (after.get("task"), after.get("gathered")) == (([], []), [])

    kinds = (asyncio.BaseEventLoop, uvloop.Loop)
    before = [vars(kind).get("create_task") for kind in kinds]
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())
    assert [vars(kind).get("create_task") for kind in kinds] == before


class Answering(Agent):
    """Answers by a function, and by one that waits, whose own task waits, too."""

    @responds(Request)
    def plain(self, message: Message) -> str:
        return str(agents_on_the_stack())

    @responds(QueryRef)
    async def slow(self, message: Message) -> str:
        before = agents_on_the_stack()
        await asyncio.sleep(0)
        return str((before, agents_on_the_stack(), await asyncio.create_task(Maker().inner())))


class Bidding(MicroAgent):
    """Answers in several steps."""

    def handle(self, message: Message) -> None:
        """Get no message but of conversations."""

    @responds(ContractNet)
    async def bid(self, message: Message):
        yield Propose(str(agents_on_the_stack()))
        await asyncio.sleep(0)
        yield Inform(str(agents_on_the_stack()))


async def test_what_answers_by_a_protocol_has_the_agents_name():
    async with Container("c1") as container:
        with labelled_agents():
            bob, bidder = Answering("bob"), Bidding("bidder")
            await container.start(bob)
            await container.start(bidder)
            once = ["bob/responds"]
            assert (await container.request(bob.address)).body == str(once)
            assert (await container.query_ref(bob.address)).body == str((once, once, once))
            async with container.contract_net([bidder.address], timeout=30) as net:
                [bid] = [bid async for bid in net.bids]
                assert bid.body == str(["bidder/responds"])
                assert (await net.award(bid)).body == str(["bidder/responds"])
        late = Answering("late")
        await container.start(late)
        assert (await container.request(late.address)).body == "[]"
