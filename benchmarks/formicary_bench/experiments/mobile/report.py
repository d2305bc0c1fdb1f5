"""What loops show besides what is usual: times by how many operations one has, and the paper's rates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import DIKAIAKOS
from formicary_bench.experiments.mobile.rows import OPERATIONS, TOTAL_S
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, intervals, lines_of, point_of, tick
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.usual import usual_charts, usual_columns
from formicary_bench.statistics.estimates import Estimate, mean_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_DEFINED = (
    "Each size has some loops of its own, in one process and from small to large; its total time is their "
    "median. Peak: the highest rate of any size. Sustained: that of the largest loop, made again and again "
    f"after them. As in {DIKAIAKOS}, Section 2."
)
_MICRO = 1e6


def loop_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show total and average times against the size of loops, and the sustained rates beside the paper's."""
    known = [row for row in rows if row.records]
    rates = usual_charts(rows)
    if not rates:
        return []
    charts: list[Chart] = []
    if max((len(totals(row)) for row in known), default=0) > 1:
        across = Axis("operations of a loop", formatting.count)
        charts += [
            Chart(
                titled(f"{name.capitalize()} against the size of the loop", rows),
                f"{_DEFINED} {intervals(known)}",
                lines_of(known, across, Axis(name, tick), partial(_points, is_each=is_each)),
                usual_columns(rows),
            )
            for name, is_each in (("total time", False), ("average time", True))
        ]
    return [*charts, *rates]


def totals(row: Row) -> dict[int, Estimate]:
    """Return the total time of loops in seconds, by how many operations they have."""
    found: dict[int, list[float]] = {}
    for record in row.records:
        found.setdefault(int(record[OPERATIONS]), []).append(record[TOTAL_S])
    return {size: mean_estimate(seconds) for size, seconds in sorted(found.items())}


def _points(row: Row, *, is_each: bool) -> list[Point]:
    points = []
    for size, total in totals(row).items():
        scale = _MICRO / size if is_each else _MICRO
        bounds = (max(total.ci95[0], 0.0) * scale, total.ci95[1] * scale) if total.ci95 else None
        tip = f"{formatting.number(size)}: {tick(total.mean * scale)}"
        points.append(point_of(row, size, total.mean * scale, tip, bounds))
    return points


REPORT = Report(charts=loop_charts)
