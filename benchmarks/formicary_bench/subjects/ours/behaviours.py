"""Our agents with behaviours: one asks in a loop, one echoes."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import FormicaryError
from formicary_bench.subjects.ours.containers import container, partner, prepared, running, start_agent
from formicary_bench.vocabulary.places import ASKING, ECHOING, member_name
from formicary_bench.worker.creation import measure_creation
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from formicary.behaviours import Behaviour
    from formicary_bench.worker.workload import Workload


@dataclass(frozen=True)
class PairRoles:
    """The roles of pairs, given how to start agents and make containers."""

    start_echoes: Callable[[Container, Workload], Awaitable[None]]
    start_asking: Callable[[Container, Workload], Awaitable[Callable[[], Awaitable[None]]]]
    make: Callable[[Workload, str], AbstractAsyncContextManager[Container]] = container

    @asynccontextmanager
    async def both(self, work: Workload) -> AsyncIterator[PreparedRole]:
        async with self._asking(work, ASKING, echoes=True) as role:
            yield role

    @asynccontextmanager
    async def echo(self, work: Workload) -> AsyncIterator[PreparedRole]:
        async with self.make(work, ECHOING) as home:
            await self.start_echoes(home, work)
            yield prepared(home, work)

    @asynccontextmanager
    async def ask(self, work: Workload) -> AsyncIterator[PreparedRole]:
        async with self._asking(work, ASKING) as role:
            yield role

    @asynccontextmanager
    async def member(self, work: Workload) -> AsyncIterator[PreparedRole]:
        """Set up asking agents, and agents that echo to other members."""
        async with self._asking(work, member_name(work.job.member), echoes=True) as role:
            yield role

    @asynccontextmanager
    async def _asking(
        self, work: Workload, name: str, *, echoes: bool = False
    ) -> AsyncIterator[PreparedRole]:
        async with self.make(work, name) as home:
            if echoes:
                await self.start_echoes(home, work)
            measure = await self.start_asking(home, work)
            yield prepared(home, work, measure if work.senders else None)


REQUESTS = Template(performative="request")

PATIENCE = 60.0
"""The timeout for an answer, in seconds."""


async def hear(behaviour: Behaviour, who: str = "a participant") -> Message:
    """Wait for a message to a behaviour, and check that it is not a failure.

    Raises:
        FormicaryError: none arrives, or it is a failure.
    """
    message = await behaviour.receive(timeout=PATIENCE)
    if message is None:
        raise FormicaryError(f"{who} did not answer within {PATIENCE:g} s")
    if message.performative == "failure":
        raise FormicaryError(str(message.body))
    return message


class Responder(CyclicBehaviour):
    """Answers every message with its body."""

    async def run(self) -> None:
        message = await self.receive()
        await self.reply(message, body=message.body)


class Requester(OneShotBehaviour):
    """Sends a new message, waits for the answer, and repeats."""

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
            answer = await self.receive(timeout=PATIENCE)
            took(perf_counter_ns() - start)
            started(start)
        if answer is None or answer.body != body:
            raise RuntimeError(f"{partner} answered {answer!r:.200}")


class Wait(CyclicBehaviour):
    """Waits for messages that nobody sends."""

    __slots__ = ()

    async def run(self) -> None:
        await self.receive()


class WaitAndTell(Wait):
    """Waits as `Wait`, and reports when it begins."""

    __slots__ = ("waits",)

    def __init__(self, waits: asyncio.Future[None]) -> None:
        super().__init__()
        self.waits = waits

    async def on_start(self) -> None:
        self.waits.set_result(None)


async def start_echoes(home: Container, work: Workload) -> None:
    """Start the echoing agents."""
    for number in work.receivers:
        await start_agent(home, f"echo-{number}", Responder(), REQUESTS)


async def start_asking(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    """Start the asking agents, and return a function that makes all round trips."""
    begin = asyncio.Event()
    asking = []
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        asking.append(Requester(partner(home, work, number), work.body, work.trips, times, begin))
        await start_agent(home, f"asker-{number}", asking[-1])
    return running(begin, *asking)


ROLES = PairRoles(start_echoes, start_asking)
both, echo, ask, member = ROLES.both, ROLES.echo, ROLES.ask, ROLES.member


@asynccontextmanager
async def create(work: Workload) -> AsyncIterator[PreparedRole]:
    """Create agents with one waiting behaviour."""
    async with Container("c1", seed=work.job.seed) as home:

        async def batch(numbers: range) -> None:
            last = asyncio.get_running_loop().create_future()
            for number in numbers:
                agent = Agent(f"agent-{number}")
                # Behaviours start in order: when the last one waits, all do.
                agent.add_behaviour(WaitAndTell(last) if number == numbers[-1] else Wait())
                await home.start(agent)
            await last

        yield PreparedRole(measure=partial(measure_creation, work, batch))
