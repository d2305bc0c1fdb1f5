"""What `create` found, in words, tables and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.dots import Dot, Dots
from formicary_bench.reports.charts.plots import Chart, dots, intervals, typical_columns
from formicary_bench.reports.charts.series import by_series, label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import Tile, after, found_by, tile_of
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, or_invalid
from formicary_bench.results.summary.each import CREATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def _columns(rows: Sequence[Row]) -> list[Column]:
    return [*creation_columns(rows), *stability_column(ordered(rows))]


def creation_columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of rows that create agents."""
    rows = ordered(unordered)
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column("agents", tuple(str(row.agents) for row in rows)),
        Column("created/s", tuple(or_invalid(row, formatting.count(row.agents_per_s)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.agents_per_s, row.agents_per_s_ci95) for row in rows)),
        Column("each holds", tuple(formatting.size(row.bytes_per_agent) for row in rows)),
        *baseline_columns(rows, unordered),
    ]


def _sentences(rows: Sequence[Row]) -> list[str]:
    return [_sentence(max(members, key=lambda row: row.agents), rows) for members in found_by(rows)]


def _sentence(row: Row, rows: Sequence[Row]) -> str:
    name = "Agents with one waiting behaviour" if row.kind == "behaviours" else subject(row)
    return told(
        f"{name} are created and started at ",
        cite(formatting.count(row.agents_per_s), row),
        " per second",
        after(all_of(row, rows, CREATION)),
        "; each holds ",
        cite(formatting.size(row.bytes_per_agent), row),
        ".",
    )


def _charts(rows: Sequence[Row]) -> list[Chart]:
    """Show what agents cost before they have said a word."""
    known = [row for row in rows if row.agents_per_s is not None]
    if not known:
        return []
    most = max(row.agents for row in known)
    top = [row for row in known if row.agents == most]
    name = formatting.number(most)
    speed = dots(
        top, CREATION, "agents per second", formatting.per_second, lambda row: against_baseline(row, rows)
    )
    held = [
        Dot(series, row.bytes_per_agent, formatting.size(row.bytes_per_agent), of=row.anchor)
        for series, members in by_series(top).items()
        for row in members
        if row.bytes_per_agent
    ]
    columns = typical_columns(top, CREATION, formatting.per_second)
    found = [Chart(f"Created and started per second, {name} agents", intervals(top), speed, columns)]
    if held:
        space = Dots({"": held}, "memory of each", lambda value: formatting.short(formatting.size(value)))
        title = f"Memory that each holds, {name} agents"
        found.append(Chart(title, "Less is better.", space, creation_columns(top)))
    return found


def _tiles(rows: Sequence[Row]) -> list[Tile]:
    created = [row for row in rows if row.agents and row.kind == "behaviours" and row.agents_per_s]
    if not created:
        return []
    row = max(created, key=lambda row: row.agents)
    held = told("each holds ", cite(formatting.size(row.bytes_per_agent), row))
    tile = tile_of(row, CREATION, formatting.per_second, "agents created and started", held)
    return [tile] if tile else []


REPORT = Report(columns=_columns, sentences=_sentences, charts=_charts, tiles=_tiles)
