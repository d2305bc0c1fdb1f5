"""The workload of a subject in a measurement, and its results.

A subject's module has an asynchronous context manager for each of its roles: `both`, `ask`, `echo`, `member`
and `create`. It prepares everything up to the first message, and yields a `PreparedRole`.

Workers on hosts are members, numbered from 0, with containers `c1`, `c2` and so on. All members with senders
measure at once.
"""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.vocabulary.names import DIRECTORY, MANY_TO_ONE
from formicary_bench.vocabulary.places import AWAY, BESIDE, BOTH, ECHO, N_HOSTS, RING, SPLIT

if TYPE_CHECKING:
    from formicary_bench.subjects.drivers.threads import ThreadAccounting
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.parameters.shared import Exchange
    from formicary_bench.worker.messages import Job

CPU_GROUP = "agents"


class Receiver(NamedTuple):
    """An agent that answers: the number of its member, and its own number there."""

    member: int
    number: int


def receiver_of(configuration: Configuration, member: int, sender: int) -> Receiver:
    """Return the receiver of a member's sender.

    With several hosts, it is on another host. Except in many-to-one, every receiver has one sender.
    """
    hosts = configuration.hosts
    if configuration.experiment == MANY_TO_ONE:
        return Receiver(0, 0)
    if hosts == 1:
        return Receiver(0, sender)
    # The distance depends on the sender's number alone, so no two meet at a receiver.
    distance = 1 if configuration.traffic == RING else 1 + sender % (hosts - 1)
    return Receiver((member + distance) % hosts, sender)


def senders_of(configuration: Configuration, member: int) -> int:
    """Return the number of agents of a member that measure.

    In many-to-one they are on all hosts but the receiver's; users of the directory are on the last host.
    """
    last = configuration.hosts - 1
    if configuration.family == DIRECTORY:
        return configuration.exchange.load if member == last else 0
    if configuration.experiment == MANY_TO_ONE and member == 0 and last:
        return 0
    return configuration.exchange.load


def receivers_of(configuration: Configuration, member: int) -> int:
    """Return the number of agents of a member that answer."""
    if configuration.experiment == MANY_TO_ONE:
        return 0 if member else 1
    return configuration.exchange.load


def partners_of(configuration: Configuration, member: int) -> set[int]:
    """Return the members of the receivers of a member's senders."""
    senders = range(senders_of(configuration, member))
    return {receiver_of(configuration, member, sender).member for sender in senders}


