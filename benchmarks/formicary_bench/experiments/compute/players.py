"""Players that compute: agents, and the same work in plain processes and plain threads.

All start with the measurement: processes, threads and agents' workers are up before.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from asyncio.subprocess import PIPE
from contextlib import asynccontextmanager, suppress
from time import perf_counter
from typing import TYPE_CHECKING

from formicary import Container, OneShotBehaviour
from formicary.errors import FormicaryError
from formicary_bench.experiments.compute.speed_up import Computing
from formicary_bench.experiments.compute.work import compute
from formicary_bench.subjects.ours.containers import running, start_agent
from formicary_bench.vocabulary.places import ASKING
from formicary_bench.vocabulary.values import CPU_SECONDS
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

_SECONDS_TO_END = 5.0


class Compute(OneShotBehaviour):
    """Makes an agent's computations one after another."""

    def __init__(self, work: Workload, begin: asyncio.Event) -> None:
        super().__init__()
        self.work = work
        self.begin = begin

    async def run(self) -> None:
        await self.begin.wait()
        for _ in range(Computing.of(self.work.configuration).loop):
            took = await self.compute(compute)
            self.work.counters[CPU_SECONDS] += took
            self.work.steps += 1


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    players = {"formicary": _agents, "processes": _processes, "threads": _threads}
    work.counters[CPU_SECONDS] = 0.0
    return players[work.configuration.platform](work)


def timed(work: Workload, agents: int, run: Callable[[], Awaitable[None]]) -> PreparedRole:
    """Return a role that measures how long a number of agents run."""

    async def measure() -> None:
        work.mark(True)
        start = perf_counter()
        await run()
        work.batches.append((agents, perf_counter() - start, 0))
        work.mark(False)

    return PreparedRole(measure=measure)


@asynccontextmanager
async def _agents(work: Workload) -> AsyncIterator[PreparedRole]:
    begin = asyncio.Event()
    async with Container(ASKING, seed=work.job.seed) as home:
        computing = [Compute(work, begin) for _ in range(Computing.of(work.configuration).agents)]
        for number, behaviour in enumerate(computing):
            await start_agent(home, f"agent-{number}", behaviour)
        # One worker for each core, and each has computed.
        await asyncio.gather(
            *(home.compute(compute) for _ in range(Computing.of(work.configuration).cores or 1))
        )
        yield timed(work, len(computing), running(begin, *computing))


@asynccontextmanager
async def _processes(work: Workload) -> AsyncIterator[PreparedRole]:
    """Run a process for each core that makes all computations of its agents."""
    sizes = Computing.of(work.configuration)
    agents, loop = sizes.agents, sizes.loop
    many = min(sizes.cores or 1, agents)
    shares = [len(range(number, agents, many)) * loop for number in range(many)]
    async with _started(shares) as children:

        async def run() -> None:
            for child in children:
                assert child.stdin is not None
                child.stdin.write(b"go\n")
            following = (_follow(work, *one) for one in zip(children, shares, strict=True))
            work.counters[CPU_SECONDS] += sum(await asyncio.gather(*following))

        yield timed(work, agents, run)


@asynccontextmanager
async def _started(shares: Sequence[int]) -> AsyncIterator[list[Process]]:
    """Start a process for each share, ready to begin, and end them after the block."""
    children: list[Process] = []
    try:
        for share in shares:
            command = sys.executable, "-m", compute.__module__, str(share)
            children.append(await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE))
        for child in children:
            await _line(child)
        yield children
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()


async def _follow(work: Workload, child: Process, share: int) -> float:
    """Wait for the computations of a process, and return their CPU time in seconds."""
    took = 0.0
    for _ in range(share):
        took += float(await _line(child))
        work.steps += 1
    return took


async def _line(child: Process) -> bytes:
    assert child.stdout is not None
    line = await child.stdout.readline()
    if not line:
        raise FormicaryError(f"a process that computes has ended with exit code {await child.wait()}")
    return line


@asynccontextmanager
async def _threads(work: Workload) -> AsyncIterator[PreparedRole]:
    """Run a thread for each agent."""
    begin, is_over = threading.Event(), threading.Event()

    def run_one() -> float:
        begin.wait()
        took = 0.0
        for _ in range(Computing.of(work.configuration).loop):
            if is_over.is_set():
                break
            took += compute()
            work.steps += 1
        return took

    compute()
    threads = [Thread(run_one) for _ in range(Computing.of(work.configuration).agents)]

    async def run() -> None:
        begin.set()
        for thread in threads:
            await asyncio.to_thread(thread.join)
            work.counters[CPU_SECONDS] += thread.took

    try:
        yield timed(work, len(threads), run)
    finally:
        is_over.set()
        begin.set()
        for thread in threads:
            thread.join(_SECONDS_TO_END)


class Thread(threading.Thread):
    """A running thread that keeps what its function returns.

    Args:
        function: returns the CPU time it took, in seconds.
    """

    def __init__(self, function: Callable[[], float]) -> None:
        super().__init__(daemon=True)
        self._function = function
        self.took = 0.0
        self.start()

    def run(self) -> None:
        self.took = self._function()
