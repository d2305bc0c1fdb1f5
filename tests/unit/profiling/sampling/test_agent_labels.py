"""While it is wanted, agents' names are on the code that runs for them; else nothing is different."""

from __future__ import annotations

import sys

from formicary import Agent, Container, CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.behaviours import Behaviour
from formicary.core.micro import MicroAgent as Micro
from formicary.profiling.model.code_names import mark, unmark
from formicary.profiling.sampling.agent_labels import labelled_agents


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