def services_of(job: Job) -> range:
    """Return the numbers of the services that a worker registers before the measurement.

    Members share them equally, except the last, which uses the directory; of two workers, one has all, or
    each half, depending on the configuration's `spread`.
    """
    configuration = job.configuration
    place = 0 if job.role == ECHO else 1
    if configuration.placement == N_HOSTS:
        place, shares = job.member, [1] * max(configuration.hosts - 1, 1) + [0]
    elif job.role == BOTH:
        place, shares = 0, [1]
    else:
        shares = {AWAY: [1, 0], BESIDE: [0, 1], SPLIT: [1, 1]}[configuration.spread]
    services = configuration.parameters.get("services", 0)
    assert isinstance(services, int)
    first, last = (services * sum(shares[:edge]) // sum(shares) for edge in (place, place + 1))
    return range(first, last)


class PairTimes:
    """Beginnings and durations of a pair's round trips, in nanoseconds."""

    __slots__ = ("rtts", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.rtts = array("q")


@dataclass
class Tally:
    """The outcome of agents' requests.

    Attributes:
        made: for each number of swaps, the agents that made so many, and their refused requests.
        seconds: the duration.
    """

    made: dict[int, tuple[int, int]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def requests(self) -> int:
        """The number of requests, granted and refused."""
        return sum(swaps * agents + refused for swaps, (agents, refused) in self.made.items())

    def add(self, swaps: int, refused: int, agents: int = 1) -> None:
        """Add agents with their swaps each, and refused requests together."""
        known, before = self.made.get(swaps, (0, 0))
        self.made[swaps] = (known + agents, before + refused)

    @property
    def columns(self) -> dict[str, tuple[float, ...]]:
        """The raw values."""
        swaps = tuple(sorted(self.made))
        agents, refused = zip(*(self.made[one] for one in swaps), strict=True)
        return {"swaps": swaps, "agents": agents, "refused": refused, "seconds": (self.seconds,) * len(swaps)}


@dataclass
class Workload:
    """A worker's task, and its results.

    Attributes:
        job: its job.
        times: the times of each pair or sender.
        batches: for `create`: agents, seconds and bytes of each batch.
        tally: for `grid/swap`: the outcome of requests.
        counters: further numbers.
        steps: the progress of preparation.
        mark: called when the measured part begins (True) and ends (False), if there are no phases.
        accounting: accounts for the CPU time of the process that does the work, if not this one.
    """

    job: Job
    times: list[PairTimes] = field(default_factory=list)
    batches: list[tuple[int, float, int]] = field(default_factory=list)
    tally: Tally | None = None
    counters: dict[str, float] = field(default_factory=dict)
    steps: int = 0
    mark: Callable[[bool], None] = lambda _: None
    accounting: ThreadAccounting | None = None

    @property
    def columns(self) -> dict[str, tuple[float, ...]]:
        """The raw values by columns, where they are not round trips."""
        if self.tally:
            return self.tally.columns
        columns = zip(*((number, *batch) for number, batch in enumerate(self.batches)), strict=True)
        return dict(zip(("batch", "agents", "seconds", "bytes"), columns, strict=False))

    @property
    def elapsed_s(self) -> float:
        """The duration of that."""
        return self.tally.seconds if self.tally else sum(seconds for _, seconds, _ in self.batches)

    @property
    def configuration(self) -> Configuration:
        return self.job.configuration

    @cached_property
    def exchange(self) -> Exchange:
        return self.configuration.exchange

    @property
    def body(self) -> str:
        return "x" * self.exchange.payload_bytes

    @property
    def trips(self) -> int:
        """The round trips of each pair, in all three phases."""
        return self.exchange.trips

    @property
    def senders(self) -> range:
        """The numbers of the agents that ask."""
        if self.is_one_of_many:
            return range(senders_of(self.configuration, self.job.member))
        return range(self.exchange.load)

    @property
    def is_one_of_many(self) -> bool:
        """Whether this worker is a member, with agents of both kinds."""
        return self.configuration.placement == N_HOSTS

    @property
    def many_to_one(self) -> bool:
        """Whether all ask the same agent."""
        return self.configuration.experiment == "messaging/many-to-one"

    @property
    def address(self) -> str:
        """The IP address at which other workers reach this one."""
        return self.job.listen or "127.0.0.1"

    @property
    def receivers(self) -> range:
        """The numbers of the agents that echo."""
        if self.is_one_of_many:
            return range(receivers_of(self.configuration, self.job.member))
        return range(self.exchange.receivers)

    def receiver_of(self, sender: int) -> int:
        """Return the number of the agent that answers `sender`, if one worker has all that answer."""
        return 0 if self.many_to_one else sender

    def done(self) -> int:
        return self.steps + sum(len(times.rtts) for times in self.times)


def _nothing() -> str:
    return ""


async def _nobody() -> None:
    pass


@dataclass
class PreparedRole:
    """A prepared role.

    Attributes:
        endpoint: how other workers reach it.
        measure: makes all round trips, or creates all agents; None if another worker does that.
        complaint: returns, after the measurement, why it is invalid, if it is.
        meet: waits until all partners are known.
    """

    endpoint: str = ""
    measure: Callable[[], Awaitable[None]] | None = None
    complaint: Callable[[], str] = _nothing
    meet: Callable[[], Awaitable[None]] = _nobody


Role = Callable[[Workload], AbstractAsyncContextManager[PreparedRole]]


class Countdown:
    """Counts events, and resolves a future at the last one."""

    left = 0
    _all: asyncio.Future[None]

    def expect(self, count: int) -> asyncio.Future[None]:
        """Return a future for the `count`-th event from now on."""
        self.left, self._all = count, asyncio.get_running_loop().create_future()
        return self._all

    def count(self) -> None:
        """Count an event."""
        self.left -= 1
        if not self.left:
            self._all.set_result(None)
