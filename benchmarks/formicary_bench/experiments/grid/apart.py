"""A grid over several containers, each with some rows of it in a process of its own.

A steward in each container creates the cells there, starts and stops them, and reports what they did.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Limits, LocalPlatform, Message
from formicary.errors import MailboxFullError
from formicary_bench.experiments.grid.cells import Cell, Grid
from formicary_bench.experiments.grid.swap import Swapping
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.vocabulary.values import MICRO_COPIED, active_of
from formicary_bench.worker.workload import Tally

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence
    from typing import Any

    from formicary import Container
    from formicary_bench.worker.workload import Workload

PREPARE, BEGIN, END, REST = "prepare", "begin", "end", "rest"
"""The orders to a steward."""

_ROOM = 1000


class Part(msgspec.Struct, frozen=True):
    """The part of a grid that a container holds.

    Attributes:
        container: its number, from 0.
        containers: the number of containers.
        dimension: the cells on each side of the whole grid.
        swaps: the swaps of the first cell after which all end.
        seed: the seed for choosing whom to ask.
    """

    container: int
    containers: int
    dimension: int
    swaps: int
    seed: int

    def rows(self, container: int) -> range:
        edges = [self.dimension * place // self.containers for place in (container, container + 1)]
        return range(*edges)

    @property
    def cells(self) -> range:
        rows = self.rows(self.container)
        return range(rows.start * self.dimension, rows.stop * self.dimension)

    @property
    def asking(self) -> list[int]:
        """The positions of the cells of this container that ask first."""
        chosen = random.Random(self.seed)
        everywhere = chosen.sample(range(self.dimension**2), active_of(self.dimension))
        return [number - self.cells.start for number in everywhere if number in self.cells]

    def names(self, platform: str) -> list[str]:
        return [
            f"cell-{row * self.dimension + column}@c{container + 1}.{platform}"
            for container in range(self.containers)
            for row in self.rows(container)
            for column in range(self.dimension)
        ]


class PartOfGrid(Grid):
    """The shared state of the cells in one process of several; arguments as of `Grid`."""

    def __init__(self, most: int, seed: int) -> None:
        super().__init__(most, seed)
        self._waiting: set[asyncio.Task[None]] = set()

    def later(self, sending: Coroutine[Any, Any, None]) -> None:
        """Run an action that may wait, such as sending a message without room."""
        task = asyncio.get_running_loop().create_task(sending)
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)


class FarCell(Cell):
    """A cell that also asks cells of other containers, and so may wait for room."""

    __slots__ = ()
    grid: PartOfGrid

    def send_nowait(self, message: Message) -> None:
        """Send a message now, or as soon as there is room."""
        try:
            super().send_nowait(message)
        except MailboxFullError:
            self.grid.later(self.send(message))


class Steward(Agent):
    """Holds the cells of a container."""

    def __init__(self, name: str, **part: int) -> None:
        super().__init__(name)
        self.add_behaviour(Obey(Part(**part)))


class Obey(CyclicBehaviour):
    """Carries out orders of the conducting process."""

    def __init__(self, part: Part) -> None:
        super().__init__()
        self.part = part
        self.grid = PartOfGrid(part.swaps, part.seed + part.container)

    async def run(self) -> None:
        order = await self.receive()
        body = b""
        match order.body:
            case "prepare":
                await self._prepare()
            case "begin":
                self.grid.begin()
                self.grid.later(self._report(order))
                return
            case "end":
                self.grid.end()
            case "rest":
                body = msgspec.json.encode(await self.grid.rest())
        await self.reply(order, body=body)

    async def _prepare(self) -> None:
        home = self.agent.container
        cells = [FarCell(f"cell-{number}", str(number), self.grid) for number in self.part.cells]
        for cell in cells:
            await home.start(cell)
        self.grid.cells = cells
        self.grid.names = self.part.names(home.platform)
        self.grid.choose(self.part.asking)  # cells of other containers may ask before these start

    async def _report(self, order: Message) -> None:
        """Report this container's swaps once the whole grid has finished."""
        await self.grid.over.wait()
        await self.reply(order, body=msgspec.json.encode((self.grid.tally, await self.grid.held())))


class Parts:
    """A grid over several containers, as the conducting process sees it; methods as of `Grid`."""

    def __init__(self, home: Container, stewards: Sequence[str]) -> None:
        self._home = home
        self._stewards = stewards
        self._held = 0.0
        self.tally = Tally()

    async def tell(self, order: str, patience: float | None = PATIENCE) -> list[str | bytes]:
        """Send all stewards an order, and return their answers.

        Raises:
            FormicaryError: one did not answer in time.
        """
        return [answer.body for answer in await asyncio.gather(*self._asked(order, patience))]

    async def play(self, work: Workload) -> None:
        """Start all parts, and stop them when any cell has made the required swaps."""
        begun = [asyncio.ensure_future(one) for one in self._asked(BEGIN, None)]
        await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
        await self.tell(END)
        work.steps += 1
        for answer in await asyncio.gather(*begun):
            tally, held = msgspec.json.decode(answer.body, type=tuple[Tally, float])
            self._held += held
            self.tally.seconds = max(self.tally.seconds, tally.seconds)
            for swaps, (agents, refused) in tally.made.items():
                self.tally.add(swaps, refused, agents)

    async def rest(self) -> tuple[int, int] | None:
        """Wait until no part has an unfinished swap, and return the sums of all numbers."""
        answers = await self.tell(REST)
        sums = [msgspec.json.decode(one, type=tuple[int, int] | None) for one in answers]
        there = [one for one in sums if one]
        return (
            None if len(there) < len(sums) else (sum(one for one, _ in there), sum(one for _, one in there))
        )

    async def held(self) -> float:
        """Return how many bytes the processes of all parts hold."""
        return self._held

    def _asked(self, order: str, patience: float | None) -> list[Coroutine[Any, Any, Message]]:
        return [
            self._home.ask(Message(to=steward, body=order, performative="request"), patience)
            for steward in self._stewards
        ]


@asynccontextmanager
async def parts(work: Workload) -> AsyncIterator[Parts]:
    """Run a grid over several containers, each in its own process."""
    one, sizes = work.configuration, Swapping.of(work.configuration)
    room = max(2 * sizes.cells, _ROOM)
    async with LocalPlatform(
        sizes.containers,
        seed=work.job.seed,
        copy=one.kind == MICRO_COPIED,
        limits=Limits(micro_agents=room),
        when_lost="end",
    ) as platform:
        stewards = []
        for number in range(sizes.containers):
            part = Part(number, sizes.containers, sizes.dimension, sizes.swaps, work.job.seed)
            name, about = f"steward-{number + 1}", msgspec.structs.asdict(part)
            stewards.append(await platform.start(Steward, name, about, on=f"c{number + 1}"))
        grid = Parts(platform.container, stewards)
        await grid.tell(PREPARE)
        work.steps += 1
        yield grid
