"""Programs for SPADE on our containers: those of the driver of stock SPADE, with our package in its place."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary.spade.agent import Agent
from formicary.spade.behaviour import CyclicBehaviour, OneShotBehaviour
from formicary.spade.container import Container as Program
from formicary.spade.message import Message
from formicary_bench.subjects.ours.behaviours import PATIENCE, PairRoles
from formicary_bench.subjects.ours.containers import container
from formicary_bench.worker.creation import measure_creation
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"


class Responder(CyclicBehaviour):
    """Answers every message with its body."""

    async def run(self) -> None:
        message = await self.receive(timeout=PATIENCE)
        if message is not None:
            reply = message.make_reply()
            reply.body = message.body
            await self.send(reply)


class Requester(OneShotBehaviour):
    """Sends a new message, waits for the answer, and repeats."""

    def __init__(self, partner: str, work: Workload, times: PairTimes, begin: asyncio.Event) -> None:
        super().__init__()
        self.partner = partner
        self.work = work
        self.times = times
        self.begin = begin

    async def run(self) -> None:
        """Make all round trips."""
        partner, body = self.partner, self.work.body
        started, took = self.times.starts.append, self.times.rtts.append
        answer: Message | None = None
        await self.begin.wait()
        for _ in range(self.work.trips):
            start = perf_counter_ns()
            await self.send(Message(to=partner, body=body, metadata={"performative": "request"}))
            answer = await self.receive(timeout=PATIENCE)
            took(perf_counter_ns() - start)
            started(start)
        if answer is None or answer.body != body:
            raise RuntimeError(f"{partner} answered {answer!r:.200}")


class Wait(CyclicBehaviour):
    """Waits for messages that nobody sends.

    Args:
        waits: a future that is done when waiting begins; None for none.
    """

    def __init__(self, waits: asyncio.Future[None] | None = None) -> None:
        super().__init__()
        self.waits = waits

    async def on_start(self) -> None:
        if self.waits is not None:
            self.waits.set_result(None)

    async def run(self) -> None:
        await self.receive(timeout=PATIENCE)


@asynccontextmanager
async def program(work: Workload, name: str) -> AsyncIterator[Container]:
    """Open the container of a program for SPADE."""
    home = container(work, name)
    Program().opener = lambda: home
    async with Program().opened():
        yield home


async def _start(name: str, behaviour: CyclicBehaviour) -> None:
    agent = Agent(f"{name}@localhost", "no password")
    agent.add_behaviour(behaviour)
    await agent.start()


async def start_echoes(home: Container, work: Workload) -> None:
    del home  # agents find it on their own
    for number in work.receivers:
        await _start(f"echo-{number}", Responder())


async def start_asking(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    """Start the asking agents, and return a function that makes all round trips."""
    del home
    begin = asyncio.Event()
    asking = []
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        asking.append(Requester(f"echo-{work.receiver_of(number)}@localhost", work, times, begin))
        await _start(f"asker-{number}", asking[-1])

    async def measure() -> None:
        begin.set()
        for behaviour in asking:
            await behaviour.join()
        if failed := [each.exit_code for each in asking if isinstance(each.exit_code, Exception)]:
            raise failed[0]

    return measure


ROLES = PairRoles(start_echoes, start_asking, program)
both, echo, ask = ROLES.both, ROLES.echo, ROLES.ask


@asynccontextmanager
async def create(work: Workload) -> AsyncIterator[PreparedRole]:
    """Create agents with one waiting behaviour."""
    async with program(work, "c1"):

        async def batch(numbers: range) -> None:
            last = asyncio.get_running_loop().create_future()
            for number in numbers:
                # Behaviours start in order: when the last one waits, all do.
                await _start(f"agent-{number}", Wait(last if number == numbers[-1] else None))
            await last

        yield PreparedRole(measure=partial(measure_creation, work, batch))
