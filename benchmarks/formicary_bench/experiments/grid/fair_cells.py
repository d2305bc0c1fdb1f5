"""Cells of a grid that are chosen unfairly and pass on their turns by a policy: see `fairness`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary import Message
from formicary_bench.experiments.grid.cells import INFORM, REQUEST, Cell, Grid
from formicary_bench.experiments.grid.fairness import LEAST_SERVED, ROUND_ROBIN, Fair
from formicary_bench.experiments.grid.worker import of_agents, role

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import PreparedRole, Workload

TURN = "propose"
_DRAWN = 8  # cells among which the one with the fewest swaps gets a turn


class FairGrid(Grid):
    """The shared state of cells that are chosen unfairly."""

    cells: Sequence[FairCell]

    def __init__(self, sizes: Fair, seed: int) -> None:
        super().__init__(sizes.swaps, seed)
        self._evenly, self._next = self.draw, 0
        self._policy = sizes.policy
        self.draw = lambda: self._evenly() ** sizes.skew

    def heir(self, asked: FairCell) -> FairCell:
        """Return the idle cell that gets the turn of a cell that was asked."""
        if self._policy == ROUND_ROBIN:
            while True:
                cell = self.cells[self._next]
                self._next = (self._next + 1) % len(self.cells)
                if not cell.is_busy:
                    return cell
        if self._policy == LEAST_SERVED:
            drawn = (self.cells[int(self._evenly() * len(self.cells))] for _ in range(_DRAWN))
            idle = [asked, *(cell for cell in drawn if not cell.is_busy)]
            return min(idle, key=lambda cell: cell.swaps)
        return asked


class FairCell(Cell):
    """A cell that passes on its turn; arguments as of `Cell`."""

    __slots__ = ()
    grid: FairGrid

    def handle(self, message: Message) -> None:
        """Swap and pass on the turn, take a turn that was passed on, or act as any cell."""
        kind = message.performative
        if kind == TURN:
            self.ask()
        elif kind == REQUEST and not self.is_busy:
            self.send_nowait(Message(message.sender, self.address, self.number, INFORM))
            self.number = message.body
            heir = self.grid.heir(self)
            heir.is_busy = True
            if heir is self:
                self.ask()
            else:
                self.send_nowait(Message(heir.address, self.address, "", TURN))
        else:
            super().handle(message)


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    sizes = Fair.of(work.configuration)
    return role(work, of_agents(work, FairGrid(sizes, work.job.seed), FairCell))
