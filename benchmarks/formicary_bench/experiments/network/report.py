"""What `network` found, in words, tables and charts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench import published
from formicary_bench.experiments.network import (
    BEYOND,
    EXPERIMENT,
    FROM_SERVER,
    PER_PACKET,
    SHARE,
    THROUGHPUT,
    TO_SERVER,
)
from formicary_bench.reports.charts.lines import Point
from formicary_bench.reports.charts.plots import Chart, against, dots
from formicary_bench.reports.charts.series import APART, Series, by_series
from formicary_bench.reports.document.citing import told
from formicary_bench.reports.document.figures import value_of, writer
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import at_once, where
from formicary_bench.reports.document.tables import Column, Extra, metric_columns, who_columns
from formicary_bench.reports.document.usual import figure_charts, sentence, usual_columns
from formicary_bench.vocabulary.metrics import RATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_KBIT = 1000  # bits
_GREYS = ("t", "u", "v", "w", "t")
_EACH = (
    "a message of {pairs} is {wire_bytes_per_message} on the wire[, {overhead} times its body], "
    "{messages_per_packet} of them in a packet"
)
_BATCHES = {"formicary": "on", "formicary-unbatched": "off"}
_SWITCHES = (
    "What each message takes beyond its body: the platform's own words, TLS, and the headers of TCP and IP, "
    "those of packets that only acknowledge included. Without batches each message has a frame of its own; "
    "the system may still put several frames into a packet."
)

LOOPBACK = (
    "On one host the wire is the loopback interface, whose packets may have 64 kB, where those of Ethernet "
    "have 1.5 kB. Unix sockets, which direct links prefer on one host, do not show there: here they use TCP."
)


BETWEEN_HOSTS = "Between hosts the wire is their interfaces: what one of them sends, and another receives."


def _through_server(rows: Sequence[Row]) -> list[Extra]:
    """Return the server's share, and the two ways of which each message that goes through it goes both."""
    shown = [row for row in rows if row.mean(SHARE)]
    if not shown:
        return []
    columns = [
        *who_columns(shown),
        *metric_columns(shown, (dataclasses.replace(SHARE, minor=False), TO_SERVER, FROM_SERVER)),
    ]
    remark = (
        "The share is of what the connections of the asking process carry; the bytes are for each message, "
        "without the headers of TCP and IP."
    )
    return [Extra("What goes through the server", columns, remark)]


def network_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what goes over the wire for each byte that is sent."""
    found: list[str] = []
    for members in by_series(_known(rows)).values():
        few, many = (pick(members, key=lambda row: row.exchange.pairs) for pick in (min, max))
        if members[0].platform != "formicary":
            continue
        between = "" if few.kind == "behaviours" else " between micro-agents"
        more = told(", and ", _each(many, rows)) if many is not few else ""
        twice = "; each goes to the server and from it" if few.mean(SHARE) else ""
        found.append(told(f"{where(few)}{between}, ", _each(few, rows), more, f"{twice}."))
    return found


def network_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show what varies with the number of pairs, as in Fig. 17."""
    known = _known(rows)
    if len({row.exchange.pairs for row in known}) < 2:  # noqa: PLR2004 -- a line has two ends
        return []
    charts = [
        replace(chart, caption=_wire(rows))
        for figure in EXPERIMENT.figures
        for chart in figure_charts(figure, known, EXPERIMENT)
    ]
    return [_throughputs(known), *charts, *_overheads(known)]


