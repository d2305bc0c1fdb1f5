"""Send one message to each of many receivers, wait for all answers, and repeat.

The receivers are those of pairs.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Message, MicroAgent, OneShotBehaviour
from formicary_bench.subjects.baselines import callbacks, tasks, tcp
from formicary_bench.subjects.ours import behaviours, micro
from formicary_bench.subjects.ours.behaviours import PairRoles
from formicary_bench.subjects.ours.containers import partner, running, start_agent
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary import Container
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"


class Broadcast(OneShotBehaviour):
    """Sends all receivers a message, waits for all answers, and repeats."""

    __slots__ = ("begin", "partners", "work")

    def __init__(self, partners: Sequence[str], work: Workload, begin: asyncio.Event) -> None:
        super().__init__()
        self.partners = partners
        self.work = work
        self.begin = begin

    async def run(self) -> None:
        partners, body = self.partners, self.work.body
        (times,) = self.work.times
        await self.begin.wait()
        for _ in range(self.work.trips):
            start = perf_counter_ns()
            for partner_ in partners:
                await self.send(Message(to=partner_, body=body, performative="request"))
            for _ in partners:
                await self.receive()
            times.rtts.append(perf_counter_ns() - start)
            times.starts.append(start)


class Rounds:
    """Makes the rounds of players that are called for every answer."""

    def __init__(self, work: Workload, send: Callable[[], None]) -> None:
        (self._times,) = work.times
        self._send = send
        self._receivers = self._missing = work.configuration.exchange.pairs
        self._left = work.trips
        self._start = 0
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        self._begin()
        await self.finished

    def _begin(self) -> None:
        self._missing = self._receivers
        self._start = perf_counter_ns()
        self._send()

    def answered(self) -> None:
        """Count an answer; the last one begins the next round."""
        self._missing -= 1
        if self._missing:
            return
        self._times.rtts.append(perf_counter_ns() - self._start)
        self._times.starts.append(self._start)
        self._left -= 1
        if self._left:
            self._begin()
        else:
            self.finished.set_result(None)

    def lost(self, error: Exception | None) -> None:
        """Fail if answers are still missing."""
        if not self.finished.done():
            self.finished.set_exception(error or ConnectionError("the receivers closed the connection"))


class MicroBroadcast(MicroAgent):
    """Calls `answered` for every answer."""

    __slots__ = ("answered",)

    answered: Callable[[], None]

    def handle(self, message: Message) -> None:  # noqa: ARG002 -- as of MicroAgent
        self.answered()


class SocketBroadcast(tcp.Framed):
    """Reports the answers of one receiver on its own connection."""

    def __init__(self, rounds: Rounds) -> None:
        super().__init__()
        self.rounds = rounds

    def received(self, frame: bytes) -> None:  # noqa: ARG002 -- as of Framed
        """Count the message."""
        self.rounds.answered()

    def connection_lost(self, error: Exception | None) -> None:
        self.rounds.lost(error)


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up sender and receivers in one process."""
    own = {"tasks": _tasks, "callbacks": _callbacks}.get(work.configuration.platform)
    work.times.append(PairTimes())
    return own(work) if own else _agents(work).both(work)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    return tcp.echo(work) if work.configuration.platform == "tcp" else _agents(work).echo(work)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    work.times.append(PairTimes())
    return _sockets(work) if work.configuration.platform == "tcp" else _agents(work).ask(work)


def _partners(home: Container, work: Workload) -> list[str]:
    return [partner(home, work, number) for number in work.receivers]


async def _start_behaviour(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    begin = asyncio.Event()
    behaviour = Broadcast(_partners(home, work), work, begin)
    await start_agent(home, "asker", behaviour)
    return running(begin, behaviour)


async def _start_micro(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    agent, partners, body = MicroBroadcast("asker"), _partners(home, work), work.body

    def send() -> None:
        for partner_ in partners:
            agent.send_nowait(Message(to=partner_, body=body, performative="request"))

    rounds = Rounds(work, send)
    agent.answered = rounds.answered
    await home.start(agent)
    return rounds.run


_MICRO = PairRoles(micro.start_echoes, _start_micro)
_BEHAVIOURS = PairRoles(behaviours.start_echoes, _start_behaviour)


def _agents(work: Workload) -> PairRoles:
    return _MICRO if work.configuration.kind == "micro" else _BEHAVIOURS


@asynccontextmanager
async def _callbacks(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up functions that answer, all through one run queue."""
    queue: callbacks.Queue = deque()
    put, body, receivers = queue.append, work.body, work.receivers

    def echo_back(message: str) -> None:
        put((answered, message))

    def answered(_: str) -> None:
        rounds.answered()

    def send() -> None:
        for _ in receivers:
            put((echo_back, body))

    rounds = Rounds(work, send)

    async def measure() -> None:
        asyncio.get_running_loop().call_soon(callbacks.drain(queue))
        await rounds.run()

    yield PreparedRole(measure=measure)


@asynccontextmanager
async def _sockets(work: Workload) -> AsyncIterator[PreparedRole]:
    """Open a connection to each receiver."""
    body = work.body.encode()
    frame = tcp.LENGTH.pack(len(body)) + body

    def send() -> None:
        for one in connections:
            one.transport.write(frame)

    rounds = Rounds(work, send)
    connections = [SocketBroadcast(rounds) for _ in work.receivers]
    async with tcp.connected(connections, work.job.peer):
        yield PreparedRole(measure=rounds.run)


@asynccontextmanager
async def _tasks(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up tasks that answer, all to the same channel."""
    here, there = tasks.Channel(), [tasks.Channel() for _ in work.receivers]
    echoes = [asyncio.create_task(tasks.echo(one, here)) for one in there]
    (times,) = work.times
    body = work.body

    async def measure() -> None:
        create_future = asyncio.get_running_loop().create_future
        for _ in range(work.trips):
            start = perf_counter_ns()
            for one in there:
                one.put(body)
            for _ in there:
                if not here.items:
                    here.waiter = create_future()
                    await here.waiter
                here.items.popleft()
            times.rtts.append(perf_counter_ns() - start)
            times.starts.append(start)

    yield PreparedRole(measure=measure)
    await tasks.end(echoes)
