"""Our agents with behaviours: one asks in a loop, one echoes."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary_bench.subjects.ours.containers import complaint, container, endpoint, meet, partner
from formicary_bench.vocabulary.containers import ASKING, ECHOING, member_name
from formicary_bench.worker.creation import measure_creation
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from formicary_bench.worker.workload import Workload

    Make = Callable[[Workload, str], Container]


class Echo(CyclicBehaviour):
    """Answers every message with its body."""

    __slots__ = ()

    async def run(self) -> None:
        """Answer one message."""
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))


class Ask(OneShotBehaviour):
    """Sends a message, waits for the answer, and again; a new message each time.

    Args:
        partner: the full name of the agent that answers.
        body: the body of each message.
        trips: how many.
        times: where the times go.
        begin: set when all pairs are to begin.
    """

    __slots__ = ("begin", "body", "partner", "times", "trips")

    def __init__(self, partner: str, body: str, trips: int, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__()
        self.partner = partner
        self.body = body
        self.trips = trips
        self.times = times
        self.begin = begin

    async def run(self) -> None:
        """Make all round trips."""
        partner, body = self.partner, self.body
        started, took = self.times.starts.append, self.times.rtts.append
        answer: Message | None = None
        await self.begin.wait()
        for _ in range(self.trips):
            start = perf_counter_ns()
            await self.send(Message(to=partner, body=body, performative="request"))
            answer = await self.receive()
            took(perf_counter_ns() - start)
            started(start)
        if answer is None or answer.body != body:
            raise RuntimeError(f"{partner} answered {answer!r:.200}")


class Wait(CyclicBehaviour):
    """Waits for messages that nobody sends."""

    __slots__ = ()

    async def run(self) -> None:
        """Wait."""
        await self.receive()


class WaitAndTell(Wait):
    """As `Wait`, and says when it begins to.

    Args:
        waits: given a result at that moment.
    """

    __slots__ = ("waits",)

    def __init__(self, waits: asyncio.Future[None]) -> None:
        super().__init__()
        self.waits = waits

    async def on_start(self) -> None:
        """Say it."""
        self.waits.set_result(None)


@asynccontextmanager
async def both(work: Workload, make: Make = container) -> AsyncIterator[PreparedRole]:
    """Have all agents in one container, which `make` makes."""
    async with make(work, ASKING) as home:
        await start_echoes(home, work)
        yield await _start_asking(home, work)


@asynccontextmanager
async def echo(work: Workload, make: Make = container) -> AsyncIterator[PreparedRole]:
    """Have the agents that echo, in a container that `make` makes."""
    async with make(work, ECHOING) as home:
        await start_echoes(home, work)
        yield PreparedRole(endpoint(home, work), complaint=partial(complaint, home, work))


@asynccontextmanager
async def ask(work: Workload, make: Make = container) -> AsyncIterator[PreparedRole]:
    """Have the agents that ask, in a container that `make` makes."""
    async with make(work, ASKING) as home:
        yield await _start_asking(home, work)


@asynccontextmanager
async def member(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have agents that ask, and agents that echo to those of other members."""
    async with container(work, member_name(work.job.member)) as home:
        await start_echoes(home, work)
        yield await _start_asking(home, work)


async def start_echoes(home: Container, work: Workload) -> None:
    """Start the agents that echo."""
    for number in work.receivers:
        agent = Agent(f"echo-{number}")
        agent.add_behaviour(Echo())
        await home.start(agent)


async def _start_asking(home: Container, work: Workload) -> PreparedRole:
    begin = asyncio.Event()
    asking = []
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        asking.append(Ask(partner(home, work, number), work.body, work.trips, times, begin))
        agent = Agent(f"asker-{number}")
        agent.add_behaviour(asking[-1])
        await home.start(agent)

    async def measure() -> None:
        begin.set()
        await asyncio.gather(*(behaviour.join() for behaviour in asking))

    return PreparedRole(
        endpoint(home, work),
        measure if asking else None,
        partial(complaint, home, work),
        partial(meet, home, work),
    )


@asynccontextmanager
async def create(work: Workload) -> AsyncIterator[PreparedRole]:
    """Create agents with one waiting behaviour."""
    async with Container("c1", seed=work.job.seed) as home:

        async def batch(numbers: range) -> None:
            last = asyncio.get_running_loop().create_future()
            for number in numbers:
                agent = Agent(f"agent-{number}")
                # Behaviours start first come, first served: when the last one waits, all do.
                agent.add_behaviour(WaitAndTell(last) if number == numbers[-1] else Wait())
                await home.start(agent)
            await last

        yield PreparedRole(measure=partial(measure_creation, work, batch))
