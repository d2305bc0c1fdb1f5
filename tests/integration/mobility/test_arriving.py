"""Agents that arrive: first comes what they bring along, and they can be ended before they have begun."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.integration.mobility.travellers import HERE, Traveller, agent_in
from tests.unit.core.agents import reasons

from formicary import Container, Message, MicroAgent
from formicary.mobility.handover.exchange import Proceed, Step
from formicary.mobility.handover.instructions import Wake
from formicary.testing import MemoryNetwork

pytestmark = pytest.mark.virtual_clock

C1, C2 = "c1.lab.localhost", "c2.lab.localhost"
ALICE = f"alice@{C1}"


class Slow(Traveller):
    """Takes its time to arrive."""

    async def after_move(self, origin):
        await asyncio.sleep(10)
        await super().after_move(origin)


@asynccontextmanager
async def two():
    """Open two containers, a second away from each other."""
    network = MemoryNetwork(delay=1.0)
    async with (
        Container("c1", server=network, accepts=[HERE]) as c1,
        Container("c2", server=network, accepts=[HERE]) as c2,
    ):
        await asyncio.sleep(10)
        yield c1, c2


async def say(container, numbers):
    """Have somebody in a container write numbers to alice."""
    teller = MicroAgent(f"teller{numbers[0]}")
    await container.start(teller)
    for number in numbers:
        await teller.send(Message(to=ALICE, body=str(number)))


def hold_back(container, step):
    """Have no event of one step go out of a container; return what does not."""
    machine = container.platform_services._mobility.machine
    tell, held = machine._shared.tell, []

    def tell_others(domain, event):
        if getattr(event, "step", None) is step:
            held.append((domain, event))
        else:
            tell(domain, event)

    machine._shared.tell = tell_others
    return held


def kill(container, address):
    """Have a container told by c1 that an agent on its way was killed."""
    mobility = container.platform_services._mobility
    number = mobility.machine.destination.arrivals[address].number
    mobility.machine.destination.proceed(C1, Proceed(address, number, Step.KILL))
    mobility.act()


async def leave_with_unread(c1, c2, kind):
    """Have alice leave c1 with unread messages, of which c2 does not hear that they are all."""
    alice = kind("alice")
    await c1.start(Traveller("other"))
    await agent_in(c1, "other").move("c2")  # which makes what moves agents
    held = hold_back(c1, Step.BROUGHT)
    await c1.start(alice)
    alice.suspend()
    await say(c1, [1, 2, 3])
    moving = asyncio.create_task(alice.move("c2"))
    await asyncio.sleep(20)
    assert [(domain, event.address) for domain, event in held] == [(C2, ALICE)]
    assert "alice" not in [agent.name for agent in c2.agents]
    return moving


async def test_it_begins_when_all_has_come_that_it_brings_along():
    async with two() as (c1, c2):
        moving = await leave_with_unread(c1, c2, Traveller)
        await say(c2, [4, 5])
        c2.platform_services._mobility.link_ended("c3.lab.localhost")
        assert not moving.done()
        c2.platform_services._mobility.link_ended(C1)
        await moving
        alice = agent_in(c2, "alice")
        alice.resume()
        await asyncio.sleep(10)
        assert alice.data.received == [1, 2, 3, 4, 5]


async def test_killed_before_all_has_come_it_does_not_begin():
    async with two() as (c1, c2):
        moving = await leave_with_unread(c1, c2, Traveller)
        kill(c2, ALICE)
        await moving
        await asyncio.sleep(10)
        assert "alice" not in [agent.name for agent in c2.agents]
        assert reasons(c2)[:3] == [f"{ALICE} has ended in container c2"] * 3
        await c1.start(Traveller("alice"))


async def test_killed_while_after_move_runs_it_ends_at_once():
    async with two() as (c1, c2):
        await c1.start(alice := Slow("alice"))
        moving = asyncio.create_task(alice.move("c2"))
        await asyncio.sleep(8)
        assert not moving.done()
        assert c2.agents == ()
        kill(c2, ALICE)
        await moving
        assert c2.agents == ()
        await asyncio.sleep(20)
        assert (c1.agents, c2.agents) == ((), ())
        await c1.start(Traveller("alice"))


async def test_killed_when_after_move_is_about_to_run_it_ends():
    async with two() as (c1, c2):
        await c1.start(Traveller("other"))
        await agent_in(c1, "other").move("c2")  # which makes what moves agents
        mobility = c2.platform_services._mobility
        wake = mobility._perform[Wake]

        def wake_and_kill(instruction):
            wake(instruction)
            number = instruction.arrival.number
            mobility.machine.destination.proceed(C1, Proceed(ALICE, number, Step.KILL))

        mobility._perform[Wake] = wake_and_kill
        await c1.start(alice := Slow("alice"))
        await alice.move("c2")
        await asyncio.sleep(20)
        assert "alice" not in [agent.name for agent in c2.agents]
        assert not mobility.machine.destination.arrivals
        await c1.start(Traveller("alice"))


async def test_it_leaves_when_its_destination_can_be_told_so_at_once(monkeypatch):
    async with two() as (c1, c2):
        await c1.start(alice := Traveller("alice"))
        transport = c1.dispatcher.transport
        with monkeypatch.context() as patch:
            patch.setattr(transport, "takes_control", lambda _: False)
            moving = asyncio.create_task(alice.move("c2"))
            await asyncio.sleep(20)
            assert c1.agents == (alice,)
            assert not moving.done()
        await moving
        assert c1.agents == ()
        assert agent_in(c2, "alice").data.places == ["c2"]
