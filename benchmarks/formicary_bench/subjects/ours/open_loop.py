"""Agents, sockets and tasks that send by a schedule and do not wait for answers: `messaging/open-loop`.

The answering side is that of closed loops.

The time of a message counts from when it was *due*: if the system was too busy to send it then, it is as slow
as its sender would have seen it. Nothing is left out: late messages are sent at once.
"""

from __future__ import annotations

import asyncio
from array import array
from contextlib import asynccontextmanager, suppress
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, MicroAgent
from formicary_bench.experiments.messaging.open_loop import Paced
from formicary_bench.subjects.baselines import tasks, tcp
from formicary_bench.subjects.ours import behaviours, micro
from formicary_bench.subjects.ours.behaviours import PairRoles
from formicary_bench.subjects.ours.containers import partner, start_agent
from formicary_bench.vocabulary.values import HEAD, LATE, LATEST_US, LOST, schedule
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from formicary import Container
    from formicary_bench.worker.workload import Workload

    Send = Callable[[int, str], Awaitable[None] | None]


LATE_NS = 1_000_000
"""Nanoseconds after which a message counts as late."""

GRACE_SECONDS = 5.0
"""Seconds to wait for answers after the last message."""

_HEAD_START_NS = 20_000_000
_SLEPT_NS = 3_000_000  # event loops keep time to a millisecond; below this, spin
_AT_ONCE = 32  # late messages sent in one turn of the loop


class Pacer:
    """Sends messages when they are due, and records the times of answers."""

    def __init__(self, work: Workload) -> None:
        paced = Paced.of(work.configuration)
        senders = len(work.senders)
        self._work = work
        # Senders alternate: message n is number n // senders of sender n % senders.
        self._plan = schedule(paced.arrivals, paced.rate, senders * work.trips, work.job.seed)
        work.times += [PairTimes() for _ in work.senders]
        self._due = [self._plan[number::senders] for number in work.senders]
        self._rtts = [array("q", [LOST]) * work.trips for _ in work.senders]
        self._rest = work.body[HEAD:]
        self._begin_ns = 0
        self._left = len(self._plan)
        self._complete = asyncio.Event()

    def answered(self, sender: int, body: str | bytes) -> None:
        """Record an answer with the body that was sent."""
        now = perf_counter_ns()
        index = int(body[:HEAD])
        due, rtts = self._begin_ns + self._due[sender][index], self._rtts[sender]
        if rtts[index] != LOST:
            raise RuntimeError(f"message {index} of sender {sender} was answered twice")
        rtts[index] = now - due
        times = self._work.times[sender]
        times.starts.append(due)
        times.rtts.append(now - due)
        self._left -= 1
        if not self._left:
            self._complete.set()

    async def run(self, send: Send) -> None:
        """Send everything, and wait for the answers for a limited time.

        Args:
            send: sends a body from the sender with a number.
        """
        self._begin_ns = begin = perf_counter_ns() + _HEAD_START_NS
        senders = len(self._due)
        at_once = 0
        for number, at_ns in enumerate(self._plan):
            at_once += 1
            if perf_counter_ns() < begin + at_ns or at_once > _AT_ONCE:
                await _until(begin + at_ns)
                at_once = 0
            index, sender = divmod(number, senders)
            self._note(begin + at_ns, index)
            sent = send(sender, f"{index:0{HEAD}d}{self._rest}")
            if sent is not None:
                await sent
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._complete.wait()
        self._hand_over()

    def _note(self, due_ns: int, index: int) -> None:
        """Count a measured message that is sent late."""
        late = perf_counter_ns() - due_ns
        exchange = self._work.exchange
        if late > LATE_NS and 0 <= index - exchange.warm_up < exchange.measured:
            counters = self._work.counters
            counters[LATE] = counters.get(LATE, 0) + 1
            counters[LATEST_US] = max(counters.get(LATEST_US, 0.0), late / 1e3)

    def _hand_over(self) -> None:
        """Record all times in the order in which messages were due; unanswered ones are `LOST`."""
        for times, due, rtts in zip(self._work.times, self._due, self._rtts, strict=True):
            times.starts[:] = array("q", (self._begin_ns + at_ns for at_ns in due))
            times.rtts[:] = rtts


async def _until(due_ns: int) -> None:
    """Wait until a time, giving other tasks at least one turn."""
    await asyncio.sleep(0)
    while (left := due_ns - perf_counter_ns()) > 0:  # noqa: ASYNC110 -- the clock sets no event
        await asyncio.sleep((left - _SLEPT_NS) / 1e9 if left > _SLEPT_NS else 0)


class Collect(CyclicBehaviour):
    """Receives answers."""

    __slots__ = ("take",)

    def __init__(self, take: Callable[[str], None]) -> None:
        super().__init__()
        self.take = take

    async def run(self) -> None:
        message = await self.receive()
        self.take(str(message.body))


class MicroCollect(MicroAgent):
    """Receives answers."""

    __slots__ = ("take",)

    def __init__(self, name: str, take: Callable[[str], None]) -> None:
        super().__init__(name)
        self.take = take

    def handle(self, message: Message) -> None:
        self.take(str(message.body))


class SocketCollect(tcp.Framed):
    """Receives answers from a socket."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        super().__init__()
        self.take = take

    def received(self, frame: bytes) -> None:
        self.take(frame[tcp.LENGTH.size :])

    def send(self, body: str) -> None:
        data = body.encode()
        self.transport.write(tcp.LENGTH.pack(len(data)) + data)


async def _start_asking(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    """Start the agents that receive answers and send when due."""
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
    """Open a connection for each pair."""
    pacer = Pacer(work)
    pairs = [SocketCollect(partial(pacer.answered, number)) for number in work.senders]

    def send(number: int, body: str) -> None:
        pairs[number].send(body)

    async with tcp.connected(pairs, work.job.peer):
        yield PreparedRole(measure=partial(pacer.run, send))


@asynccontextmanager
async def _tasks(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up tasks that answer, and others that receive the answers."""
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
    """Set up both sides in one process."""
    return _tasks(work) if work.configuration.platform == "tasks" else _agents(work).both(work)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up the answering side."""
    return tcp.echo(work) if work.configuration.platform == "tcp" else _agents(work).echo(work)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up the sending side."""
    return _sockets(work) if work.configuration.platform == "tcp" else _agents(work).ask(work)