def _throughputs(rows: Sequence[Row]) -> Chart:
    """Show the throughput, with what is published of it as lines across the chart."""
    chart = against(rows, lambda row: row.exchange.pairs, "pairs at once", str, THROUGHPUT)
    pairs = [row.exchange.pairs for row in rows]
    ends, write = (min(pairs), max(pairs)), writer(THROUGHPUT)
    theirs = {
        Series(f"Published: {one.platform}, {one.statement}", colour, "circle", "2 4"): [
            Point(
                pairs,
                one.kbit_per_s * _KBIT,
                f"{write(one.kbit_per_s * _KBIT)}, {published.SOURCE}",
                marked=False,
            )
            for pairs in ends
        ]
        for one, colour in zip(published.throughputs(), _GREYS, strict=True)
    }
    lines = {**chart.lines, **theirs}
    caption = (
        f"Dotted lines were not measured here: they are what {published.SOURCE}, Section 5.5, says of its "
        f"Fig. 17, measured on {published.MACHINE}. {_wire(rows)}"
    )
    title = titled("Throughput on the wire against pairs, beside the published figures", rows)
    return Chart(title, caption, replace(chart, lines=lines), usual_columns(rows))


def _overheads(rows: Sequence[Row]) -> list[Chart]:
    """Show what a message takes on the wire beyond its body, with and without batches and TLS."""
    most = max(row.exchange.pairs for row in rows)
    shown = [row for row in rows if row.exchange.pairs == most]
    columns = _switch_columns(shown)
    if len(shown) < 2 or not columns:  # noqa: PLR2004 -- a comparison
        return []
    title = f"What a message of {most} pairs takes on the wire beyond its body"
    return [Chart(title, f"Less is better. {_wire(rows)}", dots(shown, BEYOND), columns)]


def _switch_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of routes by what is switched on; empty where nothing is switched."""
    known = sorted((row for row in _known(rows) if row.kind != "micro"), key=lambda row: row.route)
    if len({(row.platform, row.tls) for row in known if row.platform in _BATCHES}) < 2:  # noqa: PLR2004
        return []
    return [
        Column("route", tuple(row.route for row in known), names=True),
        *who_columns(known),
        Column("batches", tuple(_BATCHES.get(row.platform, "") for row in known)),
        Column("TLS", tuple("on" if row.tls else "off" for row in known)),
        *metric_columns(known, (BEYOND, PER_PACKET, RATE)),
    ]


def network_references(rows: Sequence[Row]) -> list[Extra]:
    """Put what is published beside ours."""
    known, write = _known(rows), writer(THROUGHPUT)
    if not known:
        return []
    lines = [
        (f"{one.platform} ({published.SOURCE}, Section 5.5)", one.statement, write(one.kbit_per_s * _KBIT))
        for one in published.throughputs()
    ]
    of = [""] * len(lines)
    for series, members in by_series(known).items():
        best = max(members, key=lambda row: row.mean(THROUGHPUT) or 0.0)
        lines.append((series.label, f"most, with {at_once(best)}", value_of(best, THROUGHPUT)))
        of.append(best.anchor)
    who, what, values = zip(*lines, strict=True)
    columns = [
        Column("who", who, names=True, of=tuple(of)),
        Column("what", what, names=True),
        Column("on the wire", values),
    ]
    remark = (
        "The paper's hosts were joined by Fast Ethernet, and how large its messages were is not said: "
        "compare how they grow with the pairs, not the values."
    )
    beside = Extra("Beside the published figures", columns, remark)
    loads = {row.exchange.pairs for row in known}
    shown = [row for row in known if row.exchange.pairs in {min(loads), max(loads)}]
    switches = _switch_columns(shown)
    changes = [Extra("What batches and TLS change on the wire", switches, _SWITCHES)] if switches else []
    return [*_through_server(known), *changes, beside]


def _wire(rows: Sequence[Row]) -> str:
    """Say what the wire is."""
    placements = {row.placement for row in rows}
    said = [LOOPBACK] if APART in placements else []
    return " ".join([*said, BETWEEN_HOSTS] if placements - {APART} else said)


def _known(rows: Sequence[Row]) -> list[Row]:
    return [row for row in ordered(rows) if row.estimate(THROUGHPUT)]


def _each(row: Row, rows: Sequence[Row]) -> str:
    return sentence(_EACH, row, rows)


REPORT = Report(
    sentences=network_sentences,
    charts=network_charts,
    extras=network_references,
    ratios=no_ratios,  # its rates are those of what is looked at on the wire meanwhile
)
