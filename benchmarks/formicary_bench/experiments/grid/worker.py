"""The worker's process: it holds a grid, or conducts one that is spread over several containers."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from formicary import Container
from formicary.errors import FormicaryError
from formicary_bench.experiments.grid.apart import Part, parts
from formicary_bench.experiments.grid.by_hand import Board
from formicary_bench.experiments.grid.cells import Cell, Grid, sums_of
from formicary_bench.experiments.grid.swap import Swapping
from formicary_bench.vocabulary.containers import ASKING
from formicary_bench.vocabulary.grid import COPIED, HELD
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import Workload


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up all cells."""
    one, sizes = work.configuration, Swapping.of(work.configuration)
    of_one = _by_hand if one.platform == "callbacks" else _of_agents
    async with (parts if sizes.containers > 1 else of_one)(work) as grid:

        async def measure() -> None:
            work.mark(True)
            await grid.play(work)
            work.mark(False)
            work.tally = grid.tally
            work.counters[HELD] = await grid.held()
            if await grid.rest() != sums_of(sizes.cells):
                raise FormicaryError("swaps were begun and not ended: numbers were lost")

        yield PreparedRole(measure=measure)


def _part(work: Workload) -> Part:
    """Return all of a grid, as a part."""
    sizes = Swapping.of(work.configuration)
    return Part(0, 1, sizes.dimension, sizes.swaps, work.job.seed)


@asynccontextmanager
async def _by_hand(work: Workload) -> AsyncIterator[Grid]:
    part = _part(work)
    board = Board(part.swaps, part.seed, len(part.cells))
    board.choose(part.asking)
    yield board


@asynccontextmanager
async def _of_agents(work: Workload) -> AsyncIterator[Grid]:
    part, copies = _part(work), work.configuration.kind == COPIED
    # There is room for all that can be under way: of each cell that asks a request, and an answer.
    room = max(2 * len(part.cells), 1000)
    async with Container(ASKING, seed=part.seed, copy=copies, queue_limit=room) as home:
        grid = Grid(part.swaps, part.seed)
        cells = [Cell(f"cell-{number}", str(number), grid) for number in part.cells]
        for cell in cells:
            await home.start(cell)
            work.steps += 1
        grid.cells = cells
        grid.names = [str(cell.address) for cell in cells]
        grid.choose(part.asking)
        yield grid
