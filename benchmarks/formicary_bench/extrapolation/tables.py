"""The model as tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.extrapolation.model import CENTRAL, REPLICATED, Layout, directory_outlook, outlook
from formicary_bench.reports import formatting
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.vocabulary.places import TRAFFICS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary_bench.extrapolation.fit import Fitted
    from formicary_bench.extrapolation.model import Outlook, Prediction

    Text = Callable[[float], str]

ASSUMED = (
    "every host has one core for its container's process and another for its XMPP server",
    "a message takes as much CPU time as measured; only the number of messages per frame changes",
    "an idle link through a server costs as much as a direct one",
    "no host runs out of network bandwidth or memory, and no process runs out of file descriptors",
    "all hosts are alike, and so is their traffic",
)
"""The assumptions of the model."""


def outlooks(fitted: Fitted, hosts: Sequence[int], pairs: int) -> list[Outlook]:
    """Predict all ways, and the directory, for several numbers of hosts."""
    found = [
        outlook(fitted.costs, way, Layout(many, pairs, traffic))
        for way in fitted.ways
        for traffic in TRAFFICS
        for many in hosts
    ]
    kinds = ((kind, many) for kind in (CENTRAL, REPLICATED) for many in hosts)
    return [*found, *(one for kind, many in kinds if (one := directory_outlook(fitted.costs, kind, many)))]


def measured_table(fitted: Fitted) -> Extra:
    """Return the measured costs that the model is made of."""
    lines = [line for line in _costs(fitted) if line[1] is not None]
    columns = [
        Column("what", tuple(what for what, _, _ in lines), names=True),
        Column("takes", tuple(text(max(value.mean, 0.0)) for _, value, text in lines if value)),
        Column("95%", tuple(_range(value, text) for _, value, text in lines if value)),
    ]
    remark = (
        f"Over up to {fitted.most_hosts} hosts. Times are CPU time; those of a message are of the processes "
        "of both hosts, or of all servers on its way."
    )
    return Extra("Measured", columns, remark)


def _costs(fitted: Fitted) -> Iterator[tuple[str, Prediction | None, Text]]:
    costs = fitted.costs
    for who, lines in (("agents", costs.agents_us), ("servers", costs.server_us)):
        for way in fitted.ways:
            if way in lines:
                yield f"a message, of {who}, {way}: many share a frame", lines[way].at(0.0), _time
                yield f"a message, of {who}, {way}: each has its own", lines[way].at(1.0), _time
    yield "an end of an idle link, of a core", costs.link_cores, _core
    yield "an end of an idle direct link, memory", costs.link_bytes, formatting.size
    yield "a federated server, memory for each further host", costs.server_bytes, formatting.size
    yield "a registration, at the central directory", costs.registration_us, _time
    yield "a registration, for each replica that sees it and tells", costs.update_us, _time


def outlook_table(found: Sequence[Outlook], pairs: int) -> Extra:
    """Return the predictions for the ways to connect hosts."""
    ways = [one for one in found if one.connections]
    first = [one.parts[0] for one in ways]
    columns = [
        Column("way", tuple(f"{one.way}, {one.traffic}" for one in ways), names=True),
        Column("hosts", tuple(str(one.hosts) for one in ways)),
        Column("bottleneck", tuple(part.name for part in first)),
        Column("messages/s each", tuple(formatting.count(part.per_host.mean) for part in first)),
        Column("95%", tuple(_range(part.per_host, formatting.count) for part in first)),
        Column("connections", tuple(formatting.number(one.connections) for one in ways)),
        Column("total", tuple(formatting.number(one.all_connections) for one in ways)),
        Column("memory", tuple(_memory(one) for one in ways)),
        Column("idle", tuple(_core(one.idle_cores.mean if one.idle_cores else 0) for one in ways)),
    ]
    remark = (
        f"As many as a core can take, with {pairs} senders on each host. Connections, their memory and what "
        "they take idle, as part of a core, are those of one container, or of one server."
    )
    return Extra("Predicted: messages", columns, remark)


def directory_table(found: Sequence[Outlook]) -> Extra | None:
    """Return the predictions for the directory; None if it was not measured."""
    kinds = [one for one in found if not one.connections]
    if not kinds:
        return None
    rates = [one.parts[0].per_host for one in kinds]
    columns = [
        Column("directory", tuple(one.way for one in kinds), names=True),
        Column("hosts", tuple(str(one.hosts) for one in kinds)),
        Column("bottleneck", tuple(one.parts[0].name for one in kinds)),
        Column("registrations/s each", tuple(formatting.count(rate.mean) for rate in rates)),
        Column("95%", tuple(_range(rate, formatting.count) for rate in rates)),
    ]
    remark = "As many as a core can take, if each host's agents register as often as every other host's."
    return Extra("Predicted: the directory", columns, remark)


def _range(value: Prediction, text: Text) -> str:
    if not math.isfinite(value.high - value.low) and not math.isfinite(value.low):
        return "unknown"
    low = text(max(value.low, 0.0))
    return f"{low} to {text(value.high)}" if math.isfinite(value.high) else f"at least {low}"


def _time(microseconds: float) -> str:
    return formatting.duration(microseconds) if microseconds else "0 µs"


def _core(part: float) -> str:
    return f"{formatting.digits(part * 100, 2)}%"


def _memory(one: Outlook) -> str:
    return formatting.size(one.link_bytes.mean) if one.link_bytes else formatting.NOTHING
