"""What `create` found, in words, tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import Chart, bars, intervals, with_reference
from formicary_bench.reports.charts.series import label, subject
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import Tile, after, found_by, rate_against
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, against_baseline, or_invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def _columns(rows: Sequence[Row]) -> list[Column]:
    return [*creation_columns(rows), *stability_column(ordered(rows))]


def creation_columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of rows that create agents."""
    rows = ordered(unordered)
    return [
        Column("who", tuple(label(row) for row in rows), names=True),
        Column("agents", tuple(str(row.agents) for row in rows)),
        Column("created/s", tuple(or_invalid(row, formatting.count(row.agents_per_s)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.agents_per_s, row.agents_per_s_ci95) for row in rows)),
        Column("each holds", tuple(formatting.size(row.bytes_per_agent) for row in rows)),
        Column("against baseline", tuple(against_baseline(row, unordered) for row in rows)),
    ]


def _sentences(rows: Sequence[Row]) -> list[str]:
    return [_sentence(max(members, key=lambda row: row.agents), rows) for members in found_by(rows)]


def _sentence(row: Row, rows: Sequence[Row]) -> str:
    name = "Agents with one waiting behaviour" if row.kind == "behaviours" else subject(row)
    return (
        f"{name} are created and started at {formatting.count(row.agents_per_s)} per second"
        f"{after(rate_against(row, rows))}; each holds {formatting.size(row.bytes_per_agent)}."
    )


def _charts(rows: Sequence[Row]) -> list[Chart]:
    """Show what agents cost before they have said a word."""
    known = [row for row in rows if row.agents_per_s is not None]
    if not known:
        return []
    most = max(row.agents for row in known)
    top = [row for row in known if row.agents == most]
    name = formatting.number(most)
    speed = bars(
        top,
        lambda row: row.agents_per_s,
        lambda row: row.agents_per_s_ci95,
        lambda row: with_reference(f"{formatting.count(row.agents_per_s)}/s", against_baseline(row, rows)),
    )
    space = bars(
        top, lambda row: row.bytes_per_agent, lambda _: None, lambda row: formatting.size(row.bytes_per_agent)
    )
    columns = creation_columns(top)
    return [
        Chart(f"Created and started per second, {name} agents", intervals(top), speed, columns),
        Chart(f"Memory that each holds, {name} agents", "Less is better.", space, columns),
    ]


def _tiles(rows: Sequence[Row]) -> list[Tile]:
    created = [row for row in rows if row.agents and row.kind == "behaviours" and row.agents_per_s]
    if not created:
        return []
    row = max(created, key=lambda row: row.agents)
    held = f"each holds {formatting.size(row.bytes_per_agent)}"
    return [Tile(f"{formatting.count(row.agents_per_s)}/s", "agents created and started", held)]


REPORT = Report(columns=_columns, sentences=_sentences, charts=_charts, tiles=_tiles)
