"""Fit the model to the figures of runs. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from formicary.errors import UsageError
from formicary_bench.experiments.messaging.scale_out import AGENTS_CPU, BUSIEST, SERVER_HOLDS, SERVERS_CPU
from formicary_bench.extrapolation.model import (
    DIRECT,
    FEDERATED,
    ONE_SERVER,
    Costs,
    Layout,
    Prediction,
    line_through,
)
from formicary_bench.vocabulary.metrics import TIME
from formicary_bench.vocabulary.names import SCALE_OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary_bench.extrapolation.idle import IdleLinks
    from formicary_bench.extrapolation.model import Line
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric

ONE = "one"
"""The manifest's word for one server for all hosts."""

_CROWDED = 0.95
_HALF = 0.5


class Measured(NamedTuple):
    """A row of a run, and whether its hosts shared one server or had one each."""

    row: Row
    servers: str


class Fitted(NamedTuple):
    """The fitted parts of the model.

    Attributes:
        costs: the costs.
        ways: the ways with costs.
        most_hosts: the largest number of hosts measured.
        doubts: sentences about why the costs are less certain than their intervals.
    """

    costs: Costs
    ways: tuple[str, ...]
    most_hosts: int
    doubts: tuple[str, ...]


def fit(measured: Sequence[Measured], kind: str, links: IdleLinks) -> Fitted:
    """Fit the costs of one kind of agents, and of the directory if that was measured.

    Args:
        measured: all rows.
        kind: `behaviours` or `micro`.
        links: the costs of idle links.

    Raises:
        UsageError: there is no `messaging/scale-out` over several hosts.
    """
    there = [one for one in measured if _fits(one.row, kind)]
    by_way = {way: [one.row for one in there if _way(one) == way] for way in (DIRECT, FEDERATED, ONE_SERVER)}
    agents = _lines(by_way, AGENTS_CPU)
    servers = _lines({**by_way, DIRECT: []}, SERVERS_CPU)
    doubts = _doubts([one.row for one in there])
    if FEDERATED in servers and ONE_SERVER not in servers:
        agents[ONE_SERVER], servers[ONE_SERVER] = agents[FEDERATED], _part(servers[FEDERATED], _HALF)
        doubts.append(
            "a single server was not measured: it is assumed to need half as much time per message as "
            "two federated ones (measure it with --servers one)"
        )
    doubts += [
        f"{way}: its servers were not accounted for, so it is not predicted (the server's host also "
        "needs the role containers, and must take part)"
        for way in agents
        if way != DIRECT and way not in servers
    ]
    ways = tuple(way for way in agents if way == DIRECT or way in servers)
    if not ways:
        raise UsageError(
            f"nothing to fit: the model needs {SCALE_OUT} over two or more hosts; measure it with: "
            f"formicary bench run {SCALE_OUT} --hosts hosts.toml --pairs 3,12,50"
        )
    costs = Costs(
        agents_us=agents,
        server_us=servers,
        link_cores=links.cores,
        link_bytes=links.size,
        server_bytes=_server_bytes(by_way[FEDERATED]),
        registration_us=_registration([one.row for one in measured]),
        update_us=_update([one.row for one in measured]),
    )
    return Fitted(costs, ways, max(one.row.hosts for one in there), tuple(doubts))


def kinds_of(measured: Sequence[Measured]) -> tuple[str, ...]:
    """Return the kinds of agents that can be fitted."""
    kinds = dict.fromkeys(one.row.kind for one in measured if one.row.experiment == SCALE_OUT)
    return tuple(kind for kind in kinds if any(_fits(one.row, kind) for one in measured))


def _fits(row: Row, kind: str) -> bool:
    return (
        row.experiment == SCALE_OUT
        and row.kind == kind
        and row.hosts > 1
        and row.estimate(AGENTS_CPU) is not None
    )


def _way(one: Measured) -> str:
    if one.row.route != "xmpp":
        return DIRECT
    return ONE_SERVER if one.servers == ONE else FEDERATED


def _lines(by_way: dict[str, list[Row]], metric: Metric) -> dict[str, Line]:
    """Fit a line over frames per message for each way."""
    lines = {way: line_through(_points(rows, metric, _frames)) for way, rows in by_way.items()}
    return {way: line for way, line in lines.items() if line is not None}


def _points(rows: Iterable[Row], metric: Metric, x: Callable[[Row], float]) -> list[tuple[float, float]]:
    return [(x(row), value) for row in rows if (value := row.mean(metric)) is not None]


def _frames(row: Row) -> float:
    return Layout(row.hosts, row.exchange.pairs, row.traffic).frames


def _part(line: Line, factor: float) -> Line:
    from msgspec.structs import replace

    scaled = {name: getattr(line, name) * factor for name in ("intercept", "slope", "scatter")}
    return replace(line, **scaled)


def _server_bytes(rows: Sequence[Row]) -> Prediction | None:
    """Return how much a server's memory grows with each further host."""
    line = line_through(_points(rows, SERVER_HOLDS, lambda row: float(row.hosts)))
    # A slope within the noise is unknown, not zero.
    return line.rise.at_least(0.0) if line is not None and line.spread and line.rise.high > 0 else None


def _registration(rows: Sequence[Row]) -> Prediction | None:
    """Return the CPU time of a registration at the central directory, with the most services measured.

    In one process nothing waits: the time of a registration is CPU time, unless the machine was doing
    something else. So this is the median.
    """
    known = [
        row
        for row in rows
        if (row.experiment, row.kind, row.placement) == ("directory/register", "central", "same-container")
        and row.estimate(TIME)
    ]
    if not known:
        return None
    row = max(known, key=lambda row: row.size("services"))
    median = row.mean(TIME) or 0.0
    low, high = row.bounds(TIME) or (0.0, math.inf)
    return Prediction(median, low, high).at_least(0.0)


def _update(rows: Sequence[Row]) -> Prediction | None:
    """Return the time for one more replica, in the same process, to learn of a registration.

    It includes the message that confirms this, so it is an upper bound.
    """
    known = [
        row
        for row in rows
        if (row.experiment, row.kind) == ("directory/propagation", "replica")
        and (row.route, row.placement) == ("direct", "two-containers")
    ]
    line = line_through(_points(known, TIME, lambda row: float(row.size("containers"))))
    return line.rise.at_least(0.0) if line is not None and line.spread else None


def _doubts(rows: Sequence[Row]) -> list[str]:
    """Return why the measured costs are less certain than their intervals."""
    busy = [part for row in rows if (part := row.mean(BUSIEST)) is not None]
    said = []
    if any(part > _CROWDED for part in busy):
        many = sum(part > _CROWDED for part in busy)
        said.append(
            f"in {many} of {len(busy)} configurations no core of a host was free: when processes "
            "wait for each other, a message takes more CPU time than on separate machines"
        )
    if rows and max(map(_frames, rows)) < 1:
        most = max(map(_frames, rows))
        said.append(
            f"no messages were spread over more than {most:.2g} frames each: beyond that, results "
            "are extrapolated (also measure few pairs: --pairs 3,12,50)"
        )
    return said
