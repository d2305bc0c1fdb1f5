"""The cells of a grid: micro-agents that ask others at random to swap numbers, and bare functions.

A cell that asks waits for the answer, and refuses what it is asked meanwhile. A cell that is asked swaps its
number, and asks next, while the one that has asked becomes idle. Who was refused asks another one. So as many
cells ask at any time as at the beginning, and no number is lost. Of a cell's swaps those count that it has
asked for, one for each time that it is asked.

They do what `cells` do. What one has to say goes as it is, a pair of who asks and its number: there are no
names that must be looked up, and no messages.
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
        """What the cells of agents and those by hand have in common."""

        is_busy: bool
        number: str | bytes
        swaps: int
        refused: int

        def ask(self) -> None:
            """Ask another one for its number."""

    Queue = deque[tuple[Callable[[Any], None], Any]]


REQUEST, INFORM, REFUSE = "request", "inform", "refuse"

_LOOKS, _LOOK_SECONDS = 5000, 0.005
_REPORT_SECONDS, _LOOKED_AT = 0.2, 100  # cells


class Grid:
    """What all cells of a process know."""

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
        """Wait until every swap that was begun has ended.

        Returns:
            The sum of all numbers, and that of their squares, which no swap changes; None if cells stay busy.
        """
        for _ in range(_LOOKS):
            if not any(cell.is_busy for cell in self.cells):
                numbers = [int(cell.number) for cell in self.cells]
                return sum(numbers), sum(number * number for number in numbers)
            await asyncio.sleep(_LOOK_SECONDS)
        return None

    async def held(self) -> float:
        """Return how many bytes of the memory its process holds."""
        import psutil

        return float(psutil.Process().memory_full_info().uss)


def sums_of(many: int) -> tuple[int, int]:
    """Return what `Grid.rest` returns of the numbers from 0 to many, without the last."""
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
        """Ask another one, chosen at random, for its number."""
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
        """Swap, refuse to, or go on."""
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
    """A cell of the grid."""

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
