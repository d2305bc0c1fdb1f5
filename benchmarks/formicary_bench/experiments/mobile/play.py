"""Loops made by agents: who is in which container, and the conductor, which makes the loops.

A `Play` is the conductor's behaviour, with a list of all other agents. The same list serves in one container,
in two processes, and on many hosts.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from formicary import CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.loops import Loops
from formicary_bench.subjects.ours.behaviours import hear
from formicary_bench.subjects.ours.containers import act, all_prepared, container, endpoint, start_agent
from formicary_bench.vocabulary.places import ASK, ASKING, BOTH, MEMBER, member_name, names_on

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary import Agent, Container, MicroAgent
    from formicary_bench.worker.workload import PreparedRole, Role, Workload

    Cast = Sequence[tuple[str, Callable[[Any, Container], Awaitable[object]]]]

PACKAGE = "formicary_bench"
"""The package that containers must allow, so that these agents can be created there, or arrive."""

CONDUCTOR = "conductor"
"""The name of the agent that makes the loops."""

SECOND = names_on(1)[1]
"""The second container of the process that does not make the loops."""

LIVING: list[Agent | MicroAgent] = []
"""The agents created here, or moved here, to be stopped between two loops."""

_ORDERS, _ANSWERS = Template(ontology="sweep"), Template(ontology="conduct")


class Play(Loops, OneShotBehaviour):
    """Makes all loops; subclasses define the operation and the other agents.

    Attributes:
        cast: for each other agent, its container with two processes, and the function that starts it.
    """

    cast: ClassVar[Cast] = ()

    def __init__(self, work: Workload) -> None:
        OneShotBehaviour.__init__(self)
        Loops.__init__(self, work)
        self._named = 0  # the number of batches of names

    async def clear(self, count: int) -> None:
        """Stop the agents of a loop, here or at the sweeper."""
        swept = [place for place, (_, start) in enumerate(self.cast) if start is start_sweeper]
        await (self.sweep(swept[0], count) if swept else end_all())

    @contextmanager
    def options(self) -> Iterator[dict[str, Any]]:
        """Yield further arguments for containers; what they need lasts for the block."""
        yield {}

    def members(self, hosts: int) -> Sequence[int]:
        """Return the host of each of the cast; the conductor is on the last one."""
        raise NotImplementedError

    @property
    def places(self) -> list[str]:
        """The names of the containers of the cast, ending with the conductor's."""
        job = self.work.job
        if job.role == BOTH:
            return [ASKING] * (len(self.cast) + 1)
        if job.role == MEMBER:
            return [member_name(host) for host in (*self.members(job.members), job.members - 1)]
        return [*(name for name, _ in self.cast), ASKING]

    @property
    def home(self) -> Container:
        """The conductor's container."""
        return self.agent.container

    def domain(self, place: int) -> str:
        """Return the full domain of the container of one of the cast."""
        return f"{self.places[place]}.{self.home.platform}"

    hear = hear
    """Waits for a message to the conductor."""

    async def measure(self, home: Container) -> None:
        """Start the conductor in this container, and wait until it has made all loops."""
        await act(home, CONDUCTOR, self, _ANSWERS)

    async def run(self) -> None:
        await self.make_all()

    def names(self, kind: str, count: int) -> list[str]:
        """Return new names for a number of agents.

        The home of an agent that ended elsewhere may not know yet that its name is free.
        """
        self._named += 1
        return [f"{kind}-{self._named}-{number}" for number in range(count)]

    async def sweep(self, place: int, count: int) -> None:
        """Stop the agents in another container.

        Raises:
            FormicaryError: their number is wrong.
        """
        domain = self.domain(place)
        await self.send(Message(to=f"sweeper@{domain}", ontology="sweep", performative="request"))
        found = str((await self.hear()).body)
        if found != str(count):
            raise FormicaryError(f"{found} agents were at {domain}, not {count}")


class Sweep(CyclicBehaviour):
    """Stops the agents of its container on request, and answers with their number."""

    __slots__ = ()

    async def run(self) -> None:
        message = await self.receive()
        ended = await end_all()
        await self.send(
            Message(to=message.sender, body=str(ended), ontology="conduct", performative="inform")
        )


async def end_all() -> int:
    """Stop the agents of this process, and return their number."""
    ending = LIVING.copy()
    LIVING.clear()
    for agent in ending:
        await agent.stop()
    return len(ending)


async def start_sweeper(_: Play, home: Container) -> None:
    """Start the agent that stops others."""
    await start_agent(home, "sweeper", Sweep(), _ORDERS)


async def start_nobody(_: Play, home: Container) -> None:
    """Start no agent: only the container is needed."""


def played(plays: Mapping[str, type[Play]]) -> Role:
    """Return a function that plays any role of these experiments, with agents or by hand."""

    def role(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
        if work.configuration.platform == "tcp":
            from formicary_bench.experiments.mobile import by_hand

            return by_hand.connected(work)
        return by_agents(plays[work.configuration.experiment](work))

    return role


@asynccontextmanager
async def by_agents(play: Play) -> AsyncIterator[PreparedRole]:
    """Open the containers of a worker, and start their agents."""
    work, places = play.work, play.places
    homes: dict[str, Container] = {}
    async with AsyncExitStack() as stack:
        about = {"creatable": [PACKAGE], "accepts": [PACKAGE], **stack.enter_context(play.options())}
        for name in _own(work, places):
            if homes and not work.job.peer:
                about["join"] = endpoint(next(iter(homes.values())), work) or None
            homes[name] = await stack.enter_async_context(container(work, name, **about))
        for name, (_, start) in zip(places, play.cast, strict=False):
            if name in homes:
                await start(play, homes[name])
        home, many = homes.get(places[-1]), work.job.members if work.is_one_of_many else len({*places})
        measure = partial(play.measure, home) if home else None
        yield all_prepared([*homes.values()], work, many, measure)


def _own(work: Workload, places: Sequence[str]) -> list[str]:
    """Return the names of a worker's containers; others are told of the first."""
    if work.is_one_of_many:
        return [member_name(work.job.member)]
    return sorted({*places} & {*names_on(0 if work.job.role in {ASK, BOTH} else 1)})
