"""What `create` shows besides what is usual: the memory of each agent, and a figure to be seen first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports.charts.plots import Chart, holdings
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import Tile, tile_of
from formicary_bench.reports.document.usual import usual_charts
from formicary_bench.vocabulary.metrics import CREATION, EACH_HOLDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def _charts(rows: Sequence[Row]) -> list[Chart]:
    """Show what agents cost before they have said a word."""
    return [*usual_charts(rows), *holdings("Memory that each agent holds", rows, "agents")]


def _tiles(rows: Sequence[Row]) -> list[Tile]:
    created = [row for row in rows if row.kind == "behaviours" and row.estimate(CREATION)]
    if not created:
        return []
    row = max(created, key=lambda row: row.size("agents"))
    held = told("each holds ", cite(value_of(row, EACH_HOLDS), row))
    tile = tile_of(row, CREATION, "agents created and started", held)
    return [tile] if tile else []


REPORT = Report(charts=_charts, tiles=_tiles)
