"""The worker that holds a grid, or conducts one that is spread over several containers."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from formicary import Container, Limits
from formicary.errors import FormicaryError
from formicary_bench.experiments.grid.apart import Part, Parts, parts
from formicary_bench.experiments.grid.cells import Board, Cell, Grid, sums_of
from formicary_bench.experiments.grid.swap import Swapping
from formicary_bench.vocabulary.places import ASKING
from formicary_bench.vocabulary.values import HELD_BYTES, MICRO_COPIED
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import Workload


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    one, sizes = work.configuration, Swapping.of(work.configuration)
    if sizes.containers > 1:
        return role(work, parts(work))
    if one.platform == "callbacks":
        return role(work, _by_hand(work))
    return role(work, of_agents(work, Grid(sizes.swaps, work.job.seed), Cell))


@asynccontextmanager
async def role(
    work: Workload, setup: AbstractAsyncContextManager[Grid | Parts]
) -> AsyncIterator[PreparedRole]:
    sizes = Swapping.of(work.configuration)
    async with setup as grid:

        async def measure() -> None:
            work.mark(True)
            await grid.play(work)
            work.mark(False)
            work.tally = grid.tally
            work.counters[HELD_BYTES] = await grid.held()
            if await grid.rest() != sums_of(sizes.cells):
                raise FormicaryError("some swaps did not end, so numbers were lost")

        yield PreparedRole(measure=measure)


def _part(work: Workload) -> Part:
    """Return the whole grid as a part."""
    sizes = Swapping.of(work.configuration)
    return Part(0, 1, sizes.dimension, sizes.swaps, work.job.seed)


@asynccontextmanager
async def _by_hand(work: Workload) -> AsyncIterator[Grid]:
    part = _part(work)
    board = Board(part.swaps, part.seed, len(part.cells))
    board.choose(part.asking)
    yield board


@asynccontextmanager
async def of_agents(work: Workload, grid: Grid, kind: type[Cell]) -> AsyncIterator[Grid]:
    part, copies = _part(work), work.configuration.kind == MICRO_COPIED
    # There is room for everything under way: a request and an answer for each asking cell.
    room = max(2 * len(part.cells), 1000)
    async with Container(ASKING, seed=part.seed, copy=copies, limits=Limits(micro_agents=room)) as home:
        cells = [kind(f"cell-{number}", str(number), grid) for number in part.cells]
        for cell in cells:
            await home.start(cell)
            work.steps += 1
        grid.cells = cells
        grid.names = [str(cell.address) for cell in cells]
        grid.choose(part.asking)
        yield grid
