"""What is said of hosts: a table of what each did, and what of a run is not valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.points import named
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.row import Digest
from formicary_bench.vocabulary.places import DOING

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
    unsaid = dict.fromkeys(("each", "stability", "compared", "records"), ())
    methods = dict.fromkeys(("ci_method", "percentile_ci_method"), "none")
    about: dict[str, Any] = {"figures": {}, "warm_up": None, "cpu": None, "round_trips": 0, "full_load": None}
    return msgspec.structs.replace(row, **unsaid, **methods, **about)


def voided_digest(digest: Digest) -> Digest:
    """As `voided`, with what belongs to the row."""
    return Digest(voided(digest.row), None) if digest.row.invalid else digest


def invalid_remarks(rows: Sequence[Row]) -> list[str]:
    """Return which rows are not valid, and why."""
    return [f"{named(row, rows)}: not valid: {'; '.join(row.invalid)}" for row in rows if row.invalid]


def host_tables(rows: Sequence[Row]) -> list[Extra]:
    """Show what each host did for each row that is valid, at the largest load."""
    most = max((row.exchange.load for row in rows if row.by_host), default=0)
    lines = [
        (row, host, one)
        for row in rows
        if row.exchange.load == most and not row.invalid
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
    load = row.exchange.load
    return f"{label(row)}, {load} at once" if load else label(row)
