"""Loops of an operation: in which sizes they are made, and what is noted of each, whoever makes them."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, Any

from formicary_bench.vocabulary.loops import laps, smallest_of

if TYPE_CHECKING:
    from formicary_bench.worker.workload import Workload


class Loops:
    """Makes loops; subclasses say of which operation.

    Args:
        work: how large the largest is; its `batches` get the total times.
    """

    def __init__(self, work: Workload) -> None:
        self.work = work

    async def prepare(self, count: int) -> None:
        """Do what has to be there before a loop of so many operations, outside its time."""

    async def operate(self, count: int) -> float | None:
        """Make a loop, and return the seconds that it took, unless these are from call to return."""
        raise NotImplementedError

    async def clear(self, count: int) -> None:
        """Take away what is there after a loop, outside its time."""

    async def make_all(self) -> None:
        """Make all loops, and note their total times."""
        work, configuration = self.work, self.work.configuration
        work.mark(True)
        for size in laps(configuration.loop, smallest_of(configuration.experiment)):
            await self.prepare(size)
            start = perf_counter()
            own = await self.operate(size)
            seconds = perf_counter() - start
            await self.clear(size)
            work.batches.append((size, seconds if own is None else own, 0))
            work.steps += size
        work.mark(False)


class Countdown:
    """Counts what comes, and says when all has."""

    left = 0
    _all: asyncio.Future[Any]

    def expect(self, count: int) -> asyncio.Future[Any]:
        """Return what is done when so many have come, with what the last one has brought."""
        self.left, self._all = count, asyncio.get_running_loop().create_future()
        return self._all

    def count(self, brought: object = None) -> None:
        """Count one."""
        self.left -= 1
        if not self.left:
            self._all.set_result(brought)
