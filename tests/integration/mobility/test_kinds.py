"""An agent comes home, whatever its home accepts from others."""

from __future__ import annotations

import sys
from contextlib import asynccontextmanager

import pytest
from tests.integration.mobility.travellers import HERE, Lights, Small, Tour, Traveller, agent_in

from formicary import Agent, Container, CyclicBehaviour
from formicary.errors import MoveError
from formicary.mobility.kinds import Entrance, find
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


@asynccontextmanager
async def home_and_away(accepts=()):
    """A home that accepts nobody, and a container elsewhere that accepts all."""
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, accepts=accepts) as home,
        Container("c2", server=network, accepts=[HERE]) as away,
    ):
        await until_idle()
        yield home, away


@pytest.mark.parametrize("kind", [Traveller, Small, Agent])
async def test_an_agent_that_was_started_here_comes_back(kind):
    async with home_and_away() as (c1, c2):
        alice = kind("alice")
        if isinstance(alice, Agent):
            alice.add_behaviour(tour := Tour())
            tour.data = []
            alice.add_behaviour(Lights())
        await c1.start(alice)
        for place in (c2, c1, c2, c1):
            await alice.move(place.name)
            alice = agent_in(place, "alice")
        assert type(alice) is kind


async def test_it_comes_back_to_its_home_only():
    async with home_and_away(["json"]) as (c1, c2):
        await c2.start(bob := Traveller("bob"))
        with pytest.raises(MoveError, match=r"container c1 accepts json, but the agent has .*:Traveller"):
            await bob.move("c1")
        await c1.start(alice := Traveller("alice"))
        await alice.move("c2")
        with pytest.raises(MoveError, match="container c1 accepts json"):
            await agent_in(c2, "alice").clone("c1", "carol")
        await agent_in(c2, "alice").move("c1")
        assert [agent.name for agent in c1.agents] == ["alice"]


class Impostor(Traveller):
    pass


async def test_one_of_another_class_does_not_come_in_its_place():
    async with home_and_away() as (c1, c2):
        await c1.start(alice := Traveller("alice"))
        await alice.move("c2")
        agent_in(c2, "alice").__class__ = Impostor
        with pytest.raises(MoveError, match=r"container c1 accepts no agents, but the agent has .*:Impostor"):
            await agent_in(c2, "alice").move("c1")
        assert c1.agents == ()


class Stranger(CyclicBehaviour):
    async def run(self):
        await self.receive()


async def test_it_brings_nothing_along_from_elsewhere():
    async with home_and_away() as (c1, c2):
        await c1.start(alice := Traveller("alice"))
        await alice.move("c2")
        alice = agent_in(c2, "alice")
        alice.add_behaviour(Stranger())
        await until_idle()
        with pytest.raises(MoveError, match=r"the agent has .*test_kinds:Stranger"):
            await alice.move("c1")
        assert agent_in(c2, "alice") is alice


async def test_one_that_has_ended_is_forgotten():
    async with home_and_away() as (c1, c2):
        classes = c1.platform_services.mobility.home_classes
        for _ in range(2):
            await c1.start(alice := Traveller("alice"))
            await alice.move("c2")
            assert list(classes._away) == ["alice@c1.lab.localhost"]
            await agent_in(c2, "alice").stop()
            await until_idle()
            assert classes._away == {}


async def test_modules_that_were_there_before_open_the_way_to_nothing_below_them():
    entrance = Entrance("c1", (), frozenset({"xml"}))
    before = set(sys.modules)
    with pytest.raises(MoveError, match="container c1 accepts no agents"):
        find("xml.sax.expatreader:ExpatParser", Agent, entrance)
    assert set(sys.modules) == before
