"""Agents that make round trips and keep their times, and one that has them begin and collects these."""

from __future__ import annotations

import asyncio
from array import array
from itertools import cycle
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import Agent, Message, OneShotBehaviour, Template
from formicary_bench.experiments.traffic import Traffic
from formicary_bench.experiments.traffic.patterns import container_of, partners_of
from formicary_bench.subjects.ours.behaviours import PATIENCE, Echo, hear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.worker.workload import Workload


CONDUCTOR = "conductor"
"""The name of the agent that has all others begin, and collects their times."""

_REQUESTS, _ANSWERS = Template(performative="request"), Template(performative="inform")
_BETWEEN_REPORTS = 1_000_000_000  # ns
_TO_BEGIN = 500_000_000  # ns
_NUMBER = 8  # bytes


class Ask(OneShotBehaviour):
    """Makes round trips when it is told to begin, and sends back their times.

    Args:
        partners: the names of the agents that answer: one after the other, and round.
        trips: how many.
        body: the body of each message.
        reports: whether it tells meanwhile how far it has come.
    """

    def __init__(self, partners: Sequence[str], trips: int, body: str, *, reports: bool) -> None:
        super().__init__()
        self.partners = partners
        self.trips = trips
        self.body = body
        self.reports = reports

    async def run(self) -> None:
        """Make all round trips."""
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
    """Makes round trips with one of the receivers, or with all others of a ring, whom it answers as well.

    Args:
        name: `agent-` and its number.
        agents: how many there are that send.
        receivers: how many there are that only answer; 0 for a ring.
        containers: over how many containers all are.
        trips: how many round trips it makes.
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
        """Wait to be told to ask."""
        if self.word == "agent":
            self.add_behaviour(Echo(), _REQUESTS)
        partners = [self.called(number) for number in self.turns]
        reports = number_of(self.name) == 0
        self.add_behaviour(Ask(partners, self.trips, self.body, reports=reports), _ANSWERS)

    def called(self, number: int) -> str:
        """Return what it calls one of its partners: by its short name where they are in one container."""
        name, there = f"{self.word}-{number}", container_of(number, self.containers)
        return name if self.container.name == there else f"{name}@{there}.{self.container.platform}"


class Receiver(Agent):
    """Answers every message."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.add_behaviour(Echo(), _REQUESTS)


class Conduct(OneShotBehaviour):
    """Starts all agents that ask, and collects their times.

    Args:
        work: how many there are, and where the times go.
    """

    def __init__(self, work: Workload) -> None:
        super().__init__()
        self.work = work

    async def run(self) -> None:
        """Do so.

        Raises:
            FormicaryError: an agent has failed, or says nothing any more.
        """
        agents = Traffic.of(self.work.configuration).pairs
        # All processes of a machine have one clock: all begin together, however long it takes to tell them.
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
        self.work.steps -= half // _NUMBER  # they count by themselves from now on


def number_of(name: str) -> int:
    """Return the number of an agent by its name, short or full."""
    return int(name.partition("@")[0].rpartition("-")[2])
