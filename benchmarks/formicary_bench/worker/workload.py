"""What a subject is given to play its role in a measurement, and what it gives back.

A subject's module has one asynchronous context manager for each role that it can play: `both`, `ask`, `echo`,
`member` and `create`. Entering it prepares everything up to the first message; it yields a `PreparedRole`.

A host's worker is a member, numbered from 0; its container is `c1`, `c2` and so on. Every member that has
senders measures, all at once. Who has none, says so here: the runner waits for no figures of theirs.
"""

from __future__ import annotations

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
    """Return whom a sender of a member talks to.

    With one host, where nobody else is, that is one of its own receivers. With more it is never on the
    sender's host, and, but with many to one, every receiver has exactly one sender.
    """
    hosts = configuration.hosts
    if configuration.experiment == MANY_TO_ONE:
        return Receiver(0, 0)
    if hosts == 1:
        return Receiver(0, sender)
    # The distance depends on the sender's number alone: so those of one number meet at no receiver.
    distance = 1 if configuration.traffic == RING else 1 + sender % (hosts - 1)
    return Receiver((member + distance) % hosts, sender)


def senders_of(configuration: Configuration, member: int) -> int:
    """Return how many agents of a member measure.

    With many to one they are on all hosts but that of the receiver; what uses the directory is on the last.
    """
    last = configuration.hosts - 1
    if configuration.family == DIRECTORY:
        return configuration.exchange.load if member == last else 0
    if configuration.experiment == MANY_TO_ONE and member == 0 and last:
        return 0
    return configuration.exchange.load


def receivers_of(configuration: Configuration, member: int) -> int:
    """Return how many agents of a member answer."""
    if configuration.experiment == MANY_TO_ONE:
        return 0 if member else 1
    return configuration.exchange.load


def partners_of(configuration: Configuration, member: int) -> set[int]:
    """Return the members whom the senders of a member talk to."""
    senders = range(senders_of(configuration, member))
    return {receiver_of(configuration, member, sender).member for sender in senders}


def services_of(job: Job) -> range:
    """Return the numbers of the services that a worker's agents register, before anything is measured.

    Of the members, all but the last, which uses the directory, have about as many; of two workers, one has
    all or each has half, as the configuration's `spread` says.
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
    """The round trips of one pair, in nanoseconds: when each began, and how long it took."""

    __slots__ = ("rtts", "starts")

    def __init__(self) -> None:
        self.starts = array("q")
        self.rtts = array("q")


@dataclass
class Tally:
    """How many requests of agents had which end.

    Attributes:
        made: by a number of swaps how many agents made so many, and how many requests of theirs were refused.
        seconds: how long all took.
    """

    made: dict[int, tuple[int, int]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def requests(self) -> int:
        """How many there were, granted and refused."""
        return sum(swaps * agents + refused for swaps, (agents, refused) in self.made.items())

    def add(self, swaps: int, refused: int, agents: int = 1) -> None:
        """Count agents that made so many swaps each, and had so many requests refused together."""
        known, before = self.made.get(swaps, (0, 0))
        self.made[swaps] = (known + agents, before + refused)

    @property
    def columns(self) -> dict[str, tuple[float, ...]]:
        """It, as raw values."""
        swaps = tuple(sorted(self.made))
        agents, refused = zip(*(self.made[one] for one in swaps), strict=True)
        return {"swaps": swaps, "agents": agents, "refused": refused, "seconds": (self.seconds,) * len(swaps)}


@dataclass
class Workload:
    """What a worker has to do, and where its results go.

    Attributes:
        job: its job.
        times: one for each pair or sender.
        batches: for `create`: agents, seconds and bytes of each batch.
        tally: for `grid/swap`: what agents made, and in how many seconds.
        counters: what was counted beside the times.
        steps: how far preparing has come, so that a slow worker can be told from one that hangs.
        mark: called by what has no phases when what is measured begins (True) and ends (False).
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
        """How long that took."""
        return self.tally.seconds if self.tally else sum(seconds for _, seconds, _ in self.batches)

    @property
    def configuration(self) -> Configuration:
        """What is measured."""
        return self.job.configuration

    @cached_property
    def exchange(self) -> Exchange:
        """What is exchanged, and how often."""
        return self.configuration.exchange

    @property
    def body(self) -> str:
        """The body of each message."""
        return "x" * self.exchange.payload_bytes

    @property
    def trips(self) -> int:
        """How many round trips each pair makes, in all three phases."""
        return self.exchange.trips

    @property
    def senders(self) -> range:
        """The numbers of the agents that ask."""
        if self.is_one_of_many:
            return range(senders_of(self.configuration, self.job.member))
        return range(self.exchange.load)

    @property
    def is_one_of_many(self) -> bool:
        """Whether this worker is a member: agents of both kinds are here, as they are on every host."""
        return self.configuration.placement == N_HOSTS

    @property
    def many_to_one(self) -> bool:
        """Whether all ask the same one."""
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
        """Return the number of the agent that answers `sender`, where one worker has all that answer."""
        return 0 if self.many_to_one else sender

    def done(self) -> int:
        """Return how many steps are done, for the display and the watch."""
        return self.steps + sum(len(times.rtts) for times in self.times)


def _nothing() -> str:
    return ""


async def _nobody() -> None:
    pass


@dataclass
class PreparedRole:
    """A role that a worker is ready to play.

    Attributes:
        endpoint: how other workers reach it.
        measure: makes all round trips, or creates all agents; None where another worker does that.
        complaint: says after the measurement what makes it worthless; nothing if all went well.
        meet: waits, when all workers are prepared, until this one knows all whom it will talk to.
    """

    endpoint: str = ""
    measure: Callable[[], Awaitable[None]] | None = None
    complaint: Callable[[], str] = _nothing
    meet: Callable[[], Awaitable[None]] = _nobody


Role = Callable[[Workload], AbstractAsyncContextManager[PreparedRole]]
