"""Our micro-agents: one method each."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Container, Message, MicroAgent
from formicary_bench.subjects.ours.behaviours import PairRoles
from formicary_bench.subjects.ours.containers import partner
from formicary_bench.worker.creation import measure_creation
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from formicary_bench.worker.workload import Workload


class MicroResponder(MicroAgent):
    """Answers every message with its body."""

    __slots__ = ()

    def handle(self, message: Message) -> None:
        self.send_nowait(message.make_reply(body=message.body))


class MicroRequester(MicroAgent):
    """Sends a new message after each answer."""

    __slots__ = ("body", "finished", "left", "partner", "start", "started", "took")

    def __init__(
        self, name: str, partner: str, work: Workload, times: PairTimes, finished: Callable[[], None]
    ) -> None:
        super().__init__(name)
        self.partner = partner
        self.body = work.body
        self.left = work.trips
        self.started, self.took = times.starts.append, times.rtts.append
        self.finished = finished
        self.start = 0

    def begin(self) -> None:
        self.start = perf_counter_ns()
        self.send_nowait(Message(to=self.partner, body=self.body, performative="request"))

    def handle(self, message: Message) -> None:
        """Record the time of an answer, and send the next message."""
        start = self.start
        self.took(perf_counter_ns() - start)
        self.started(start)
        self.left = left = self.left - 1
        if left:
            # as in begin(), to save a call per round trip
            self.start = perf_counter_ns()
            self.send_nowait(Message(to=self.partner, body=self.body, performative="request"))
        elif message.body != self.body:
            raise RuntimeError(f"{self.partner} answered {message.body!r:.80}")
        else:
            self.finished()


class Idle(MicroAgent):
    """Does nothing."""

    __slots__ = ()

    def handle(self, message: Message) -> None:
        """Do nothing."""


async def start_echoes(home: Container, work: Workload, kind: type[MicroResponder] = MicroResponder) -> None:
    for number in work.receivers:
        await home.start(kind(f"echo-{number}"))


async def start_asking(
    home: Container,
    work: Workload,
    kind: type[MicroRequester] = MicroRequester,
    named: Callable[[Container, Workload, int], str] = partner,
) -> Callable[[], Awaitable[None]]:
    """Start the asking micro-agents, and return a function that makes all round trips."""
    finished = asyncio.Semaphore(0)
    asking = []
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        agent = kind(f"asker-{number}", named(home, work, number), work, times, finished.release)
        asking.append(agent)
        await home.start(agent)

    async def measure() -> None:
        for agent in asking:
            agent.begin()
        for _ in asking:
            await finished.acquire()

    return measure


ROLES = PairRoles(start_echoes, start_asking)
both, echo, ask, member = ROLES.both, ROLES.echo, ROLES.ask, ROLES.member


@asynccontextmanager
async def create(work: Workload) -> AsyncIterator[PreparedRole]:
    async with Container("c1", seed=work.job.seed) as home:

        async def batch(numbers: range) -> None:
            for number in numbers:
                await home.start(Idle(f"agent-{number}"))

        yield PreparedRole(measure=partial(measure_creation, work, batch))
