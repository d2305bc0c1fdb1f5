"""The players of the traffic: agents of a local platform, in one container or several, or bare tasks.

In the ring (test 1) each of N agents sends to the next, then to the next but one, and so on around, and
answers all others. In massive reception (test 2) each of N senders has one of M receivers, which answers.

Agents are spread over containers by number, receivers like senders: if the number of receivers is a multiple
of that of containers, each sender has its receiver in its own container.
"""

from __future__ import annotations

import asyncio
from array import array
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from formicary import Agent, LocalPlatform, Message, OneShotBehaviour, Template
from formicary.errors import FormicaryError
from formicary_bench.experiments.traffic import Traffic
from formicary_bench.subjects.baselines.tasks import Channel, echo_to_many, end
from formicary_bench.subjects.ours.behaviours import PATIENCE, Responder, hear
from formicary_bench.subjects.ours.containers import act
from formicary_bench.vocabulary.values import SYNCHRONOUS
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary_bench.worker.workload import Workload


def partners_of(agent: int, agents: int, receivers: int) -> list[int]:
    """Return the numbers of the agents that an agent sends to: its receiver, or all others in a ring."""
    if receivers:
        return [agent % receivers]
    return [(agent + 1 + turn) % agents for turn in range(agents - 1)]


def container_of(number: int, containers: int) -> str:
    """Return the name of the container of an agent."""
    return f"c{number % containers + 1}"


CONDUCTOR = "conductor"
"""The name of the agent that starts all others, and collects their times."""

_REQUESTS, _ANSWERS = Template(performative="request"), Template(performative="inform")
_BETWEEN_REPORTS = 1_000_000_000  # ns
_TO_BEGIN = 500_000_000  # ns
_NUMBER = 8  # bytes


class Ask(OneShotBehaviour):
    """Makes round trips when told to begin, and sends back their times."""

    def __init__(self, partners: Sequence[str], trips: int, body: str, *, reports: bool) -> None:
        super().__init__()
        self.partners = partners
        self.trips = trips
        self.body = body
        self.reports = reports

    async def run(self) -> None:
        begin = await self.receive()
        starts, took, body = array("q"), array("q"), self.body
        await asyncio.sleep(max(int(begin.body) - perf_counter_ns(), 0) / 1e9)
        due = perf_counter_ns() + _BETWEEN_REPORTS if self.reports else 2**63
        for trip, partner in zip(range(self.trips), cycle(self.partners), strict=False):
            start = perf_counter_ns()
            await self.send(Message(to=partner, body=body, performative="request"))
            answer = await self.receive(timeout=PATIENCE)
            took.append(perf_counter_ns() - start)
            starts.append(start)
            if answer is None or answer.body != body:
                await self.reply(begin, body=f"{partner} answered {answer!r:.200}", performative="failure")
                return
            if start > due:
                due = start + _BETWEEN_REPORTS
                await self.reply(begin, body=str(trip))
        await self.reply(begin, body=starts.tobytes() + took.tobytes(), performative="confirm")


class Sender(Agent):
    """Makes round trips with one receiver, or with all others of a ring, which it also answers.

    Args:
        name: `agent-` and its number.
        agents: the number of agents that send.
        receivers: the number of agents that only answer; 0 for a ring.
        containers: the number of containers.
        trips: the number of its round trips.
        body: the body of each message.
    """

    def __init__(
        self, name: str, *, agents: int, receivers: int, containers: int, trips: int, body: str
    ) -> None:
        super().__init__(name)
        self.turns = partners_of(number_of(name), agents, receivers)
        self.word = "receiver" if receivers else "agent"
        self.containers = containers
        self.trips = trips
        self.body = body

    async def setup(self) -> None:
        """Wait for the signal to begin."""
        if self.word == "agent":
            self.add_behaviour(Responder(), _REQUESTS)
        partners = [self.called(number) for number in self.turns]
        reports = number_of(self.name) == 0
        self.add_behaviour(Ask(partners, self.trips, self.body, reports=reports), _ANSWERS)

    def called(self, number: int) -> str:
        """Return the name of a partner: its short name in the same container."""
        name, there = f"{self.word}-{number}", container_of(number, self.containers)
        return name if self.container.name == there else f"{name}@{there}.{self.container.platform}"


