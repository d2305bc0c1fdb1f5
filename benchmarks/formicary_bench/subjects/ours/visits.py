"""Containers that join, register services and leave, while an agent elsewhere searches for these services.

The searching agent also orders them to come and go, and times how long its own searches take to show it, all
on one clock. A search is stale if it misses services reported as registered, or finds some of containers
reported as gone.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from time import perf_counter, perf_counter_ns
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, OneShotBehaviour
from formicary_bench.experiments.directory.hosts import COUNTED, Visited
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.subjects.ours.containers import endpoint, prepared, start_agent
from formicary_bench.subjects.ours.micro import Idle
from formicary_bench.subjects.ours.operations import Use
from formicary_bench.subjects.ours.services import with_directory
from formicary_bench.vocabulary.places import ASKING, ECHOING, names_on
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

COME, GO = "come", "go"

_TYPE = "visiting"
_SECONDS_BETWEEN = 0.001  # searches
_SECONDS_OF_STAY = 0.02  # between all being seen and the next ones coming


class Host(CyclicBehaviour):
    """Opens and closes containers when told to."""

    def __init__(self, first: Container, work: Workload) -> None:
        super().__init__()
        self.first = first
        self.work = work
        self.visiting = AsyncExitStack()

    async def run(self) -> None:
        """Carry out an order, and report when it is done."""
        order = await self.receive()
        if order.body == COME:
            await self._come()
        else:
            await self.visiting.aclose()
        await self.reply(order, performative="inform")

    async def _come(self) -> None:
        sizes = Visited.of(self.work.configuration)
        for name in names_on(1)[1 : 1 + sizes.containers]:
            visitor = with_directory(self.work, name, join=endpoint(self.first, self.work))
            home = await self.visiting.enter_async_context(visitor)
            owner = Idle("owner")
            await home.start(owner)
            for number in range(sizes.services):
                await owner.directory.register(_TYPE, f"{name}-{number}")


class View:
    """The searching agent's knowledge of containers that come and go."""

    def __init__(self, services: int, counters: dict[str, float]) -> None:
        self._services = services
        self._counters = counters
        self._wanted = 0
        self._since = 0.0
        self._is_told = True
        self.seen = asyncio.Event()

    def order(self, body: str, now: float) -> None:
        """Record that containers were ordered to come or go, and when."""
        self._wanted = self._services if body == COME else 0
        self._since = now
        self._is_told = False
        self.seen.clear()

    def told(self) -> None:
        """Record that they have come or gone."""
        self._is_told = True

    def found(self, services: int, now: float) -> None:
        """Record what a search that ended now has found."""
        self._counters["searches"] += 1
        if services != self._wanted:
            self._counters["stale"] += self._is_told
        elif not self.seen.is_set() and self._since:
            seconds, many = ("joined_s", "joins") if self._wanted else ("left_s", "leaves")
            self._counters[seconds] += now - self._since
            self._counters[many] += 1
            self.seen.set()


class Watch(Use):
    """Searches for all services again and again; arguments as of `Use`, and the view."""

    __slots__ = ("view",)

    def __init__(self, work: Workload, times: PairTimes, begin: asyncio.Event, view: View) -> None:
        super().__init__(work, times, begin)
        self.view = view

    async def once(self, name: str) -> tuple[int, int]:  # noqa: ARG002 -- as of Use
        await asyncio.sleep(_SECONDS_BETWEEN)
        directory = self.agent.directory
        start = perf_counter_ns()
        services = await directory.search(type=_TYPE, max_results=1000)
        end = perf_counter_ns()
        self.view.found(len(services), end / 1e9)
        return start, end


class Conduct(OneShotBehaviour):
    """Orders containers to come and go until the measurement is over."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.begin = asyncio.Event()
        self.is_over = False

    async def run(self) -> None:
        """Give an order, wait until it is done and seen, and repeat."""
        await self.begin.wait()
        while not self.is_over:
            for body in (COME, GO):
                self.view.order(body, perf_counter())
                host = f"host@{ECHOING}.{self.agent.container.platform}"
                await self.ask(Message(to=host, body=body, performative="request"), PATIENCE)
                self.view.told()
                if not self.is_over:
                    await self.view.seen.wait()
                    await asyncio.sleep(_SECONDS_OF_STAY)

    def end(self) -> None:
        """End once the present containers have gone."""
        self.is_over = True
        self.view.seen.set()


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the platform's container, and those that come and go."""
    async with with_directory(work, ECHOING) as home:
        host = Host(home, work)
        await start_agent(home, "host", host)
        async with host.visiting:
            yield prepared(home, work)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the searching agent, and the one that gives orders."""
    sizes = Visited.of(work.configuration)
    work.counters = dict.fromkeys(COUNTED, 0.0)
    async with with_directory(work, ASKING) as home:
        view = View(sizes.containers * sizes.services, work.counters)
        times, conduct = PairTimes(), Conduct(view)
        work.times.append(times)
        watch = Watch(work, times, conduct.begin, view)
        await start_agent(home, "user", watch)
        await start_agent(home, "conductor", conduct)

        async def measure() -> None:
            conduct.begin.set()
            await watch.join()
            conduct.end()
            await conduct.join()

        yield prepared(home, work, measure)
