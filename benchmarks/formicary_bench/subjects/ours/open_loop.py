"""Agents, sockets and tasks that send by a schedule and do not wait for answers: `messaging/open-loop`.

What answers is the same as in a closed loop.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, MicroAgent
from formicary_bench.subjects.baselines import tasks, tcp
from formicary_bench.subjects.ours import behaviours, micro
from formicary_bench.subjects.ours.containers import partner, start_agent
from formicary_bench.subjects.ours.pairs import PairRoles
from formicary_bench.subjects.pacing import Pacer
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from formicary import Container
    from formicary_bench.worker.workload import Workload


class Collect(CyclicBehaviour):
    """Takes answers."""

    __slots__ = ("take",)

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__()
        self.take = take

    async def run(self) -> None:
        """Take one answer."""
        message = await self.receive()
        self.take(str(message.body))


class MicroCollect(MicroAgent):
    """Takes answers."""

    __slots__ = ("take",)

    def __init__(self, name: str, take: Callable[[str], None]) -> None:
        super().__init__(name)
        self.take = take

    def handle(self, message: Message) -> None:
        """Take one answer."""
        self.take(str(message.body))


class SocketCollect(tcp.Framed):
    """Takes answers from a socket."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        super().__init__()
        self.take = take

    def received(self, frame: bytes) -> None:
        """Take one answer."""
        self.take(frame[tcp.LENGTH.size :])

    def send(self, body: str) -> None:
        """Send a frame."""
        data = body.encode()
        self.transport.write(tcp.LENGTH.pack(len(data)) + data)


async def _start_asking(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    """Start the agents that take answers; they send when it is time."""
    pacer = Pacer(work)
    partners = [partner(home, work, number) for number in work.senders]
    agents: list[Collect | MicroCollect] = []
    for number in work.senders:
        take = partial(pacer.answered, number)
        if work.configuration.kind == "micro":
            one = MicroCollect(f"asker-{number}", take)
            agents.append(one)
            await home.start(one)
        else:
            collect = Collect(take)
            agents.append(collect)
            await start_agent(home, f"asker-{number}", collect)

    async def send(number: int, body: str) -> None:
        await agents[number].send(Message(to=partners[number], body=body, performative="request"))

    return partial(pacer.run, send)


_MICRO = PairRoles(micro.start_echoes, _start_asking)
_BEHAVIOURS = PairRoles(behaviours.start_echoes, _start_asking)


def _agents(work: Workload) -> PairRoles:
    return _MICRO if work.configuration.kind == "micro" else _BEHAVIOURS


@asynccontextmanager
async def _sockets(work: Workload) -> AsyncIterator[PreparedRole]:
    """Connect, once for each pair."""
    pacer = Pacer(work)
    pairs: list[SocketCollect] = []
    try:
        for number in work.senders:
            pairs.append(SocketCollect(partial(pacer.answered, number)))
            await tcp.connect(pairs[-1], work.job.peer)

        def send(number: int, body: str) -> None:
            pairs[number].send(body)

        yield PreparedRole(measure=partial(pacer.run, send))
    finally:
        for pair in pairs:
            pair.transport.close()


@asynccontextmanager
async def _tasks(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up tasks that answer, and others that take the answers."""
    pacer = Pacer(work)
    there = [tasks.Channel() for _ in work.senders]
    here = [tasks.Channel() for _ in work.senders]
    running = [asyncio.create_task(tasks.echo(*ends)) for ends in zip(there, here, strict=True)]
    running += [
        asyncio.create_task(_take(own, partial(pacer.answered, number))) for number, own in enumerate(here)
    ]

    def send(number: int, body: str) -> None:
        there[number].put(body)

    yield PreparedRole(measure=partial(pacer.run, send))
    await tasks.end(running)


async def _take(own: tasks.Channel, take: Callable[[str], None]) -> None:
    while True:
        if not own.items:
            own.waiter = asyncio.get_running_loop().create_future()
            await own.waiter
        take(own.items.popleft())


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up all in one process."""
    return _tasks(work) if work.configuration.platform == "tasks" else _agents(work).both(work)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up the side that answers."""
    return tcp.echo(work) if work.configuration.platform == "tcp" else _agents(work).echo(work)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up the side that sends."""
    return _sockets(work) if work.configuration.platform == "tcp" else _agents(work).ask(work)