class Receiver(Agent):
    """Answers every message."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.add_behaviour(Responder(), _REQUESTS)


class Conduct(OneShotBehaviour):
    """Starts all senders, and collects their times."""

    def __init__(self, work: Workload) -> None:
        super().__init__()
        self.work = work

    async def run(self) -> None:
        """Run the measurement.

        Raises:
            FormicaryError: an agent has failed or has fallen silent.
        """
        agents = Traffic.of(self.work.configuration).pairs
        # The processes of a machine share a clock, so all start together however long the signal takes.
        body = str(perf_counter_ns() + _TO_BEGIN)
        for number in range(agents):
            await self.send(Message(to=f"agent-{number}", body=body, performative="inform"))
        missing = set(range(agents))
        while missing:
            message = await hear(self, f"any of {len(missing)} agents")
            if message.performative == "confirm":
                number = number_of(str(message.sender))
                self._take(number, message.body)
                missing.discard(number)
            self.work.steps += 1

    def _take(self, number: int, body: str | bytes) -> None:
        assert isinstance(body, bytes)
        half = len(body) // 2
        times = self.work.times[number]
        times.starts.frombytes(body[:half])
        times.rtts.frombytes(body[half:])
        self.work.steps -= half // _NUMBER  # they count on their own from now on


def number_of(name: str) -> int:
    """Return the number in an agent's short or full name."""
    return int(name.partition("@")[0].rpartition("-")[2])


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Set up senders and receivers."""
    return _tasks(work) if work.configuration.platform == "tasks" else _agents(work)


@asynccontextmanager
async def _agents(work: Workload) -> AsyncIterator[PreparedRole]:
    one = work.configuration
    about: dict[str, Any] = {"mode": SYNCHRONOUS} if one.kind == SYNCHRONOUS else {}
    async with LocalPlatform(containers=Traffic.of(one).containers, seed=work.job.seed, **about) as platform:
        await _start(platform, work)
        yield PreparedRole(measure=partial(act, platform.container, CONDUCTOR, Conduct(work)))


async def _start(platform: LocalPlatform, work: Workload) -> None:
    """Start all agents, receivers first.

    Raises:
        FormicaryError: one of them cannot be started.
    """
    one = Traffic.of(work.configuration)
    work.times += [PairTimes() for _ in range(one.pairs)]
    about: dict[str, Any] = {
        "agents": one.pairs,
        "receivers": one.echoes,
        "trips": work.trips,
        "body": work.body,
        "containers": one.containers,
    }
    groups: list[tuple[type[Agent], str, int, dict[str, Any]]] = [
        (Receiver, "receiver", one.echoes, {}),
        (Sender, "agent", one.pairs, about),
    ]
    for cls, word, many, arguments in groups:
        for first in range(min(one.containers, many)):
            names = [f"{word}-{number}" for number in range(first, many, one.containers)]
            made = await platform.start_many(cls, names, arguments, on=container_of(first, one.containers))
            if made.failed:
                raise FormicaryError(f"an agent could not be started: {made.failed[0]}")
            work.steps += len(made)
    work.steps = 0


@asynccontextmanager
async def _tasks(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up tasks that put messages into each other's channels, in one event loop."""
    sizes = Traffic.of(work.configuration)
    agents, receivers = sizes.pairs, sizes.echoes
    answering = [Channel() for _ in range(receivers or agents)]
    asking = [Channel() for _ in range(agents)]
    work.times += [PairTimes() for _ in asking]
    echoes = [asyncio.create_task(echo_to_many(one)) for one in answering]

    async def measure() -> None:
        async with asyncio.TaskGroup() as group:
            for number, own in enumerate(asking):
                partners = [answering[partner] for partner in partners_of(number, agents, receivers)]
                group.create_task(_ask(own, partners, work, work.times[number]))

    yield PreparedRole(measure=measure)
    await end(echoes)


async def _ask(own: Channel, partners: list[Channel], work: Workload, times: PairTimes) -> None:
    """Put a message to each partner in turn, and wait for its answer."""
    items, item, many = own.items, (own, work.body), len(partners)
    future = asyncio.get_running_loop().create_future
    started, took = times.starts.append, times.rtts.append
    for trip in range(work.trips):
        start = perf_counter_ns()
        partners[trip % many].put(item)
        if not items:
            own.waiter = future()
            await own.waiter
        items.popleft()
        took(perf_counter_ns() - start)
        started(start)
