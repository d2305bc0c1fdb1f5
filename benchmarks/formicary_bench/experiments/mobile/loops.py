"""What all workers of `mobile/...` have in common: an agent that makes loops, and one that ends others."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import FormicaryError
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.subjects.ours.containers import all_prepared, container, know_members, start_agent
from formicary_bench.vocabulary.containers import ASKING, ECHOING, member_name
from formicary_bench.vocabulary.loops import laps, smallest_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from formicary import Agent, Container, MicroAgent
    from formicary_bench.worker.workload import PreparedRole, Workload

PACKAGE = "formicary_bench"
"""What a container has to allow, so that agents of these experiments can be created there, or come."""

CONDUCTOR = "conductor"
"""The name of the agent that makes the loops."""

LIVING: list[Agent | MicroAgent] = []
"""The agents that were created here, or have come here, and are to be ended between two loops."""

_ORDERS, _ANSWERS = Template(ontology="sweep"), Template(ontology="conduct")


async def measure_loops(work: Workload, make: Callable[[int], Awaitable[float]]) -> None:
    """Make all loops, and note their total times.

    Args:
        work: how large the largest is; its `batches` get the times.
        make: makes a loop of so many operations, and returns the seconds that it took.
    """
    configuration = work.configuration
    work.mark(True)
    for size in laps(configuration.loop, smallest_of(configuration.experiment)):
        seconds = await make(size)
        work.batches.append((size, seconds, 0))
        work.steps += size
    work.mark(False)


class MakeLoops(OneShotBehaviour):
    """Makes all loops; subclasses say what one is.

    Args:
        work: what is measured.
    """

    def __init__(self, work: Workload) -> None:
        super().__init__()
        self.work = work
        self.begin = asyncio.Event()
        self._named = 0  # how often it has given names

    async def run(self) -> None:
        """Make them when it may begin."""
        await self.begin.wait()
        await measure_loops(self.work, self.loop)

    async def loop(self, count: int) -> float:
        """Make a loop of so many operations, and return the seconds that it took; for subclasses."""
        raise NotImplementedError

    def names(self, kind: str, count: int) -> list[str]:
        """Return names for so many agents, which none has had before.

        Of one that was ended elsewhere, its home may not know yet that its name is free.
        """
        self._named += 1
        return [f"{kind}-{self._named}-{number}" for number in range(count)]

    async def hear(self) -> Message:
        """Wait for what somebody has to tell the conductor.

        Raises:
            FormicaryError: nobody does, or it is that something went wrong.
        """
        message = await self.receive(timeout=PATIENCE)
        if message is None:
            raise FormicaryError(f"nothing came back within {PATIENCE:g} s")
        if message.performative == "failure":
            raise FormicaryError(str(message.body))
        return message

    async def sweep(self, domain: str, count: int) -> None:
        """Have the agents ended that are in another container.

        Args:
            domain: the container.
            count: how many there should be.

        Raises:
            FormicaryError: there were fewer or more.
        """
        await self.send(Message(to=f"sweeper@{domain}", ontology="sweep", performative="request"))
        found = str((await self.hear()).body)
        if found != str(count):
            raise FormicaryError(f"of {count} agents that were to be at {domain}, {found} were")


class Sweep(CyclicBehaviour):
    """Ends the agents that are here when it is asked to, and says how many there were."""

    __slots__ = ()

    async def run(self) -> None:
        """Do it once."""
        message = await self.receive()
        ended = await end_all()
        await self.send(
            Message(to=message.sender, body=str(ended), ontology="conduct", performative="inform")
        )


async def end_all() -> int:
    """End the agents that are here, and return how many there were."""
    ending = LIVING.copy()
    LIVING.clear()
    for agent in ending:
        await agent.stop()
    return len(ending)


async def start_sweeper(home: Container) -> None:
    """Start the agent that ends others."""
    await start_agent(home, "sweeper", Sweep(), _ORDERS)


async def conducted(home: Container, loops: MakeLoops) -> Callable[[], Awaitable[None]]:
    """Start the agent that makes the loops, and return what has it begin and waits until it has ended."""
    await start_agent(home, CONDUCTOR, loops, _ANSWERS)

    async def measure() -> None:
        loops.begin.set()
        await loops.join()

    return measure


def own_name(work: Workload) -> str:
    """Return the name of the only, or the first, container of a worker."""
    if work.is_one_of_many:
        return member_name(work.job.member)
    return ECHOING if work.job.role == "echo" else ASKING


def measures(work: Workload) -> bool:
    """Say whether a worker of many makes the loops: the last one does."""
    return work.job.member == work.job.members - 1


@asynccontextmanager
async def other_place(
    work: Workload, start: Callable[[Container, Workload], Awaitable[None]]
) -> AsyncIterator[PreparedRole]:
    """Have the container to which the other one's loops go: the role `echo`.

    Args:
        work: what is measured.
        start: starts the agents that are there.
    """
    async with open_place(work, own_name(work)) as home:
        await start(home, work)
        yield all_prepared([home], work, 2)


@asynccontextmanager
async def first_place(work: Workload, loops: MakeLoops, count: int = 2) -> AsyncIterator[PreparedRole]:
    """Have the container with the agent that makes the loops: the role `ask`, or `both`.

    Args:
        work: what is measured.
        loops: what it does.
        count: how many containers there are in all.
    """
    async with open_place(work, own_name(work)) as home:
        await know_members(home, count)
        measure = await conducted(home, loops)
        yield all_prepared([home], work, count, measure)


def open_place(work: Workload, name: str, join: str = "") -> Container:
    """Return a container in which agents of these experiments may be created, and to which they may come."""
    about = {"join": join} if join else {}
    return container(work, name, creatable=[PACKAGE], accepts=[PACKAGE], **about)


def domains(home: Container, names: Sequence[str]) -> list[str]:
    """Return the full domains of containers of a platform."""
    return [f"{name}.{home.platform}" for name in names]
