"""The same without agents: tasks in one process, and two processes with a TCP connection between them.

A frame is an order and what goes with it. Where an agent would be created, a task is begun that waits; where
one would move, what it carries is encoded, sent, decoded, and a task is begun with it, which goes on.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.mobile.loops import Countdown, Loops
from formicary_bench.experiments.mobile.weighing import weighed, weighing
from formicary_bench.subjects.baselines import tcp
from formicary_bench.subjects.baselines.tasks import Channel, end
from formicary_bench.vocabulary.places import ECHO
from formicary_bench.vocabulary.values import ASLEEP, AT_ONCE, BY_TIME
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from formicary_bench.worker.workload import Workload


_CREATE, _ARRIVE, _RETURN, _SWEEP, _ANSWERED = b"cvrsd"
"""What one place tells the other."""

_HEAD = tcp.LENGTH.size + 1


class Carried(msgspec.Struct, array_like=True):
    """What goes from place to place: a name, how many hops are left, and what is carried."""

    name: str
    left: int
    data: bytes


_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Carried).decode
_decode_names = msgspec.msgpack.Decoder(list[str]).decode


class Place(tcp.Framed):
    """One end of the connection."""

    def __init__(self) -> None:
        super().__init__()
        self._tasks: list[asyncio.Task[None]] = []
        self._unanswered = Countdown()
        self.answers = self._unanswered.expect
        """Returns what is done when so many answers have come, with the last of them."""

    def order(self, what: int, content: bytes = b"") -> None:
        """Send the other end something."""
        self.transport.write(tcp.LENGTH.pack(len(content) + 1) + bytes((what,)) + content)

    async def ask(self, what: int, content: bytes = b"") -> bytes:
        """Send something, wait for the answer, and return that."""
        answer: asyncio.Future[bytes] = self.answers(1)
        self.order(what, content)
        return await answer

    def received(self, frame: bytes) -> None:
        """Handle a frame from the other end."""
        what, content = frame[_HEAD - 1], frame[_HEAD:]
        if what == _ANSWERED:
            self._unanswered.count(content)
        elif what == _RETURN:
            self.begin(self._travel(_decode(content)))
        elif what == _SWEEP:
            waiting, self._tasks = self._tasks, []
            self.begin(self.sweep(waiting))
        else:
            for arrived in _decode_names(content) if what == _CREATE else [_decode(content)]:
                self.begin(_wait(arrived))
            self.order(_ANSWERED)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task."""
        self._tasks.append(asyncio.create_task(work))

    async def sweep(self, waiting: list[asyncio.Task[None]]) -> None:
        """Cancel the tasks that wait here, and confirm it."""
        await end(waiting)
        self.order(_ANSWERED)

    async def _travel(self, carried: Carried) -> None:
        """Handle a traveller that has arrived: it has finished, or returns."""
        self._tasks.clear()  # this one alone
        if self._unanswered.left and not carried.left:
            self._unanswered.count()
            return
        carried.left -= 1
        self.order(_RETURN, _encode(carried))


async def _wait(_: object) -> None:
    await asyncio.get_running_loop().create_future()


class Hand(Loops):
    """Makes the loops of all experiments from the first place."""

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self.place = Place()
        self._operate = {
            "mobile/create-remote": self._create,
            "mobile/dispatch": self._dispatch,
            "mobile/messenger": self._carry_there_and_back,
            "mobile/roam": self._carry,
        }[work.configuration.experiment]
        self._at_once = Looped.of(work.configuration).way == AT_ONCE
        self._body = work.body.encode()
        self._names: list[str] = []
        self._carried: list[Carried] = []

    async def prepare(self, count: int) -> None:
        """Prepare the names to create, or the items to send."""
        if self._operate == self._create:
            self._names = [f"created-{number}" for number in range(count)]
        elif self._operate == self._dispatch:
            self._carried = [Carried(f"dispatched-{number}", 0, self._body) for number in range(count)]

    async def operate(self, count: int) -> None:
        """Make a loop."""
        await self._operate(count)

    async def clear(self, count: int) -> None:
        """Cancel the tasks that wait at the other place."""
        del count
        await self.place.ask(_SWEEP)

    async def _create(self, _: int) -> None:
        for some in [self._names] if self._at_once else ([name] for name in self._names):
            await self.place.ask(_CREATE, _encode(some))

    async def _dispatch(self, count: int) -> None:
        if self._at_once:
            answers = self.place.answers(count)
            for one in self._carried:
                self.place.order(_ARRIVE, _encode(one))
            await answers
        else:
            for one in self._carried:
                await self.place.ask(_ARRIVE, _encode(one))

    async def _carry_there_and_back(self, count: int) -> None:
        await self._carry(2 * count)

    async def _carry(self, hops: int) -> None:
        await self.place.ask(_RETURN, _encode(Carried("traveller", hops - 1, self._body)))


def connected(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up the place of a worker's process."""
    return _echo(work) if work.job.role == ECHO else _ask(work)


@asynccontextmanager
async def _echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the second place."""
    async with tcp.listening(work, Place) as endpoint:
        yield PreparedRole(endpoint)


@asynccontextmanager
async def _ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the first place, which makes the loops."""
    hand = Hand(work)
    async with tcp.connected(hand.place, work.job.peer):
        yield PreparedRole(measure=hand.make_all)


_LITTLE = 0.05  # s


class Wake(Loops):
    """Wakes waiting tasks by timers or by items in their channels."""

    async def make_all(self) -> None:
        """Make all loops, then measure the memory of waiting tasks."""
        await super().make_all()
        count = weighed(self.work.configuration)
        with weighing() as held:
            _, sleeping = await _fall_asleep(count, [])
            self.work.counters[ASLEEP] = held() / count
            await end(sleeping)

    async def operate(self, count: int) -> float:
        """Start `count` waiting tasks, wake them, and return how many seconds that took."""
        go_on = _by_timers if Looped.of(self.work.configuration).way == BY_TIME else _by_channels
        woken: list[float] = []
        channels, sleeping = await _fall_asleep(count, woken)
        everyone = asyncio.gather(*sleeping)
        start = go_on(channels)
        await everyone
        return perf_counter() - min(start, woken[0])  # uvloop's timers are early by a millisecond at most


async def _fall_asleep(count: int, woken: list[float]) -> tuple[list[Channel], list[asyncio.Task[None]]]:
    channels = [Channel() for _ in range(count)]
    sleeping = [asyncio.create_task(_sleep(channel, woken)) for channel in channels]
    await asyncio.sleep(0)  # when it goes on, all of them have begun to wait
    return channels, sleeping


async def _sleep(channel: Channel, woken: list[float]) -> None:
    await channel.take()
    woken.append(perf_counter())


def _by_channels(channels: Sequence[Channel]) -> float:
    """Wake the tasks through their channels, and return when that began."""
    start = perf_counter()
    for channel in channels:
        channel.put(None)
    return start


def _by_timers(channels: Sequence[Channel]) -> float:
    """Set timers that wake all tasks at the same moment, and return that moment."""
    loop = asyncio.get_running_loop()
    due = perf_counter() + _LITTLE
    for channel in channels:
        loop.call_later(due - perf_counter(), channel.put, None)
    return max(due, perf_counter())  # none of them goes on before this one waits


@asynccontextmanager
async def waiting(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up waiting tasks."""
    yield PreparedRole(measure=Wake(work).make_all)
