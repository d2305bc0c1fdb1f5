"""The cells of a grid as bare functions that call each other through a run queue.

They do what `cells` do. What one has to say goes as it is, a pair of who asks and its number: there are no
names that must be looked up, and no messages.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.grid.cells import Grid
from formicary_bench.subjects.baselines.callbacks import drain

if TYPE_CHECKING:
    from collections.abc import Callable

    Queue = deque[tuple[Callable[[Any], None], Any]]


class Board(Grid):
    """What all cells know: also the queue of functions to call, and each other; arguments as of `Grid`."""

    def __init__(self, most: int, seed: int, cells: int) -> None:
        super().__init__(most, seed)
        self.queue: Queue = deque()
        self.cells = self.all = [BareCell(str(number), self) for number in range(cells)]

    def begin(self) -> None:
        """Start the chosen cells, and drain the queue until the grid has finished."""
        super().begin()
        asyncio.get_running_loop().call_soon(drain(self.queue))


class BareCell:
    """A cell of the grid.

    Args:
        number: what it has at the beginning.
        board: what it shares with the others.
    """

    __slots__ = ("board", "is_busy", "number", "put", "refused", "swaps")

    def __init__(self, number: str, board: Board) -> None:
        self.board = board
        self.put = board.queue.append
        self.number = number
        self.is_busy = False
        self.swaps = self.refused = 0

    def ask(self) -> None:
        """Ask another one, chosen at random, for its number."""
        board = self.board
        if board.is_over:
            self.is_busy = False
            return
        cells = board.all
        other = cells[int(board.draw() * len(cells))]
        while other is self:
            other = cells[int(board.draw() * len(cells))]
        self.put((other.requested, (self, self.number)))

    def requested(self, asked: tuple[BareCell, str]) -> None:
        """Swap, or refuse to."""
        asker, number = asked
        if self.is_busy:
            self.put((asker.refuse, None))
            return
        self.put((asker.inform, self.number))
        self.number = number
        self.is_busy = True
        self.ask()

    def inform(self, number: str) -> None:
        """Take the other one's number."""
        self.number = number
        self.is_busy = False
        self.swaps += 1
        if self.swaps >= self.board.most:
            self.board.end()

    def refuse(self, _: None) -> None:
        """Ask another one."""
        self.refused += 1
        self.ask()
