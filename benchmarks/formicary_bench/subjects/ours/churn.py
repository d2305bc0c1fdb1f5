"""Agents that start, register and end as fast as possible, in four containers of two processes.

They come in batches: in each container the agents of one batch start and register while those of the previous
batch end. A batch is over when every container sees its registrations in its replica or, if the directory is
an agent, when that has confirmed them.

At the end the agents of the last batch are alive, and all containers must see exactly these: otherwise
something was lost or left behind, and the measurement fails.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from formicary import CyclicBehaviour, Message, MicroAgent, OneShotBehaviour
from formicary.errors import FormicaryError
from formicary_bench.subjects.ours.containers import all_prepared, endpoint, running, start_agent
from formicary_bench.subjects.ours.micro import Idle
from formicary_bench.subjects.ours.services import with_directory
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.places import ECHOING, names_on
from formicary_bench.vocabulary.values import REPLICA
from formicary_bench.worker.creation import batches

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

HOMES = tuple(name for both in zip(names_on(0)[:2], names_on(1)[:2], strict=True) for name in both)
"""The names of the containers: every other one, from the first, is in the process that measures."""

_AT_ONCE = 32  # agents of a container that are being registered
_PAGE = 500  # entries of one search: more may not fit into a message
_SETTLE_SECONDS = 10.0  # for the last ends to become known
_LOOK_SECONDS = 0.02


class Batch(msgspec.Struct, frozen=True):
    """A batch of agents.

    Attributes:
        number: its number.
        shares: the number of agents in each container, by domain.
        is_checked: whether the batch is only checked, not started.
    """

    number: int
    shares: dict[str, int]
    is_checked: bool = False

    @property
    def type(self) -> str:
        """The type of service that the agents of this batch register."""
        return f"churn-{self.number}"

    def agents(self) -> set[str]:
        """Return the full names of all agents of this batch."""
        return {
            f"{self.type}-{place}@{domain}" for domain, share in self.shares.items() for place in range(share)
        }


class Churn(CyclicBehaviour):
    """Starts and ends the agents of one container, batch by batch."""

    __slots__ = ("design", "living")

    def __init__(self, design: str) -> None:
        super().__init__()
        self.design = design
        self.living: list[MicroAgent] = []

    async def run(self) -> None:
        """Carry out an order, and answer with what is wrong, if anything."""
        message = await self.receive()
        batch = msgspec.json.decode(message.body or b"", type=Batch)
        wrong = ""
        try:
            if batch.is_checked:
                wrong = await _differences(self.agent.container, batch)
            else:
                await self._renew(batch)
        except* FormicaryError as errors:
            wrong = f"in {self.agent.container.name}, {errors.exceptions[0]}"
        await self.send(message.make_reply(body=wrong, performative="inform"))

    async def _renew(self, batch: Batch) -> None:
        home = self.agent.container
        former, self.living = iter(self.living), []
        coming = iter(range(batch.shares[home.domain]))
        async with AsyncExitStack() as stack:
            changes = None
            if self.design == REPLICA:
                changes = await stack.enter_async_context(home.directory.subscribe(type=batch.type))
            async with asyncio.TaskGroup() as group:
                for _ in range(_AT_ONCE):
                    group.create_task(self._come_and_go(batch, coming, former))
            for agent in former:
                await agent.stop()
            missing = sum(batch.shares.values())
            while changes is not None and missing > 0:
                missing -= len((await anext(changes)).services)

    async def _come_and_go(self, batch: Batch, coming: Iterator[int], former: Iterator[MicroAgent]) -> None:
        home = self.agent.container
        for place in coming:
            agent = Idle(f"{batch.type}-{place}")
            await home.start(agent)
            await agent.directory.register(batch.type)
            self.living.append(agent)
            gone = next(former, None)
            if gone is not None:
                await gone.stop()
            await asyncio.sleep(0)  # a replica's agents have not waited yet


async def _differences(home: Container, batch: Batch) -> str:
    """Return how a container's view differs from the expected one after all changes have arrived."""
    expected, found = batch.agents(), set()
    until = perf_counter() + _SETTLE_SECONDS
    while True:
        found = await _registered(home)
        if found == expected or perf_counter() > until:
            break
        await asyncio.sleep(_LOOK_SECONDS)
    lost, left = expected - found, found - expected
    said = [f"{len(lost)} registrations were lost, such as that of {min(lost)}"] if lost else []
    said += [f"{len(left)} of ended agents remain, such as that of {min(left)}"] if left else []
    return f"in {home.name}, {' and '.join(said)}" if said else ""


async def _registered(home: Container) -> set[str]:
    found: set[str] = set()
    for offset in count(0, _PAGE):
        page = await home.directory.search(max_results=_PAGE, offset=offset)
        found.update(service.agent for service in page)
        if len(page) < _PAGE:
            break
    return found


class Conduct(OneShotBehaviour):
    """Runs batch after batch in all containers, and checks the result at the end."""

    __slots__ = ("begin", "domains", "work")

    def __init__(self, work: Workload, domains: Sequence[str], begin: asyncio.Event) -> None:
        super().__init__()
        self.work = work
        self.domains = domains
        self.begin = begin

    async def run(self) -> None:
        await self.begin.wait()
        shares = dict.fromkeys(self.domains, 0)
        if wrong := await self._have_done(Batch(0, shares)):  # only that all are connected
            raise FormicaryError(wrong)
        numbers = batches(Agents.of(self.work.configuration).agents)
        self.work.mark(True)
        for number, members in enumerate(numbers):
            shares = _shares(len(members), self.domains)
            start = perf_counter()
            if wrong := await self._have_done(Batch(number, shares)):
                raise FormicaryError(wrong)
            self.work.batches.append((len(members), perf_counter() - start, 0))
            self.work.steps += len(members)
        self.work.mark(False)
        if wrong := await self._have_done(Batch(len(numbers) - 1, shares, is_checked=True)):
            raise FormicaryError(wrong)

    async def _have_done(self, batch: Batch) -> str:
        """Run a batch in all containers, and return what is wrong."""
        body = msgspec.json.encode(batch).decode()
        for domain in self.domains:
            await self.send(Message(to=f"churner@{domain}", body=body, performative="request"))
        said = {str((await self.receive()).body or "") for _ in self.domains}
        return "; ".join(sorted(said - {""}))


def _shares(agents: int, domains: Sequence[str]) -> dict[str, int]:
    edges = [agents * place // len(domains) for place in range(len(domains) + 1)]
    return {domain: edges[place + 1] - edges[place] for place, domain in enumerate(domains)}


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the platform's container and another one."""
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(with_directory(work, ECHOING))
        other = with_directory(work, HOMES[3], join=endpoint(first, work))
        homes = [first, await stack.enter_async_context(other)]
        await _start(homes, work)
        yield all_prepared(homes, work, len(HOMES))


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the other two containers, and the agent that directs all."""
    async with AsyncExitStack() as stack:
        homes = [await stack.enter_async_context(with_directory(work, name)) for name in HOMES[0::2]]
        await _start(homes, work)
        begin = asyncio.Event()
        conduct = Conduct(work, [f"{name}.{homes[0].platform}" for name in HOMES], begin)
        await start_agent(homes[0], "conductor", conduct)
        yield all_prepared(homes, work, len(HOMES), running(begin, conduct))


async def _start(homes: Sequence[Container], work: Workload) -> None:
    for home in homes:
        await start_agent(home, "churner", Churn(work.configuration.kind))
