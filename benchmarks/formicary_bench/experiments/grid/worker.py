"""The process that has a grid, or begins it and hears from its parts where it is over several containers."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from formicary import Container
from formicary.errors import FormicaryError
from formicary_bench.experiments.grid import apart
from formicary_bench.experiments.grid.by_hand import Board
from formicary_bench.experiments.grid.cells import Cell, Grid, sums_of
from formicary_bench.vocabulary.containers import ASKING
from formicary_bench.vocabulary.grid import COPIED, HELD, active_of
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

_LOOK_SECONDS = 0.2
_LOOKED_AT = 100  # cells


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have all cells."""
    return apart.grid(work) if work.configuration.containers > 1 else _here(work)


@asynccontextmanager
async def _here(work: Workload) -> AsyncIterator[PreparedRole]:
    is_over = asyncio.Event()
    async with AsyncExitStack() as stack:
        if work.configuration.platform == "callbacks":
            grid = _by_hand(work, is_over)
        else:
            grid = await _of_agents(work, is_over, stack)

        async def measure() -> None:
            many = len(grid.cells)
            starters = random.Random(work.job.seed)
            grid.choose(starters.sample(range(many), active_of(work.configuration.dimension)))
            work.mark(True)
            grid.begin()
            before = work.steps
            await _until(is_over, grid, work)
            work.steps = before + grid.tally.requests
            work.mark(False)
            work.tally = grid.tally
            work.counters[HELD] = _held()
            if not await grid.rest() or grid.sums() != sums_of(many):
                raise FormicaryError("swaps were begun and not ended: numbers were lost")

        yield PreparedRole(measure=measure)


def _by_hand(work: Workload, is_over: asyncio.Event) -> Grid:
    configuration = work.configuration
    return Board(configuration.swaps, work.job.seed, is_over.set, configuration.dimension**2)


async def _of_agents(work: Workload, is_over: asyncio.Event, stack: AsyncExitStack) -> Grid:
    configuration = work.configuration
    many = configuration.dimension**2
    # There is room for all that can be under way: of each cell that asks a request, and an answer.
    home = Container(
        ASKING, seed=work.job.seed, copy=configuration.kind == COPIED, queue_limit=max(2 * many, 1000)
    )
    await stack.enter_async_context(home)
    grid = Grid(configuration.swaps, work.job.seed, is_over.set)
    cells = [Cell(f"cell-{number}", str(number), grid) for number in range(many)]
    for cell in cells:
        await home.start(cell)
        work.steps += 1
    grid.cells = cells
    grid.names = [str(cell.address) for cell in cells]
    return grid


async def _until(is_over: asyncio.Event, grid: Grid, work: Workload) -> None:
    """Wait until all is over; say meanwhile that it goes on, by what some cells do."""
    before = work.steps
    while not is_over.is_set():
        work.steps = before + sum(cell.swaps + cell.refused for cell in grid.cells[:_LOOKED_AT])
        with suppress(TimeoutError):
            await asyncio.wait_for(is_over.wait(), _LOOK_SECONDS)


def _held() -> float:
    import psutil

    return float(psutil.Process().memory_full_info().uss)
