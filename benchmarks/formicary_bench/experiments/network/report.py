"""What `network` found, in words, tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench import published
from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.dots import Dot, Dots
from formicary_bench.reports.charts.lines import Axis, Lines, Point
from formicary_bench.reports.charts.plots import Chart, lines_of
from formicary_bench.reports.charts.series import APART, Series, by_series, label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, Extra

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.summary.estimates import NetworkEstimates
    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.estimates import Estimate

    Value = Callable[[NetworkEstimates], Estimate | None]

_KBIT = 1000 / 8  # bytes
_GREYS = ("t", "u", "v", "w", "t")
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


def network_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of the rows of `network`."""
    ordered = _ordered(rows)
    known = [row.network for row in ordered if row.network]
    bodies = tuple(formatting.short(formatting.size(row.payload_bytes)) for row in ordered)
    wire, overhead = [one.wire_bytes_per_s for one in known], [one.overhead for one in known]
    return [
        Column(
            "who", tuple(label(row) for row in ordered), names=True, of=tuple(row.anchor for row in ordered)
        ),
        Column("pairs", tuple(str(row.pairs) for row in ordered)),
        Column("body", bodies, minor=len(set(bodies)) == 1),
        Column("on the wire", tuple(bits(one.mean) for one in wire)),
        Column("95%", tuple(formatting.spread(one.mean, one.ci95) for one in wire)),
        Column("bodies", tuple(bits(one.payload_bytes_per_s.mean) for one in known), minor=True),
        Column("per byte of a body", tuple(formatting.digits(one.mean) if one else "" for one in overhead)),
        Column("95%", tuple(formatting.spread(one.mean, one.ci95) if one else "" for one in overhead)),
        Column("each message", tuple(formatting.size(one.wire_bytes_per_message.mean) for one in known)),
        Column("packets/s", tuple(formatting.count(one.packets_per_s.mean) for one in known)),
        Column("messages per packet", tuple(formatting.times(one.messages_per_packet.mean) for one in known)),
        Column("server's share", tuple(f"{one.server_share:.0%}" for one in known), minor=True),
        *stability_column(ordered),
    ]


def _through_server(rows: Sequence[Row]) -> list[Extra]:
    """Return the server's share, and the two ways of which each message that goes through it goes both."""
    shown = [row for row in rows if row.network and row.network.server_share]
    known = [row.network for row in shown if row.network]
    if not known:
        return []
    columns = [
        Column("who", tuple(label(row) for row in shown), names=True, of=tuple(row.anchor for row in shown)),
        Column("pairs", tuple(str(row.pairs) for row in shown)),
        Column("server's share", tuple(f"{one.server_share:.0%}" for one in known)),
        Column("to the server", tuple(_bytes(one.to_server_per_message) for one in known)),
        Column("from it", tuple(_bytes(one.from_server_per_message) for one in known)),
    ]
    remark = (
        "The share is of what the connections of the asking process carry; the bytes are for each message, "
        "without the headers of TCP and IP."
    )
    return [Extra("What goes through the server", columns, remark)]


def _bytes(figure: Estimate | None) -> str:
    return formatting.size(figure.mean) if figure and figure.mean else ""


def network_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what goes over the wire for each byte that is sent."""
    found: list[str] = []
    for members in by_series(_ordered(rows)).values():
        few, many = (pick(members, key=lambda row: row.pairs) for pick in (min, max))
        if members[0].platform != "formicary" or few.network is None or many.network is None:
            continue
        between = "" if few.kind == "behaviours" else " between micro-agents"
        more = told(", and ", _each(many, many.network)) if many is not few else ""
        twice = "; each goes to the server and from it" if few.network.server_share else ""
        found.append(told(f"{where(few)}{between}, ", _each(few, few.network), more, f"{twice}."))
    return found


def network_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show what varies with the number of pairs, as in Fig. 17."""
    known = _ordered(rows)
    columns = network_columns(rows)
    if len({row.pairs for row in known}) == 1 or not columns[0].cells:
        return []
    charts: list[tuple[str, str, Value, Callable[[float], str]]] = [
        ("Overhead against pairs", "bytes per byte of a body", lambda one: one.overhead, formatting.digits),
        (
            "Batching against pairs",
            "messages per packet",
            lambda one: one.messages_per_packet,
            formatting.times,
        ),
    ]
    return [
        _throughputs(known, columns),
        *(
            Chart(title, _wire(rows), _lines(known, value, axis, text), columns)
            for title, axis, value, text in charts
            if all(row.network and value(row.network) for row in known)
        ),
        *_overheads(known),
    ]


