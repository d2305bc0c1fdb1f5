"""Containers that come, go, and lose each other for a time, while their agents use the directory.

Some time after all faults, all containers find the same: what living agents offer.
"""

from __future__ import annotations

import asyncio
import contextlib
from types import NoneType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.integration.directory.agents import View, left_behind
from tests.property.searches import at_first

from formicary import Agent, Container, Services
from formicary.errors import FormicaryError
from formicary.testing import MemoryNetwork, until_idle

NAMES = ["c1", "c2", "c3"]
TYPES = ["printer", "scanner"]
SETTLED = 120.0  # s after which all is known: silence shows after 31, a directory that was away after 40


class Place:
    """A container, open or not, with its agents and watchers."""

    def __init__(self, world, name):
        self.world = world
        self.name = name
        self.container = None
        self.agents = []
        self.views = []
        self._changing = asyncio.Lock()

    async def open(self):
        async with self._changing:
            if self.container is None and self.world.network.whole.is_set():
                container = Container(
                    self.name, server=self.world.network, services=Services(directory=self.world.design)
                )
                self.container = await container.__aenter__()

    async def close(self):
        async with self._changing:
            if self.container is None:
                return
            container, self.container = self.container, None
            for agent in self.agents:
                agent.is_alive = False
            self.agents = []
            await container.__aexit__(None, None, None)
            views, self.views = self.views, []
            for view in views:
                await view.__aexit__()

    async def watch(self, type_):
        if self.container is not None:
            view = View(self.container.directory, **({"type": type_} if type_ else {}))
            view.type = type_
            try:
                await view.__aenter__()
            except FormicaryError:
                return
            self.views.append(view)

    async def watch_no_more(self):
        if self.views:
            await self.views.pop(0).__aexit__()

    async def start(self, name):
        if self.container is not None and all(each.agent.name != name for each in self.agents):
            agent = Agent(name)
            self.agents.append(BaseAgent(agent))
            await self.container.start(agent)

    async def stop(self, number):
        if self.agents:
            resident = self.agents.pop(number % len(self.agents))
            resident.is_alive = False
            await resident.agent.stop()


class BaseAgent:
    """An agent, and the services that were confirmed to it."""

    def __init__(self, agent):
        self.agent = agent
        self.offers = {}
        self.is_alive = True
        self._turn = asyncio.Lock()

    async def offer(self, action, type_, name, version):
        async with self._turn:
            if not self.is_alive:
                return
            with contextlib.suppress(FormicaryError):
                directory = self.agent.directory
                if action == "deregister":
                    await directory.deregister(name)
                    self.offers.pop(name, None)
                    if name is None:
                        self.offers.clear()
                else:
                    method = getattr(directory, action)
                    self.offers[name] = await method(type=type_, name=name, properties={"version": version})


class World:
    """All containers, and pending operations."""

    def __init__(self, design):
        self.design = design
        self.network = MemoryNetwork(delay=0.01)
        self.places = [Place(self, name) for name in NAMES]
        self.begun = []

    def begin(self, work):
        self.begun.append(asyncio.create_task(work))

    async def do(self, step, number):
        kind, which, what, extra = step
        place = self.places[which % len(self.places)]
        works = {
            "open": place.open,
            "close": place.close,
            "watch": lambda: place.watch([None, *TYPES][what % 3]),
            "leave": place.watch_no_more,
            "start": lambda: place.start(f"a{what % 2}"),
            "stop": lambda: place.stop(what),
        }
        if kind == "pass":
            await asyncio.sleep([0.005, 0.1, 4.0, 35.0, 70.0][what])
        elif kind in {"cut", "heal", "cancel"}:
            getattr(self, kind)(what)
        elif kind in works:
            self.begin(works[kind]())
        elif place.agents:
            self.offer(place.agents[what % len(place.agents)], kind, extra, number)
        await asyncio.sleep(0)

    def offer(self, resident, kind, extra, number):
        name = None if kind == "deregister" and extra == 3 else f"n{extra % 2}"
        task = asyncio.create_task(resident.offer(kind, TYPES[extra % 2], name, number))
        task.is_offer = True
        self.begun.append(task)

    def cut(self, _):
        self.network.cut()

    def heal(self, _):
        self.network.heal()

    def cancel(self, number):
        offers = [task for task in self.begun if hasattr(task, "is_offer") and not task.done()]
        if offers:
            offers[number % len(offers)].cancel()

    async def settle(self):
        self.network.heal()
        done = await asyncio.gather(*self.begun, return_exceptions=True)
        assert not [it for it in done if not isinstance(it, (NoneType, asyncio.CancelledError))]
        for place in self.places:
            await place.open()
        await asyncio.sleep(SETTLED)
        await until_idle()

    async def check(self):
        residents = [each for place in self.places for each in place.agents]
        offered = {(it.agent, it.name): it for each in residents for it in each.offers.values()}
        domains = {place.container.domain for place in self.places}
        for place in self.places:
            assert set(place.container.members) == domains
            found = await place.container.directory.search(max_results=10_000)
            assert {(it.agent, it.name): it for it in found} == offered
            assert len(found) == len(offered)
            for view in place.views:
                expected = {key: it for key, it in offered.items() if view.type in {None, it.type}}
                assert view.known == expected

    async def end(self):
        self.network.heal()
        for place in self.places:
            for view in place.views:
                await view.__aexit__()
            place.views = []
            for agent in tuple(place.container.agents) if place.container else ():
                await agent.stop()
        await asyncio.sleep(SETTLED)
        for place in self.places:
            if place.container is not None:
                assert left_behind(place.container) == []
        for place in reversed(self.places):
            await place.close()


NUMBERS = st.integers(0, 4)
# What happens often comes more than once.
OFTEN = ["start", "register", "register", "pass"]
KINDS = st.sampled_from(
    ["open", "close", "cut", "heal", "watch", "leave", "stop", "cancel", "modify", "deregister", *OFTEN]
)
STEPS = st.lists(st.tuples(KINDS, NUMBERS, NUMBERS, NUMBERS), max_size=40)


async def run(design, steps):
    world = World(design)
    for place in world.places:
        await place.open()
    for number, step in enumerate(steps):
        await world.do(step, number)
    await world.settle()
    await world.check()
    await world.end()


@pytest.mark.virtual_clock
@at_first(40)
@given(steps=STEPS)
async def test_all_replicas_have_what_living_agents_offer(steps):
    await run("replica", steps)


@pytest.mark.virtual_clock
@at_first(40)
@given(steps=STEPS)
async def test_a_central_directory_has_what_living_agents_offer(steps):
    await run("central", steps)
