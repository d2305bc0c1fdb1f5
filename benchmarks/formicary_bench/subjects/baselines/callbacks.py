"""The baseline of micro-agents: bare functions that call each other through a run queue."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from formicary_bench.worker.workload import Workload

    Queue = deque[tuple[Callable[[Any], None], Any]]

_TURN = range(256)  # calls in a turn of the loop, as in a container's queue


def drain(queue: Queue) -> Callable[[], None]:
    """Return a function that drains the queue, a batch in each turn of the loop."""
    take, later = queue.popleft, asyncio.get_running_loop().call_soon

    def run() -> None:
        for _ in _TURN:
            function, argument = take()
            function(argument)
            if not queue:
                return
        later(run)

    return run


def pair(
    queue: Queue, body: str, trips: int, times: PairTimes, finished: Callable[[], None]
) -> Callable[[], None]:
    """Return a function that begins one pair's round trips."""
    put = queue.append
    started, took = times.starts.append, times.rtts.append
    start, left = 0, trips

    def echo(message: str) -> None:
        put((ask, message))

    def ask(_: str) -> None:
        nonlocal start, left
        took(perf_counter_ns() - start)
        started(start)
        left -= 1
        if left:
            start = perf_counter_ns()
            put((echo, body))
        else:
            finished()

    def begin() -> None:
        nonlocal start
        start = perf_counter_ns()
        put((echo, body))

    return begin


def star(
    queue: Queue, body: str, trips: int, all_times: list[PairTimes], finished: Callable[[], None]
) -> list[Callable[[], None]]:
    """Return functions that begin each sender's round trips; one function answers all."""
    put = queue.append

    def echo(question: tuple[Callable[[str], None], str]) -> None:
        put(question)

    def sender(times: PairTimes) -> Callable[[], None]:
        started, took = times.starts.append, times.rtts.append
        start, left = 0, trips

        def ask(_: str) -> None:
            nonlocal start, left
            took(perf_counter_ns() - start)
            started(start)
            left -= 1
            if left:
                start = perf_counter_ns()
                put((echo, (ask, body)))
            else:
                finished()

        def begin() -> None:
            nonlocal start
            start = perf_counter_ns()
            put((echo, (ask, body)))

        return begin

    return [sender(times) for times in all_times]


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    queue: Queue = deque()
    finished = asyncio.Semaphore(0)
    work.times += [PairTimes() for _ in work.senders]
    body, trips = work.body, work.trips
    if work.many_to_one:
        beginnings = star(queue, body, trips, work.times, finished.release)
    else:
        beginnings = [pair(queue, body, trips, times, finished.release) for times in work.times]

    async def measure() -> None:
        for begin in beginnings:
            begin()
        asyncio.get_running_loop().call_soon(drain(queue))
        for _ in beginnings:
            await finished.acquire()

    yield PreparedRole(measure=measure)