def _throughputs(rows: Sequence[Row], columns: list[Column]) -> Chart:
    """Show the throughput, with what is published of it as lines across the chart."""
    chart = _lines(rows, lambda one: one.wire_bytes_per_s, "on the wire", bits)
    ends = min(row.pairs for row in rows), max(row.pairs for row in rows)
    theirs = {
        Series(f"Published: {one.platform}, {one.statement}", colour, "circle", "2 4"): [
            Point(
                pairs,
                one.kbit_per_s * _KBIT,
                f"{bits(one.kbit_per_s * _KBIT)}, {published.SOURCE}",
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
    return Chart(title, caption, msgspec.structs.replace(chart, lines=lines), columns)


def _overheads(rows: Sequence[Row]) -> list[Chart]:
    """Show what a message takes on the wire beyond its body, with and without batches and TLS."""
    most = max(row.pairs for row in rows)
    shown = [row for row in rows if row.pairs == most]
    bars = [
        Dot(series, max(figure.mean, 0), formatting.size(max(figure.mean, 0)), figure.ci95, of=row.anchor)
        for series, (row, *_) in by_series(shown).items()
        for figure in ([row.network.wire_overhead_per_message] if row.network else [])
    ]
    columns = _switch_columns(shown)
    if len(bars) < 2 or not columns:  # noqa: PLR2004 -- a comparison
        return []
    title = f"What a message of {most} pairs takes on the wire beyond its body"
    return [
        Chart(
            title, f"Less is better. {_wire(rows)}", Dots({"": bars}, "bytes beyond the body", _tick), columns
        )
    ]


def _tick(value: float) -> str:
    return formatting.short(formatting.size(value))


def _switch_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of routes by what is switched on; empty where nothing is switched."""
    known = sorted(
        (row for row in _ordered(rows) if row.network and row.kind != "micro"), key=lambda row: row.route
    )
    if len({(row.platform, row.tls) for row in known if row.platform in _BATCHES}) < 2:  # noqa: PLR2004
        return []
    parts = [row.network.wire_overhead_per_message for row in known if row.network]
    packed = [row.network.messages_per_packet for row in known if row.network]
    return [
        Column("route", tuple(row.route for row in known), names=True),
        Column(
            "who", tuple(subject(row) for row in known), names=True, of=tuple(row.anchor for row in known)
        ),
        Column("batches", tuple(_BATCHES.get(row.platform, "") for row in known)),
        Column("TLS", tuple("on" if row.tls else "off" for row in known)),
        Column("pairs", tuple(str(row.pairs) for row in known)),
        Column("beyond the body", tuple(formatting.size(max(one.mean, 0)) for one in parts)),
        Column("95%", tuple(formatting.spread(one.mean, one.ci95) for one in parts)),
        Column("messages per packet", tuple(formatting.times(one.mean) for one in packed)),
        Column("trips/s", tuple(formatting.count(row.round_trips_per_s) for row in known)),
    ]


def network_references(rows: Sequence[Row]) -> list[Extra]:
    """Put what is published beside ours."""
    known = [row for row in _ordered(rows) if row.network]
    if not known:
        return []
    lines = [
        (f"{one.platform} ({published.SOURCE}, Section 5.5)", one.statement, bits(one.kbit_per_s * 1000 / 8))
        for one in published.throughputs()
    ]
    of = [""] * len(lines)
    for series, members in by_series(known).items():
        best = max(members, key=_throughput)
        lines.append(
            (series.label, f"most, with {formatting.counted(best.pairs, 'pair')}", bits(_throughput(best)))
        )
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
    loads = {row.pairs for row in known}
    shown = [row for row in known if row.pairs in {min(loads), max(loads)}]
    switches = _switch_columns(shown)
    changes = [Extra("What batches and TLS change on the wire", switches, _SWITCHES)] if switches else []
    return [*_through_server(known), *changes, beside]


def _wire(rows: Sequence[Row]) -> str:
    """Say what the wire is."""
    placements = {row.placement for row in rows}
    said = [LOOPBACK] if APART in placements else []
    return " ".join([*said, BETWEEN_HOSTS] if placements - {APART} else said)


def bits(bytes_per_s: float) -> str:
    """Write a throughput as the paper does, in bits per second."""
    return f"{formatting.count(bytes_per_s * 8)}bit/s"


def _ordered(rows: Sequence[Row]) -> list[Row]:
    return [row for members in by_series(row for row in rows if row.network).values() for row in members]


def _throughput(row: Row) -> float:
    return row.network.wire_bytes_per_s.mean if row.network else 0.0


def _each(row: Row, network: NetworkEstimates) -> str:
    pairs = "one pair" if row.pairs == 1 else f"{row.pairs} pairs"
    times = cite(formatting.times(network.overhead.mean), row) if network.overhead else ""
    return told(
        f"a message of {pairs} is ",
        cite(formatting.size(network.wire_bytes_per_message.mean), row),
        " on the wire",
        told(", ", times, " times its body") if times else "",
        ", ",
        cite(formatting.times(network.messages_per_packet.mean), row),
        " of them in a packet",
    )


def _lines(rows: Sequence[Row], value: Value, axis: str, text: Callable[[float], str]) -> Lines:
    def points(row: Row) -> list[Point]:
        figure = value(row.network) if row.network else None
        assert figure is not None
        spread = formatting.spread(figure.mean, figure.ci95)
        tip = f"{formatting.counted(row.pairs, 'pair')}: {text(figure.mean)} {spread}".rstrip()
        is_sound = row.full_load is not False
        return [Point(row.pairs, figure.mean, tip, figure.ci95, sound=is_sound, of=row.anchor)]

    across = Axis("pairs at once", scales.whole, scales.logarithmic_at)
    return lines_of(rows, across, Axis(axis, lambda number: formatting.short(text(number))), points)


REPORT = Report(
    columns=network_columns,
    sentences=network_sentences,
    charts=network_charts,
    extras=network_references,
    ratios=no_ratios,  # its rates are those of what is looked at on the wire meanwhile
)
