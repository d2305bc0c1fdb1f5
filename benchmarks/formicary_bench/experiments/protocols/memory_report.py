"""What many conversations of one agent hold, and how fast it begins them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.dots import Dot, Dots
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.series import by_series, label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import found_by
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, or_invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of conversations that wait."""
    rows = ordered(unordered)
    return [
        Column("who", tuple(map(label, rows)), names=True, of=tuple(row.anchor for row in rows)),
        Column("conversations", tuple(formatting.number(row.agents) for row in rows)),
        Column("each holds", tuple(or_invalid(row, formatting.size(row.bytes_per_agent)) for row in rows)),
        Column("begun/s", tuple(formatting.count(row.agents_per_s) for row in rows)),
        Column("95%", tuple(formatting.spread(row.agents_per_s, row.agents_per_s_ci95) for row in rows)),
        *stability_column(rows),
    ]


def sentences(rows: Sequence[Row]) -> list[str]:
    """Say what each conversation holds, where there are most."""
    return [
        told(
            f"{subject(row)}: {formatting.number(row.agents)} conversations of one agent that wait at once "
            "hold ",
            cite(formatting.size(row.bytes_per_agent), row),
            " each; they are begun at ",
            cite(formatting.count(row.agents_per_s), row),
            " per second.",
        )
        for members in found_by(rows)
        for row in [max(members, key=lambda row: row.agents)]
    ]


def charts(rows: Sequence[Row]) -> list[Chart]:
    """Show what each holds."""
    held = [
        Dot(series, row.bytes_per_agent, formatting.size(row.bytes_per_agent), of=row.anchor)
        for series, members in by_series(rows).items()
        for row in [max(members, key=lambda row: row.agents)]
        if row.bytes_per_agent
    ]
    if not held:
        return []
    space = Dots({"": held}, "memory of each", lambda value: formatting.short(formatting.size(value)))
    return [Chart("Memory that each conversation holds", "Less is better.", space, columns(rows))]


REPORT = Report(columns=columns, sentences=sentences, charts=charts)
