"""What an open loop found, in words, tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, lines_of, tick
from formicary_bench.reports.charts.series import PLACES, by_series, label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import NOT_VALID, Column
from formicary_bench.results.summary.baselines import BASELINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row


def open_loop_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of `messaging/open-loop`."""
    ordered = _ordered(rows)
    bodies = tuple(formatting.short(formatting.size(row.payload_bytes)) for row in ordered)
    return [
        Column(
            "who", tuple(label(row) for row in ordered), names=True, of=tuple(row.anchor for row in ordered)
        ),
        Column("where", tuple(PLACES.get(row.placement, row.placement) for row in ordered), names=True),
        Column("asked/s", tuple(formatting.number(row.rate) for row in ordered)),
        Column("arrivals", tuple(row.arrivals for row in ordered), names=True, minor=_is_one(ordered)),
        Column("answered/s", tuple(_answered(row) for row in ordered)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in ordered)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in ordered)),
        Column("p99.9", tuple(formatting.duration(row.rtt_p999_us) for row in ordered)),
        Column("slowest", tuple(formatting.duration(row.rtt_max_us) for row in ordered), minor=True),
        Column("sent late", tuple(formatting.number(row.late_sends) for row in ordered)),
        Column("never answered", tuple(formatting.number(row.lost) for row in ordered)),
        Column("pairs", tuple(str(row.senders) for row in ordered), minor=True),
        Column("body", bodies, minor=len(set(bodies)) == 1),
        *stability_column(ordered),
    ]


def open_loop_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what the highest rate that was measured costs."""
    said: list[str] = []
    for members in by_series(row for row in rows if row.platform not in BASELINES).values():
        known = [row for row in members if row.rtt_p99_us is not None and not row.invalid]
        if known:
            most = max(known, key=lambda row: row.rate)
            said.append(
                told(
                    f"{where(most)}, {subject(most).lower()} at {formatting.number(most.rate)} messages per "
                    f"second ({most.arrivals}): half are answered within ",
                    cite(formatting.duration(most.rtt_p50_us), most),
                    " of when they were due, 99% within ",
                    cite(formatting.duration(most.rtt_p99_us), most),
                    ".",
                )
            )
    return said


def open_loop_remarks(rows: Sequence[Row]) -> list[str]:
    """Say which messages could not be sent when they were due."""
    late = [row for row in rows if row.late_sends]
    if not late:
        return []
    named = ", ".join(
        f"{label(row)} at {formatting.number(row.rate)}/s ({formatting.number(row.late_sends)}, the latest "
        f"by {formatting.duration(row.latest_send_us)})"
        for row in late
    )
    sentence = f"Messages that were sent more than a millisecond after they were due: {named}"
    return [f"{sentence}. Their times count from when they were due."]


def open_loop_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the 99th percentile against the rate, for each kind of arrivals."""
    known = [row for row in rows if row.rtt_p99_us is not None and row.rate]
    kinds = dict.fromkeys(row.arrivals for row in known)
    return [_chart(kind, [row for row in known if row.arrivals == kind]) for kind in kinds]


def _chart(arrivals: str, rows: list[Row]) -> Chart:
    across = Axis("messages per second", lambda rate: formatting.number(int(rate)), scales.logarithmic_at)
    chart = lines_of(rows, across, Axis("99% are answered within", tick), lambda row: [_point(row)])
    caption = "Time from when a message was due to the arrival of its answer."
    return Chart(
        f"99th percentile against rate, {arrivals} arrivals", caption, chart, open_loop_columns(rows)
    )


def _point(row: Row) -> Point:
    unsound = f", {NOT_VALID}" if row.invalid else ""
    tip = f"{formatting.number(row.rate)}/s: {formatting.duration(row.rtt_p99_us)}{unsound}"
    return Point(x=row.rate, y=row.rtt_p99_us or 0, tip=tip, sound=not row.invalid, of=row.anchor)


def _answered(row: Row) -> str:
    return NOT_VALID if row.invalid else formatting.count(row.round_trips_per_s)


def _is_one(rows: Sequence[Row]) -> bool:
    return len({row.arrivals for row in rows}) == 1


def _ordered(rows: Iterable[Row]) -> list[Row]:
    return [row for members in by_series(rows).values() for row in members]


REPORT = Report(
    columns=open_loop_columns,
    sentences=open_loop_sentences,
    charts=open_loop_charts,
    remarks=open_loop_remarks,
)
