"""What agents that compute found: how many cores they had the use of, beside plain processes and threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, intervals, lines_of, point_of
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import all_of, baseline_columns
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, or_invalid
from formicary_bench.results.summary.each import SPEED_UP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_DEFINED = "The CPU time of all computations together, over the time until the last of them has ended."
_MICRO = 1e6


def compute_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of rows that compute."""
    known = ordered(rows)
    each = [row.computed for row in known]
    return [
        Column("who", tuple(label(row) for row in known), names=True, of=tuple(row.anchor for row in known)),
        Column("agents", tuple(formatting.number(row.agents) for row in known)),
        Column("each computes", tuple(formatting.number(row.loop) for row in known), minor=True),
        Column("speed-up", tuple(or_invalid(row, _speed_up(row)) for row in known)),
        Column(
            "95%",
            tuple(formatting.spread(one.speed_up.mean, one.speed_up.ci95) if one else "" for one in each),
        ),
        Column("in all", tuple(_seconds(one.elapsed_s.mean) if one else formatting.NOTHING for one in each)),
        Column("CPU time", tuple(_seconds(one.cpu_s.mean) if one else "" for one in each), minor=True),
        *baseline_columns(known, rows),
        *stability_column(known),
    ]


def compute_sentences(rows: Sequence[Row]) -> list[str]:
    """Say the speed-up of few and of many agents, for each number of cores, and what it is held against."""
    said: list[str] = []
    for members in found_by(rows):
        row = max(members, key=lambda row: row.agents)
        cores = f"On {formatting.counted(row.cores, 'core')}" if row.cores else "On all cores"
        said.append(
            told(
                f"{cores}, {formatting.counted(row.agents, 'agent')} that compute: CPU time for ",
                cite(_speed_up(row), row),
                " s in each second",
                after(all_of(row, rows, SPEED_UP)),
                ".",
            )
        )
    return said


def compute_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the speed-up against the number of agents, a line for each number of cores."""
    known = [row for row in rows if row.computed]
    if not known:
        return []

    def points(row: Row) -> list[Point]:
        found = row.computed.speed_up if row.computed else None
        tip = f"{formatting.counted(row.agents, 'agent')}: {_speed_up(row)}"
        return [point_of(row, row.agents, found.mean, tip, found.ci95)] if found else []

    across = Axis("agents", scales.whole, scales.logarithmic_at)
    plot = lines_of(known, across, Axis("speed-up", "{:g}".format, scales.from_zero), points)
    title = titled("Speed-up against agents", rows)
    return [Chart(title, f"{_DEFINED} {intervals(known)}", plot, compute_columns(rows))]


def _speed_up(row: Row) -> str:
    return f"{row.computed.speed_up.mean:.2f}" if row.computed else formatting.NOTHING


def _seconds(seconds: float) -> str:
    return formatting.duration(seconds * _MICRO)


REPORT = Report(columns=compute_columns, sentences=compute_sentences, charts=compute_charts, ratios=no_ratios)
