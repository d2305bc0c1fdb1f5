"""What is said of hosts: a table of what each did, and what of a run is not valid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.points import named
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.row import Digest
from formicary_bench.vocabulary.roles import DOING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_REMARK = (
    "While all pairs were measured together. What a host's interface has sent and received is with it; what "
    "its own processes say to each other goes over loopback. Memory is what each process has alone."
)


def voided(row: Row) -> Row:
    """Return a row as reports show it: without figures where they are not valid. JSON has both."""
    if not row.invalid:
        return row
    empty = dict.fromkeys(_FIGURES)
    unsaid = dict.fromkeys(("each", "stability", "compared"), ())
    methods = dict.fromkeys(("ci_method", "percentile_ci_method"), "none")
    return msgspec.structs.replace(row, **empty, **unsaid, **methods, round_trips=0, full_load=None)


def voided_digest(digest: Digest) -> Digest:
    """As `voided`, with what belongs to the row."""
    return Digest(voided(digest.row), None) if digest.row.invalid else digest


_FIGURES = (
    *(
        "rtt_mean_us",
        "rtt_ci95_us",
        "rtt_min_us",
        "rtt_ci95_papers_us",
    ),
    *(f"rtt_{name}_{unit}" for name in ("p50", "p90", "p99", "p999") for unit in ("us", "ci95_us")),
    *("warm_up", "rtt_max_us", "round_trips_per_s", "round_trips_per_s_ci95"),
    *("agents_per_s", "agents_per_s_ci95", "bytes_per_agent", "memory", "network", "scale", "cpu"),
)


def invalid_remarks(rows: Sequence[Row]) -> list[str]:
    """Say which rows are not valid, and why."""
    return [f"{named(row, rows)}: not valid: {'; '.join(row.invalid)}" for row in rows if row.invalid]


def host_tables(rows: Sequence[Row]) -> list[Extra]:
    """Show what each host did for each row that is valid, at the largest load."""
    most = max((row.senders for row in rows if row.by_host), default=0)
    lines = [
        (row, host, one)
        for row in rows
        if row.senders == most and not row.invalid
        for host in row.by_host
        for one in host.processes
    ]
    if not lines:
        return []
    columns = [
        Column(
            "who",
            tuple(_point(row) for row, _, _ in lines),
            names=True,
            of=tuple(row.anchor for row, _, _ in lines),
        ),
        Column("host", tuple(host.name for _, host, _ in lines)),
        Column("CPU", tuple(f"{host.busy.mean:.0%}" for _, host, _ in lines)),
        Column("wire/s", tuple(formatting.size(host.wire_bytes_per_s.mean) for _, host, _ in lines)),
        Column("packets/s", tuple(formatting.count(host.wire_packets_per_s.mean) for _, host, _ in lines)),
        Column("loopback/s", tuple(formatting.size(host.loopback_bytes_per_s.mean) for _, host, _ in lines)),
        Column("process", tuple(DOING.get(one.name, one.name) for _, _, one in lines)),
        Column("cores", tuple(f"{one.cores.mean:.2f}" for _, _, one in lines)),
        Column("memory", tuple(formatting.size(one.bytes.mean) for _, _, one in lines)),
    ]
    return [Extra("What each host did", columns, _REMARK)]


def _point(row: Row) -> str:
    return f"{label(row)}, {row.senders} at once" if row.senders else label(row)
