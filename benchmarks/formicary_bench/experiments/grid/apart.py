"""A grid over several containers, each with some rows of it in a process of its own.

A steward in each container makes the cells there, has them begin and end, and says what they have done to the
agent that conducts all of them.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, LocalPlatform, Message, OneShotBehaviour
from formicary.errors import FormicaryError, MailboxFullError
from formicary_bench.experiments.grid.cells import Cell, Grid, sums_of
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.vocabulary.grid import COPIED, HELD, active_of
from formicary_bench.worker.workload import PreparedRole, Tally

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from typing import Any

    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

PREPARE, BEGIN, END, REST, SUM = "prepare", "begin", "end", "rest", "sum"
"""What a steward is told to do."""

_OVER = "over"
_ROOM = 1000


class Part(msgspec.Struct, frozen=True):
    """Which part of which grid a container has.

    Attributes:
        container: its number, from 0.
        containers: how many there are.
        dimension: cells of each side of the whole grid.
        swaps: how many the first cell makes until all end.
        seed: of whom cells ask.
    """

    container: int
    containers: int
    dimension: int
    swaps: int
    seed: int

    def rows(self, container: int) -> range:
        """Return the numbers of the rows that a container has."""
        edges = [self.dimension * place // self.containers for place in (container, container + 1)]
        return range(*edges)

    @property
    def cells(self) -> range:
        """The numbers of this container's cells."""
        rows = self.rows(self.container)
        return range(rows.start * self.dimension, rows.stop * self.dimension)

    @property
    def asking(self) -> list[int]:
        """The places of those that ask at the beginning, among this container's cells."""
        chosen = random.Random(self.seed)
        everywhere = chosen.sample(range(self.dimension**2), active_of(self.dimension))
        return [number - self.cells.start for number in everywhere if number in self.cells]

    def names(self, platform: str) -> list[str]:
        """Return the full names of all cells of all containers."""
        return [
            f"cell-{row * self.dimension + column}@c{container + 1}.{platform}"
            for container in range(self.containers)
            for row in self.rows(container)
            for column in range(self.dimension)
        ]


class Done(msgspec.Struct, frozen=True):
    """What the cells of a container have done: as of `Tally`, and the bytes that its process holds."""

    made: list[tuple[int, int, int]]
    seconds: float
    held: int


class PartOfGrid(Grid):
    """What the cells of a process know, where others are elsewhere; arguments as of `Grid`."""

    def __init__(self, most: int, seed: int, over: Any) -> None:
        super().__init__(most, seed, over)
        self._waiting: set[asyncio.Task[None]] = set()

    def later(self, sending: Coroutine[Any, Any, None]) -> None:
        """Have a message sent that must wait for room."""
        task = asyncio.get_running_loop().create_task(sending)
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)


class FarCell(Cell):
    """A cell that asks cells of other containers as well: the way there may have no room."""

    __slots__ = ()
    grid: PartOfGrid

    def send_nowait(self, message: Message) -> None:
        """Send a message now, or when there is room."""
        try:
            super().send_nowait(message)
        except MailboxFullError:
            self.grid.later(self.send(message))


class Steward(Agent):
    """Has the cells of a container.

    Args:
        name: its own name.
        part: a `Part` as plain data.
    """

    def __init__(self, name: str, part: dict[str, int]) -> None:
        super().__init__(name)
        self.part = msgspec.convert(part, Part)

    async def setup(self) -> None:
        """Begin to obey."""
        self.add_behaviour(Obey(self.part))


