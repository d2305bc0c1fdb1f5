"""Loops of an operation: their sizes, and how they are timed."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile import Looped
from formicary_bench.vocabulary.values import laps, smallest_of

if TYPE_CHECKING:
    from formicary_bench.worker.workload import Workload


class Loops:
    """Makes loops; subclasses define the operation."""

    def __init__(self, work: Workload) -> None:
        self.work = work

    @property
    def sizes(self) -> Looped:
        return Looped.of(self.work.configuration)

    async def prepare(self, count: int) -> None:
        """Prepare a loop of `count` operations; this is not timed."""

    async def operate(self, count: int) -> float | None:
        """Make a loop; return its seconds if they differ from those of this call."""
        raise NotImplementedError

    async def clear(self, count: int) -> None:
        """Clean up after a loop; this is not timed."""

    async def make_all(self) -> None:
        """Make all loops, and record their total times."""
        work = self.work
        work.mark(True)
        for size in laps(self.sizes.loop, smallest_of(work.configuration.experiment)):
            await self.prepare(size)
            start = perf_counter()
            own = await self.operate(size)
            seconds = perf_counter() - start
            await self.clear(size)
            work.batches.append((size, seconds if own is None else own, 0))
            work.steps += size
        work.mark(False)
