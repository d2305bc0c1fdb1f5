"""Two processes with one TCP connection: what agents do between two containers, by hand.

A frame is an order and what goes with it. Where an agent would be created, a task is begun that waits; where
one would move, what it carries is encoded, sent, decoded, and a task is begun with it, which goes on.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.experiments.mobile.loops import measure_loops
from formicary_bench.subjects.baselines import tcp
from formicary_bench.subjects.baselines.tasks import end
from formicary_bench.vocabulary.loops import AT_ONCE
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

_TAKE, _ANSWER, _CREATE, ARRIVE, _RETURN, SWEEP = b"tacvrs"
"""What a place is told to do."""

_HEAD = tcp.LENGTH.size + 1


class Carried(msgspec.Struct, array_like=True):
    """What goes from place to place: a name, how many hops are left, and what is carried."""

    name: str
    left: int
    data: bytes


encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Carried).decode
"""To bytes and from them."""

_encode_names, _decode_names = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(list[str]).decode


class Place(tcp.Framed):
    """One end of the connection.

    Args:
        answered: called with each answer; on the side that only answers, never.
    """

    def __init__(self, answered: Callable[[Carried | None], None] | None = None) -> None:
        super().__init__()
        self._answered = answered
        self._tasks: list[asyncio.Task[None]] = []

    def order(self, what: int, content: bytes = b"") -> None:
        """Send the other end something."""
        self.transport.write(tcp.LENGTH.pack(len(content) + 1) + bytes((what,)) + content)

    def received(self, frame: bytes) -> None:
        """Do what the other end has sent."""
        what, content = frame[_HEAD - 1], frame[_HEAD:]
        if what == _TAKE:
            return
        if what == _RETURN:
            self._begin(self._travel(decode(content)))
        elif self._answered is not None:
            self._answered(None)
        elif what == SWEEP:
            self._begin(self._sweep())
        else:
            self._settle(what, content)

    def _settle(self, what: int, content: bytes) -> None:
        if what == _CREATE:
            for name in _decode_names(content):
                self._begin(_wait(name))
        elif what == ARRIVE:
            self._begin(_wait(decode(content)))
        self.order(_ANSWER, content if what == _ANSWER else b"")

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def _travel(self, carried: Carried) -> None:
        """Go on with what has come: it is at home, or goes back."""
        self._tasks.clear()  # this one alone
        if self._answered is not None and not carried.left:
            self._answered(carried)
            return
        carried.left -= 1
        self.order(_RETURN, encode(carried))

    async def _sweep(self) -> None:
        """End all that waits here, and say so."""
        waiting = self._tasks[:-1]
        self._tasks.clear()
        await end(waiting)
        self.order(_ANSWER)


async def _wait(_: object) -> None:
    await asyncio.get_running_loop().create_future()


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Listen at a free port."""
    async with tcp.listening(work, Place) as endpoint:
        yield PreparedRole(endpoint)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Connect to the other place, and make the loops."""
    hand = _Hand(work)
    await tcp.connect(hand.place, work.job.peer)

    async def measure() -> None:
        await measure_loops(work, hand.loops[work.configuration.experiment])

    try:
        yield PreparedRole(measure=measure)
    finally:
        hand.place.transport.close()


class _Hand:
    """Makes the loops of each experiment.

    Args:
        work: what is measured.
    """

    def __init__(self, work: Workload) -> None:
        self.place = Place(self._count)
        self.loops = {
            "mobile/create-remote": self._create,
            "mobile/dispatch": self._dispatch,
            "mobile/one-way": self._one_way,
            "mobile/two-way": self._two_way,
            "mobile/synchronize": self._synchronize,
            "mobile/messenger": self._carry_there_and_back,
            "mobile/roam": self._carry,
        }
        self._at_once = work.configuration.way == AT_ONCE
        self._body = work.body.encode()
        self._missing = 0
        self._done: asyncio.Future[None] | None = None

    def _count(self, _: Carried | None) -> None:
        self._missing -= 1
        if not self._missing and self._done is not None:
            self._done.set_result(None)

    def _answers(self, count: int) -> asyncio.Future[None]:
        """Return what is done when so many answers have come."""
        self._missing, self._done = count, asyncio.get_running_loop().create_future()
        return self._done

    async def _ask(self, what: int, content: bytes = b"") -> None:
        answer = self._answers(1)
        self.place.order(what, content)
        await answer

    async def _create(self, count: int) -> float:
        names = [f"created-{number}" for number in range(count)]
        start = perf_counter()
        if self._at_once:
            await self._ask(_CREATE, _encode_names(names))
        else:
            for name in names:
                await self._ask(_CREATE, _encode_names([name]))
        return await self._swept(start)

    async def _dispatch(self, count: int) -> float:
        carried = [Carried(f"dispatched-{number}", 0, self._body) for number in range(count)]
        start = perf_counter()
        if self._at_once:
            answers = self._answers(count)
            for one in carried:
                self.place.order(ARRIVE, encode(one))
            await answers
        else:
            for one in carried:
                await self._ask(ARRIVE, encode(one))
        return await self._swept(start)

    async def _swept(self, start: float) -> float:
        """Return the seconds until now, and end what has come to wait there."""
        seconds = perf_counter() - start
        await self._ask(SWEEP)
        return seconds

    async def _one_way(self, count: int) -> float:
        start = perf_counter()
        for _ in range(count - 1):
            self.place.order(_TAKE, self._body)
        await self._ask(_ANSWER, self._body)
        return perf_counter() - start

    async def _two_way(self, count: int) -> float:
        start = perf_counter()
        answers = self._answers(count)
        for _ in range(count):
            self.place.order(_ANSWER, self._body)
        await answers
        return perf_counter() - start

    async def _synchronize(self, count: int) -> float:
        start = perf_counter()
        for _ in range(count):
            await self._ask(_ANSWER, self._body)
        return perf_counter() - start

    async def _carry_there_and_back(self, count: int) -> float:
        return await self._carry(2 * count)

    async def _carry(self, hops: int) -> float:
        carried = Carried("traveller", hops - 1, self._body)
        start = perf_counter()
        await self._ask(_RETURN, encode(carried))
        return perf_counter() - start
