"""Messages from agent to agent: `mobile/one-way`, `mobile/two-way` and `mobile/synchronize`."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, Template
from formicary_bench.experiments.mobile.by_hand import places, tasks
from formicary_bench.experiments.mobile.loops import (
    MakeLoops,
    conducted,
    first_place,
    open_place,
    other_place,
)
from formicary_bench.subjects.ours.containers import prepared, start_agent
from formicary_bench.vocabulary.containers import ASKING, ECHOING
from formicary_bench.vocabulary.roles import BOTH

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"

_MESSAGES, _COUNTED = Template(ontology="measured"), Template(ontology="counted")


class Listen(CyclicBehaviour):
    """Takes messages, and answers those that ask for it."""

    __slots__ = ()

    async def run(self) -> None:
        """Take one."""
        message = await self.receive()
        if message.performative == "request":
            ontology = message.language  # where the answer belongs
            answer = Message(to=message.sender, body=message.body, ontology=ontology, performative="inform")
            await self.send(answer)


class Talk(MakeLoops):
    """Sends messages to one agent."""

    partner = ""

    async def on_start(self) -> None:
        """Say whom it talks to."""
        there = ASKING if self.work.job.role == BOTH else ECHOING
        self.partner = f"listener@{there}.{self.agent.container.platform}"

    def message(self, performative: str, answer_to: str = "conduct") -> Message:
        """Return a message, as new as any."""
        return Message(
            to=self.partner,
            body=self.work.body,
            performative=performative,
            ontology="measured",
            language=answer_to,
        )


class OneWay(Talk):
    """Sends messages without an answer, but to the last, which says that all are there."""

    async def loop(self, count: int) -> float:
        """Send them."""
        start = perf_counter()
        for _ in range(count - 1):
            await self.send(self.message("inform"))
        await self.send(self.message("request"))
        await self.hear()
        return perf_counter() - start


class Synchronize(Talk):
    """Sends a message, and waits for its answer."""

    async def loop(self, count: int) -> float:
        """Send them, one after the other."""
        start = perf_counter()
        for _ in range(count):
            await self.send(self.message("request"))
            await self.hear()
        return perf_counter() - start


class TwoWay(Talk):
    """Sends messages without waiting, while another behaviour of the same agent takes the answers."""

    async def on_start(self) -> None:
        """Begin to take answers."""
        await super().on_start()
        self.taken = TakeAnswers()
        self.agent.add_behaviour(self.taken, _COUNTED)

    async def loop(self, count: int) -> float:
        """Send them, and wait until all are answered."""
        start = perf_counter()
        answered = self.taken.expect(count)
        for _ in range(count):
            await self.send(self.message("request", "counted"))
        await answered
        return perf_counter() - start


class TakeAnswers(CyclicBehaviour):
    """Counts answers."""

    def __init__(self) -> None:
        super().__init__()
        self.missing = 0
        self.answered: asyncio.Future[None] | None = None

    def expect(self, count: int) -> asyncio.Future[None]:
        """Return what is done when so many have come."""
        self.missing = count
        self.answered = asyncio.get_running_loop().create_future()
        return self.answered

    async def run(self) -> None:
        """Take one."""
        await self.receive()
        self.missing -= 1
        if not self.missing and self.answered is not None:
            self.answered.set_result(None)


_LOOPS = {"mobile/one-way": OneWay, "mobile/two-way": TwoWay, "mobile/synchronize": Synchronize}


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have both agents."""
    return tasks.talk(work) if work.configuration.platform == "tasks" else _here(work)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the agent that listens."""
    return places.echo(work) if work.configuration.platform == "tcp" else other_place(work, _start)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the agent that sends."""
    if work.configuration.platform == "tcp":
        return places.ask(work)
    return first_place(work, _LOOPS[work.configuration.experiment](work))


async def _start(home: Container, _: Workload) -> None:
    await start_agent(home, "listener", Listen(), _MESSAGES)


@asynccontextmanager
async def _here(work: Workload) -> AsyncIterator[PreparedRole]:
    async with open_place(work, ASKING) as home:
        await _start(home, work)
        yield prepared(home, work, await conducted(home, _LOOPS[work.configuration.experiment](work)))
