"""How long all messages take in all, of agents and of plain processes over TCP sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, intervals, lines_of, point_of, tick
from formicary_bench.reports.charts.series import PLACES, TWO_HOSTS, by_series, label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import listed
from formicary_bench.reports.document.factors import said as said_of
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import NOT_VALID, Column, Extra
from formicary_bench.results.summary.baselines import BASELINES
from formicary_bench.results.summary.each import TOTAL
from formicary_bench.results.verdicts.factors import factor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Bounds, Row
    from formicary_bench.results.verdicts.factors import Factor

_PROCESSES = "tcp"
_MICRO = 1e6


def lower_bound_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of `messaging/lower-bound`."""
    ordered = _ordered(rows)
    return [
        *_who(ordered),
        Column("total time", tuple(NOT_VALID if row.invalid else _total(row) for row in ordered)),
        Column("95%", tuple(formatting.spread(row.total_s, row.total_s_ci95) for row in ordered)),
        Column("against processes", tuple(_times(row, rows) for row in ordered), minor=True),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in ordered), minor=True),
        Column("trips/s", tuple(formatting.count(row.round_trips_per_s) for row in ordered), minor=True),
        *stability_column(ordered),
    ]


def lower_bound_sentences(rows: Sequence[Row]) -> list[str]:
    """Say how long agents take, and how fast that is beside processes."""
    said: list[str] = []
    for members in by_series(row for row in rows if row.platform not in BASELINES and row.total_s).values():
        most = max(members, key=lambda row: row.pairs)
        found = against_processes(most, rows)
        pairs = "one pair takes" if most.pairs == 1 else f"{most.pairs} pairs take"
        of = told(", ", listed([found])) if found else ""
        total = cite(_total(most), most)
        said.append(told(f"{where(most)}, {subject(most).lower()}: {pairs} ", total, " in all", of, "."))
    return said


def lower_bound_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the total time against the number of pairs, on one host and on two."""
    over_hosts = [row for row in rows if row.placement == TWO_HOSTS and row.total_s]
    here = [row for row in rows if row.placement != TWO_HOSTS and row.total_s]
    panels = (("one host", here), ("two hosts", over_hosts))
    return [
        _chart(titled(f"Total time against pairs, {name}", panel), panel) for name, panel in panels if panel
    ]


def against_processes_table(rows: Sequence[Row]) -> list[Extra]:
    """Hold agents against processes over TCP sockets, with intervals; nothing without the processes."""
    found = [(row, one) for row in _ordered(rows) if (one := against_processes(row, rows)) is not None]
    if not found:
        return []
    ours = [row for row, _ in found]
    columns = [
        *_who(ours),
        Column("how fast", tuple(said_of(one) for _, one in found)),
    ]
    remark = (
        "Processes talk over a TCP socket for each pair, on one host or on two. Agents in one process are "
        "held against processes on one host, as in the paper."
    )
    return [Extra("Agents against plain processes over TCP sockets", columns, remark)]


def against_processes(row: Row, rows: Iterable[Row]) -> Factor | None:
    """Return how fast a row is in all beside processes over TCP sockets; None without these.

    The sockets are on as many hosts, and have TLS if the row has.
    """
    if row.platform in BASELINES or row.total_s is None:
        return None
    for other in rows:
        same = (other.pairs, other.payload_bytes, other.tls) == (row.pairs, row.payload_bytes, row.tls)
        where = (other.placement == TWO_HOSTS) == (row.placement == TWO_HOSTS)
        if other.platform == _PROCESSES and same and where and other.total_s and not other.invalid:
            found = factor(row, other, TOTAL)
            return found and replace(found, name="processes")
    return None


def _chart(title: str, rows: list[Row]) -> Chart:
    def points(row: Row) -> list[Point]:
        tip = f"{formatting.counted(row.pairs, 'pair')}: {_total(row)}"
        return [point_of(row, row.pairs, (row.total_s or 0) * _MICRO, tip, _scaled(row.total_s_ci95))]

    across = Axis("pairs at once", scales.whole, scales.logarithmic_at)
    chart = lines_of(rows, across, Axis("total time", tick), points)
    ordered = _ordered(rows)
    totals_of = Column("total time", tuple(_total(row) for row in ordered))
    caption = f"All measured messages of all pairs. {intervals(rows)}"
    return Chart(title, caption, chart, [*_who(ordered), totals_of])


def _who(rows: Sequence[Row]) -> list[Column]:
    bodies = tuple(formatting.short(formatting.size(row.payload_bytes)) for row in rows)
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column("where", tuple(PLACES.get(row.placement, row.placement) for row in rows), names=True),
        Column("pairs", tuple(str(row.pairs) for row in rows)),
        Column("body", bodies, minor=len(set(bodies)) == 1),
    ]


def _ordered(rows: Iterable[Row]) -> list[Row]:
    return [row for members in by_series(rows).values() for row in members]


def _times(row: Row, rows: Sequence[Row]) -> str:
    found = against_processes(row, rows)
    return said_of(found) if found else ""


def _total(row: Row) -> str:
    return formatting.duration(None if row.total_s is None else row.total_s * _MICRO)


def _scaled(bounds: Bounds | None) -> Bounds | None:
    return (bounds[0] * _MICRO, bounds[1] * _MICRO) if bounds else None


REPORT = Report(
    columns=lower_bound_columns,
    sentences=lower_bound_sentences,
    charts=lower_bound_charts,
    extras=against_processes_table,
)