class Obey(CyclicBehaviour):
    """Does what the conductor says.

    Args:
        part: which part of the grid is here.
    """

    def __init__(self, part: Part) -> None:
        super().__init__()
        self.part = part
        self.conductor = ""
        self.grid = PartOfGrid(part.swaps, part.seed + part.container, self._over)

    async def run(self) -> None:
        """Obey once."""
        order = await self.receive()
        self.conductor = order.sender or ""
        body = ""
        match order.body:
            case "prepare":
                await self._prepare()
            case "begin":
                self.grid.begin()
                return
            case "end":
                body = self._end()
            case "rest":
                body = "" if await self.grid.rest() else "its cells do not come to rest"
            case "sum":
                body = msgspec.json.encode(self.grid.sums()).decode()
        await self.reply(order, body=body)

    async def _prepare(self) -> None:
        home = self.agent.container
        cells = [FarCell(f"cell-{number}", str(number), self.grid) for number in self.part.cells]
        for cell in cells:
            await home.start(cell)
        self.grid.cells = cells
        self.grid.names = self.part.names(home.platform)
        self.grid.choose(self.part.asking)  # cells of other containers may ask before these are to begin

    def _over(self) -> None:
        self.grid.later(self.send(Message(to=self.conductor, body=_OVER, performative="inform")))

    def _end(self) -> str:
        import psutil

        if not self.grid.is_over:
            self.grid.end()
        tally = self.grid.tally
        made = [(swaps, *known) for swaps, known in tally.made.items()]
        held = int(psutil.Process().memory_full_info().uss)
        return msgspec.json.encode(Done(made, tally.seconds, held)).decode()


class Conduct(OneShotBehaviour):
    """Has all stewards make their cells, begin and end, and adds up what they say.

    Args:
        work: what is measured.
        stewards: their full names.
    """

    def __init__(self, work: Workload, stewards: Sequence[str]) -> None:
        super().__init__()
        self.work = work
        self.stewards = stewards
        self.prepared = asyncio.Event()
        self.begin = asyncio.Event()

    async def run(self) -> None:
        """Conduct them."""
        work = self.work
        await self._tell(PREPARE)
        await self._answers()
        self.prepared.set()
        await self.begin.wait()
        work.mark(True)
        await self._tell(BEGIN)
        while (await self.receive()).body != _OVER:
            pass
        await self._tell(END)
        answers = [msgspec.json.decode(one, type=Done) for one in await self._answers()]
        work.mark(False)
        tally = Tally(seconds=max(one.seconds for one in answers))
        for swaps, agents, refused in (line for one in answers for line in one.made):
            tally.add(swaps, refused, agents)
        work.tally = tally
        work.counters[HELD] = float(sum(one.held for one in answers))
        await self._check()

    async def _check(self) -> None:
        """Make sure that no number was lost."""
        await self._tell(REST)
        unrest = [one for one in await self._answers() if one]
        await self._tell(SUM)
        sums = [msgspec.json.decode(one, type=tuple[int, int]) for one in await self._answers()]
        if unrest or tuple(map(sum, zip(*sums, strict=True))) != sums_of(
            self.work.configuration.dimension**2
        ):
            raise FormicaryError("swaps were begun and not ended: numbers were lost")

    async def _tell(self, order: str) -> None:
        for steward in self.stewards:
            await self.send(Message(to=steward, body=order, performative="request"))
        self.work.steps += 1

    async def _answers(self) -> list[str | bytes]:
        found: list[str | bytes] = []
        while len(found) < len(self.stewards):
            answer = await self.receive(timeout=PATIENCE)
            if answer is None:
                raise FormicaryError(
                    f"a container with a part of the grid says nothing within {PATIENCE:g} s"
                )
            if answer.performative == "failure":
                raise FormicaryError(str(answer.body))
            if answer.body != _OVER:
                found.append(answer.body)
        return found


@asynccontextmanager
async def grid(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have a grid over several containers in processes of their own."""
    configuration = work.configuration
    room = max(2 * configuration.dimension**2, _ROOM)
    containers = configuration.containers
    copies = configuration.kind == COPIED
    async with LocalPlatform(
        containers, seed=work.job.seed, copy=copies, queue_limit=room, when_lost="end"
    ) as platform:
        stewards = []
        for number in range(containers):
            part = Part(number, containers, configuration.dimension, configuration.swaps, work.job.seed)
            name = f"steward-{number + 1}"
            about = {"part": msgspec.to_builtins(part)}
            stewards.append(await platform.start(Steward, name, about, on=f"c{number + 1}"))
        conduct = Conduct(work, stewards)
        conductor = Agent("conductor")
        conductor.add_behaviour(conduct)
        await platform.container.start(conductor)
        await _first(conduct.prepared.wait(), conduct.join())

        async def measure() -> None:
            conduct.begin.set()
            await conduct.join()

        yield PreparedRole(measure=measure)


async def _first(*awaited: Coroutine[Any, Any, object]) -> None:
    """Wait until one of several ends, and raise what it has raised."""
    tasks = [asyncio.create_task(one) for one in awaited]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
