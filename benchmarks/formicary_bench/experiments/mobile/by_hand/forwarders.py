"""What is sent on from a second place to a third, by hand: TCP connections, and tasks instead of agents."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile.by_hand.places import ARRIVE, SWEEP, Carried, Place, decode, encode
from formicary_bench.experiments.mobile.by_hand.tasks import looping
from formicary_bench.subjects.baselines import tcp
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"


class Middle(tcp.Framed):
    """Takes what comes, begins a task for it, and has it sent on.

    Args:
        last: the connection to the third place.
    """

    def __init__(self, last: ToLast) -> None:
        super().__init__()
        self._last = last
        self._arrived: asyncio.Queue[Carried] = asyncio.Queue()
        self._sending: asyncio.Task[None] | None = None

    def received(self, frame: bytes) -> None:
        """Take one; the first of a loop says how many there will be."""
        carried = decode(frame[tcp.LENGTH.size :])
        if carried.left:
            self._sending = asyncio.create_task(self._send_on(carried.left))
        else:
            self._arrived.put_nowait(carried)

    async def _send_on(self, count: int) -> None:
        start = 0.0
        for _ in range(count):
            carried = await self._arrived.get()
            start = start or perf_counter()
            await self._last.ask(ARRIVE, encode(carried))
        took = perf_counter() - start
        await self._last.ask(SWEEP)
        self.transport.write(_frame(repr(took).encode()))


class ToLast(Place):
    """The second place's end of its connection to the third."""

    def __init__(self) -> None:
        super().__init__(self._settle_answer)
        self._answer: asyncio.Future[None] | None = None

    async def ask(self, what: int, content: bytes = b"") -> None:
        """Send something, and wait for the answer."""
        self._answer = asyncio.get_running_loop().create_future()
        self.order(what, content)
        await self._answer

    def _settle_answer(self, _: Carried | None) -> None:
        assert self._answer is not None
        self._answer.set_result(None)


class ToMiddle(tcp.Framed):
    """The first place's end of its connection to the second: answers are the seconds that a loop took."""

    took: asyncio.Future[float]

    def received(self, frame: bytes) -> None:
        """Take an answer."""
        self.took.set_result(float(frame[tcp.LENGTH.size :]))


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the second and the third place."""
    async with AsyncExitStack() as stack:
        endpoint = await stack.enter_async_context(tcp.listening(work, Place))
        last = ToLast()
        await tcp.connect(last, endpoint)
        stack.callback(last.transport.close)
        own = await stack.enter_async_context(tcp.listening(work, partial(Middle, last)))
        yield PreparedRole(own)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the first place."""
    body = work.body.encode()
    middle = ToMiddle()
    await tcp.connect(middle, work.job.peer)

    async def loop(count: int) -> float:
        middle.took = asyncio.get_running_loop().create_future()
        middle.transport.write(_frame(encode(Carried("order", count, b""))))
        for number in range(count):
            middle.transport.write(_frame(encode(Carried(f"forwarded-{number}", 0, body))))
        return await middle.took

    try:
        yield looping(work, loop)
    finally:
        middle.transport.close()


def _frame(content: bytes) -> bytes:
    return tcp.LENGTH.pack(len(content)) + content
