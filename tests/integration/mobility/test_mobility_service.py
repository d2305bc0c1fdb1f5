"""Agents move between containers, and what becomes of their messages."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.integration.mobility.travellers import (
    HERE,
    Careful,
    Fire,
    Homebody,
    Small,
    Tour,
    Traveller,
    agent_in,
)

from formicary import Agent, AgentState, Container
from formicary.errors import ManagementError, MoveError, NameTakenError, UnknownAgentError, UsageError
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


@asynccontextmanager
async def three():
    """Three containers that are connected."""
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, accepts=HERE) as c1,
        Container("c2", server=network, accepts=HERE) as c2,
        Container("c3", server=network, accepts=HERE) as c3,
    ):
        await until_idle()
        yield c1, c2, c3


async def test_an_agent_moves_and_comes_home():
    async with three() as platform:
        c1, c2, c3 = platform
        await c1.start(alice := Traveller("alice"))
        for place in (c2, c3, c2, c1):
            await alice.move(place.name)
            alice = agent_in(place, "alice")
            assert alice.address == "alice@c1.lab.localhost"
            assert alice.state is AgentState.ACTIVE
        assert alice.data.places == ["c2", "c3", "c2", "c1"]
        assert [each.agents for each in platform] == [(alice,), (), ()]


async def test_a_behaviour_that_moves_its_agent_begins_anew_there():
    async with three() as platform:
        c1, _, c3 = platform
        await c1.start(alice := Traveller("alice"))
        tour = Tour()
        tour.data = ["c2", "c3", "c1", "c3"]
        alice.add_behaviour(tour)
        await until_idle()
        assert agent_in(c3, "alice").data.places == ["c2", "c3", "c1", "c3"]


async def test_a_small_agent_moves_with_what_it_has_counted():
    async with three() as platform:
        c1, c2, _ = platform
        await c1.start(alice := Small("alice"))
        await c1.start(bob := Agent("bob"))
        bob.add_behaviour(Fire("alice@c1"))
        await alice.move("c2")
        await bob.stop()
        await until_idle()
        assert agent_in(c2, "alice").data > 0
        assert c1.dead_letters.total == c2.dead_letters.total == 0


async def test_unread_messages_go_along_and_later_ones_follow():
    async with three() as platform:
        c1, c2, c3 = platform
        await c1.start(alice := Traveller("alice"))
        fires = []
        for number, place in enumerate(platform):
            await place.start(agent := Agent(f"bob{number}"))
            agent.add_behaviour(fire := Fire("alice@c1"))
            fires.append(fire)
        for place in (c2, c3, c1, c3, c2) * 4:
            await asyncio.sleep(0.01)
            await alice.move(place.name)
            alice = agent_in(place, "alice")
        for fire in fires:
            await fire.agent.stop()
        await until_idle()
        received = alice.data.received
        assert len(received) == sum(fire.sent for fire in fires)
        assert sorted(received) == sorted(number for fire in fires for number in range(fire.sent))
        assert sum(each.dead_letters.total for each in platform) == 0


async def test_who_does_not_want_to_or_may_not_stays():
    async with three() as platform:
        c1, c2, c3 = platform
        await c1.start(homebody := Homebody("alice"))
        with pytest.raises(MoveError, match="it likes it here"):
            await homebody.move("c2")
        c2.accepts = ()
        await c1.start(bob := Traveller("bob"))
        with pytest.raises(MoveError, match="agent bob does not move: container c2 accepts no agents"):
            await bob.move("c2")
        with pytest.raises(MoveError, match="agent bob cannot move: container c9 is not reachable"):
            await bob.move("c9")
        with pytest.raises(MoveError, match=r"c2\.example\.org is not a container of the platform"):
            await bob.move("c2.example.org")
        await c1.start(carol := Traveller("carol"))
        await carol.move("c3")
        await c3.start(Agent("dave"))
        with pytest.raises(NameTakenError, match="now lives in container c3; choose another name"):
            await c1.start(Agent("carol"))
        assert homebody.state is bob.state is AgentState.ACTIVE


async def test_an_agent_that_ends_away_from_home_is_gone():
    async with three() as platform:
        c1, _, c3 = platform
        await c1.start(alice := Traveller("alice"))
        await alice.move("c2")
        joining = asyncio.create_task(alice.join())
        assert (await c3.management.find("alice@c1")).container == "c2.lab.localhost"
        await c3.management.kill("alice@c1")
        await joining
        await until_idle()
        with pytest.raises(UnknownAgentError):
            await c3.management.find("alice@c1")
        await c1.start(Agent("alice"))


async def test_a_container_that_ends_takes_its_visitors_along():
    async with three() as platform:
        c1, c2, c3 = platform
        await c1.start(alice := Traveller("alice"))
        await alice.move("c2")
        await c2.close()
        await until_idle()
        await c3.start(bob := Agent("bob"))
        bob.add_behaviour(Fire("alice@c1"))
        await asyncio.sleep(0.01)
        await bob.stop()
        await until_idle()
        assert c1.dead_letters.total > 0
        await c1.start(Agent("alice"))


class Lingers(Agent):
    """Takes its time to end."""

    async def stop(self):
        await asyncio.sleep(1)
        await super().stop()


async def test_what_leaves_a_container_that_closes_is_not_stopped_there():
    async with three() as platform:
        c1, c2, _ = platform
        await c1.start(alice := Traveller("alice"))
        await c1.start(Lingers("bob"))  # the latest ends first
        moving = asyncio.create_task(alice.move("c2"))
        await asyncio.sleep(0)
        await c1.close()
        await moving
        assert c1.failure_log.latest is None
        assert agent_in(c2, "alice").data.places == ["c2"]


async def test_cancelled_before_it_is_decided_it_goes_on():
    async with three() as platform:
        c1, c2, _ = platform
        await c1.start(alice := Traveller("alice"))
        moving = asyncio.create_task(alice.move("c2"))
        await asyncio.sleep(0)
        moving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await moving
        await until_idle()
        assert alice.state is AgentState.ACTIVE
        assert c1.agents == (alice,)
        assert c2.agents == ()
        await alice.move("c2")
        assert agent_in(c2, "alice").data.places == ["c2"]


async def test_killed_on_its_way_it_is_nowhere():
    async with three() as platform:
        c1, c2, _ = platform
        await c1.start(alice := Traveller("alice"))
        moving = asyncio.create_task(alice.move("c2"))
        await asyncio.sleep(0)
        await alice.stop()
        with pytest.raises(MoveError, match="agent alice was stopped before it moved"):
            await moving
        await until_idle()
        assert c1.agents == c2.agents == ()


async def test_one_that_takes_long_before_it_moves_is_waited_for_as_long_as_is_asked_for():
    async with three() as platform:
        c1, c2, c3 = platform
        await c1.start(Careful("alice"))
        for where, to in ((c1, c2), (c2, c3)):
            asking = c3 if to is c2 else c1
            waiting = (
                rf"^ams@{where.domain} has not answered within 30 s; agent alice@{c1.domain} may still move:"
            )
            with pytest.raises(ManagementError, match=waiting):
                await asking.management.move("alice@c1", to.name)
            assert where.agents
            await asyncio.sleep(60)
            assert [agent.name for agent in to.agents] == ["alice"]  # it has
            await asking.management.move("alice@c1", where.name, timeout=90)
            assert [agent.name for agent in where.agents] == ["alice"]
            await asking.management.move("alice@c1", to.name, timeout=90)
        await c1.management.retract("alice", timeout=90)
        assert [agent.name for agent in c1.agents] == ["alice"]


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), "soon", True])
async def test_what_is_no_time_to_wait_is_refused(seconds):
    async with three() as (c1, _, _):
        await c1.start(Traveller("alice"))
        with pytest.raises(UsageError, match="timeout= must be a number of seconds above 0"):
            await c1.management.move("alice", "c2", timeout=seconds)


async def test_many_move_at_once():
    async with three() as platform:
        c1, c2, _ = platform
        agents = [Traveller(f"agent{number}") for number in range(200)]
        for agent in agents:
            await c1.start(agent)
        await asyncio.gather(*(agent.move("c2") for agent in agents))
        assert len(c2.agents) == len(agents)
        assert c1.agents == ()


async def test_nothing_is_made_for_who_does_not_move():
    async with three() as platform:
        c1, c2, c3 = platform
        await c1.start(alice := Traveller("alice"))
        await alice.move("c2")
        assert c1.platform_services._mobility is not None
        assert c2.platform_services._mobility is not None
        assert c3.platform_services._mobility is None
