"""The cells of a grid: micro-agents that ask random others to swap numbers, and the same as bare functions.

A cell that asks waits for the answer, and refuses requests meanwhile. A cell that is asked swaps its number
and asks next, while the asking cell becomes idle. A cell that is refused asks another one. So the number of
asking cells stays the same, and no number is lost. A cell's swaps are those that it asked for, one for each
time that it was asked.

Bare cells do the same without names and messages: they pass a pair of the asking cell and its number.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from formicary import Message, MicroAgent
from formicary_bench.subjects.baselines.callbacks import drain
from formicary_bench.worker.workload import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from formicary_bench.worker.workload import Workload

    class Swapping(Protocol):
        """The grid, for agents and bare functions alike."""

        is_busy: bool
        number: str | bytes
        swaps: int
        refused: int

        def ask(self) -> None:
            """Ask another cell for its number."""

    Queue = deque[tuple[Callable[[Any], None], Any]]


REQUEST, INFORM, REFUSE = "request", "inform", "refuse"

_LOOKS, _LOOK_SECONDS = 5000, 0.005
_REPORT_SECONDS, _LOOKED_AT = 0.2, 100  # cells


class Grid:
    """The shared state of all cells of a process."""

    def __init__(self, most: int, seed: int) -> None:
        self.most = most
        self.draw = random.Random(seed).random
        self.names: Sequence[str] = ()
        self.is_over = False
        self.over = asyncio.Event()
        self.tally = Tally()
        self.cells: Sequence[Swapping] = ()
        self._asking: Sequence[int] = ()
        self._began = 0.0

    def choose(self, asking: Sequence[int]) -> None:
        """Choose the cells that ask first, and mark them as busy."""
        self._asking = asking
        for place in asking:
            self.cells[place].is_busy = True

    def begin(self) -> None:
        """Start the chosen cells."""
        self._began = perf_counter()
        for place in self._asking:
            self.cells[place].ask()

    def end(self) -> None:
        """Tally the swaps, and stop all cells from asking: one has made enough."""
        if self.is_over:
            return
        self.is_over = True
        self.tally.seconds = perf_counter() - self._began
        for cell in self.cells:
            self.tally.add(cell.swaps, cell.refused)
        self.over.set()

    async def play(self, work: Workload) -> None:
        """Start, and wait for the end, reporting progress from a sample of cells."""
        self.begin()
        before = work.steps
        while not self.is_over:
            work.steps = before + sum(cell.swaps + cell.refused for cell in self.cells[:_LOOKED_AT])
            with suppress(TimeoutError):
                await asyncio.wait_for(self.over.wait(), _REPORT_SECONDS)
        work.steps = before + self.tally.requests

    async def rest(self) -> tuple[int, int] | None:
        """Wait until all swaps have ended.

        Returns:
            The sum of all numbers and that of their squares, which no swap changes; None if cells stay busy.
        """
        for _ in range(_LOOKS):
            if not any(cell.is_busy for cell in self.cells):
                numbers = [int(cell.number) for cell in self.cells]
                return sum(numbers), sum(number * number for number in numbers)
            await asyncio.sleep(_LOOK_SECONDS)
        return None

    async def held(self) -> float:
        """Return how many bytes the process holds."""
        import psutil

        return float(psutil.Process().memory_full_info().uss)


def sums_of(many: int) -> tuple[int, int]:
    """Return what `Grid.rest` returns for the numbers below `many`."""
    return many * (many - 1) // 2, many * (many - 1) * (2 * many - 1) // 6


class Cell(MicroAgent):
    """A cell of the grid."""

    __slots__ = ("grid", "is_busy", "number", "refused", "swaps")

    def __init__(self, name: str, number: str, grid: Grid) -> None:
        super().__init__(name)
        self.grid = grid
        self.number: str | bytes = number
        self.is_busy = False
        self.swaps = self.refused = 0

    def ask(self) -> None:
        """Ask a random other cell for its number."""
        grid = self.grid
        if grid.is_over:
            self.is_busy = False
            return
        names = grid.names
        other = names[int(grid.draw() * len(names))]
        while other == self.address:
            other = names[int(grid.draw() * len(names))]
        self.send_nowait(Message(other, self.address, self.number, REQUEST))

    def handle(self, message: Message) -> None:
        """Swap, refuse, or take the answer."""
        kind = message.performative
        if kind == REQUEST:
            if self.is_busy:
                self.send_nowait(Message(message.sender, self.address, "", REFUSE))
                return
            self.send_nowait(Message(message.sender, self.address, self.number, INFORM))
            self.number = message.body
            self.is_busy = True
            self.ask()
        elif kind == INFORM:
            self.number = message.body
            self.is_busy = False
            self.swaps += 1
            if self.swaps >= self.grid.most:
                self.grid.end()
        else:
            self.refused += 1
            self.ask()


class Board(Grid):
    """The shared state of all cells, the queue of calls and the cells; arguments as of `Grid`."""

    def __init__(self, most: int, seed: int, cells: int) -> None:
        super().__init__(most, seed)
        self.queue: Queue = deque()
        self.cells = self.all = [BareCell(str(number), self) for number in range(cells)]

    def begin(self) -> None:
        """Start the chosen cells, and drain the queue until the grid has finished."""
        super().begin()
        asyncio.get_running_loop().call_soon(drain(self.queue))


class BareCell:
    """A cell of the grid."""

    __slots__ = ("board", "is_busy", "number", "put", "refused", "swaps")

    def __init__(self, number: str, board: Board) -> None:
        self.board = board
        self.put = board.queue.append
        self.number = number
        self.is_busy = False
        self.swaps = self.refused = 0

    def ask(self) -> None:
        """Ask a random other cell for its number."""
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
        """Swap or refuse."""
        asker, number = asked
        if self.is_busy:
            self.put((asker.refuse, None))
            return
        self.put((asker.inform, self.number))
        self.number = number
        self.is_busy = True
        self.ask()

    def inform(self, number: str) -> None:
        """Take the other cell's number."""
        self.number = number
        self.is_busy = False
        self.swaps += 1
        if self.swaps >= self.board.most:
            self.board.end()

    def refuse(self, _: None) -> None:
        """Ask another cell."""
        self.refused += 1
        self.ask()
