"""Which part of a platform over many hosts is used up first, by lines through measured points. Pure.

All hosts are alike: each has one container's process on a core of its own and, if any, an XMPP server's on
another. Every host sends as many messages per second as it receives. The capacity of a part follows from its
CPU time per message on one core, less the share of its idle links.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

import msgspec

from formicary_bench.statistics.intervals import student_t
from formicary_bench.vocabulary.places import RING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Prediction(msgspec.Struct, frozen=True):
    """A value with the bounds of its 95% interval.

    Values computed from several keep the outermost bounds, so intervals are never too narrow.
    """

    mean: float
    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Self:
        """Return a value with no uncertainty."""
        return cls(value, value, value)

    def __add__(self, other: Prediction) -> Prediction:
        return Prediction(self.mean + other.mean, self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> Prediction:
        """Return a multiple; `factor` is not negative."""
        return Prediction(self.mean * factor, self.low * factor, self.high * factor)

    def at_least(self, least: float) -> Prediction:
        """Return this with a lower limit."""
        return Prediction(max(self.mean, least), max(self.low, least), max(self.high, least))


class Line(msgspec.Struct, frozen=True):
    """A straight line through points, by least squares.

    Attributes:
        intercept: its value at 0.
        slope: its slope.
        centre: the mean of the points' places.
        spread: the sum of squared distances from the centre; 0 if all are at one place.
        points: the number of points.
        scatter: the standard deviation of the points around it.
    """

    intercept: float
    slope: float
    centre: float
    spread: float
    points: int
    scatter: float

    def at(self, x: float) -> Prediction:
        """Predict the mean at a place; it is less certain farther from the points."""
        mean = self.intercept + self.slope * x
        freedom = self.points - (2 if self.spread else 1)
        if freedom < 1:
            return Prediction(mean, -math.inf, math.inf)
        away = (x - self.centre) ** 2 / self.spread if self.spread else 0.0
        half = student_t(freedom) * self.scatter * math.sqrt(1 / self.points + away)
        return Prediction(mean, mean - half, mean + half)

    @property
    def rise(self) -> Prediction:
        """The slope with its interval."""
        freedom = self.points - 2
        if freedom < 1 or not self.spread:
            return Prediction(self.slope, -math.inf, math.inf)
        half = student_t(freedom) * self.scatter / math.sqrt(self.spread)
        return Prediction(self.slope, self.slope - half, self.slope + half)


def line_through(points: Sequence[tuple[float, float]]) -> Line | None:
    """Fit a line to points; a level one if all are at one place, None without any."""
    n = len(points)
    if not n:
        return None
    centre = math.fsum(x for x, _ in points) / n
    height = math.fsum(y for _, y in points) / n
    spread = math.fsum((x - centre) ** 2 for x, _ in points)
    slope = math.fsum((x - centre) * (y - height) for x, y in points) / spread if spread else 0.0
    intercept = height - slope * centre
    left = math.fsum((y - intercept - slope * x) ** 2 for x, y in points)
    freedom = n - (2 if spread else 1)
    return Line(intercept, slope, centre, spread, n, math.sqrt(left / freedom) if freedom > 0 else 0.0)


ONE_SERVER, FEDERATED, DIRECT = "one server", "federated servers", "direct links"
CENTRAL, REPLICATED = "central directory, at most", "replicated directory, at least"
"""The former ignores messages to the directory; the latter includes those that confirm an entry."""

_US = 1e6


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """The measured costs. Lines are over the most frames per message: partners of a host by its pairs.

    Attributes:
        agents_us: by way, CPU microseconds of a message in both containers' processes together.
        server_us: by way, those in all servers that it passes.
        link_cores: the share of a core that an end of an idle link uses.
        link_bytes: memory of an end of an idle direct link.
        server_bytes: memory that a server needs for each further host; None if not measured.
        registration_us: CPU time of a registration at the central directory; None if not measured.
        update_us: CPU time of taking another container's registration into a replica; None if not measured.
    """

    agents_us: dict[str, Line]
    server_us: dict[str, Line]
    link_cores: Prediction
    link_bytes: Prediction
    server_bytes: Prediction | None = None
    registration_us: Prediction | None = None
    update_us: Prediction | None = None


class Layout(msgspec.Struct, frozen=True):
    """The platform to predict.

    Attributes:
        hosts: the number of hosts, at least two.
        pairs: sending agents on each.
        traffic: whom they talk to, `ring` or `all-to-all`.
    """

    hosts: int
    pairs: int
    traffic: str

    @property
    def partners(self) -> int:
        """The number of other hosts that each host sends to."""
        return 1 if self.traffic == RING else min(self.hosts - 1, self.pairs)

    @property
    def frames(self) -> float:
        """The most frames per message: 1 if each goes to another host and none share a frame."""
        return self.partners / self.pairs


class Capacity(msgspec.Struct, frozen=True):
    """The messages (or registrations) per second of each host that a part allows."""

    name: str
    per_host: Prediction


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """The prediction for one way to connect hosts, or one kind of directory.

    Attributes:
        way: the way or kind.
        hosts: the number of hosts.
        traffic: whom their agents talk to.
        parts: the parts, the first to be used up first.
        connections: the most connections of one process.
        all_connections: the number of all connections.
        link_bytes: memory of one process's links; None if not measured.
        idle_cores: the share of a core that one process's idle links use.
    """

    way: str
    hosts: int
    traffic: str = ""
    parts: tuple[Capacity, ...]
    connections: int = 0
    all_connections: int = 0
    link_bytes: Prediction | None = None
    idle_cores: Prediction | None = None


def outlook(costs: Costs, way: str, layout: Layout) -> Outlook:
    """Predict one way to connect hosts.

    Raises:
        KeyError: it was not measured.
    """
    others = layout.hosts - 1
    # Through a server, too, a container has a link to each other one, which pings.
    idle = costs.link_cores.times(others)
    agents = Capacity("agents", _capacity(costs.agents_us[way].at(layout.frames), idle))
    if way == DIRECT:
        return Outlook(
            way=way,
            hosts=layout.hosts,
            traffic=layout.traffic,
            parts=(agents,),
            connections=others,
            all_connections=layout.hosts * others // 2,
            link_bytes=costs.link_bytes.times(others),
            idle_cores=idle,
        )
    work = costs.server_us[way].at(layout.frames)
    nothing = Prediction.exactly(0.0)
    if way == ONE_SERVER:
        server = Capacity("the server", _capacity(work.times(layout.hosts), nothing))
        connections, in_all = layout.hosts, layout.hosts
    else:
        server = Capacity("each server", _capacity(work, nothing))
        connections, in_all = 2 * others + 1, layout.hosts * others + layout.hosts
    bytes_ = None if costs.server_bytes is None else costs.server_bytes.times(others)
    return Outlook(
        way=way,
        hosts=layout.hosts,
        traffic=layout.traffic,
        parts=_in_order(agents, server),
        connections=connections,
        all_connections=in_all,
        link_bytes=bytes_,
        idle_cores=idle,
    )


def directory_outlook(costs: Costs, kind: str, hosts: int) -> Outlook | None:
    """Predict the registrations per second of each host; None if the directory was not measured.

    At the central directory one process handles all of them; with replicas each process handles those of all
    others.
    """
    work, takes, name = {
        CENTRAL: (costs.registration_us, hosts, "the directory's process"),
        REPLICATED: (costs.update_us, hosts - 1, "each replica's process"),
    }[kind]
    if work is None:
        return None
    part = Capacity(name, _capacity(work.times(takes), Prediction.exactly(0.0)))
    return Outlook(way=kind, hosts=hosts, parts=(part,))


def _in_order(*parts: Capacity) -> tuple[Capacity, ...]:
    return tuple(sorted(parts, key=lambda part: part.per_host.mean))


def _capacity(work_us: Prediction, idle: Prediction) -> Prediction:
    """Return how often per second a core can do some work beside idle links."""
    return Prediction(
        _rate(work_us.mean, idle.mean), _rate(work_us.high, idle.high), _rate(work_us.low, idle.low)
    )


def _rate(work_us: float, idle: float) -> float:
    left = max(1.0 - max(idle, 0.0), 0.0)
    return left * _US / work_us if work_us > 0 else math.inf
