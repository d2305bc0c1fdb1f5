"""What loops show besides what is usual: times by how many operations one has, and the paper's rates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench import published
from formicary_bench.experiments.experiment import DIKAIAKOS
from formicary_bench.experiments.mobile import PEAK, SUSTAINED, benchmark_of
from formicary_bench.experiments.mobile.rows import OPERATIONS, TOTAL_S
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.published.claims import papers
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.dots import Dot, Dots
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, intervals, lines_of, point_of, tick
from formicary_bench.reports.charts.series import Series, label
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.tables import Column, Extra, who_columns
from formicary_bench.reports.document.usual import usual_charts, usual_columns
from formicary_bench.statistics.estimates import Estimate, mean_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

TABLE = f"{DIKAIAKOS}, Table 8"

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
    if max(len(totals(row)) for row in known) > 1:
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
    return [*charts, *(_with_published(chart, rows[0]) for chart in rates)]


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


def _with_published(chart: Chart, row: Row) -> Chart:
    theirs = published.rates(_benchmark(row))
    if not theirs or not isinstance(chart.plot, Dots):
        return chart
    marks = [
        Dot(
            Series(one.platform, "u", "circle", ""),
            one.sustained,
            formatting.per_second(one.sustained),
            published=True,
        )
        for one in theirs
    ]
    groups = chart.plot.groups | {f"Published, not measured here: {TABLE}": marks}
    return replace(chart, caption=f"{chart.caption} {_machine()}", plot=replace(chart.plot, groups=groups))


def loop_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the times by the size of loops, and the published rates beside ours."""
    known = [row for row in ordered(rows) if row.records]
    return [_by_size(known), *_references(known)] if known else []


def _by_size(rows: Sequence[Row]) -> Extra:
    lines = [(row, size, total) for row in rows for size, total in totals(row).items()]
    took = [(size, total.mean * _MICRO) for _, size, total in lines]
    columns = [
        *who_columns([row for row, _, _ in lines]),
        Column("operations", tuple(formatting.number(size) for size, _ in took)),
        Column("total", tuple(formatting.duration(time) for _, time in took)),
        Column("95%", tuple(formatting.spread(total.mean, total.ci95) for _, _, total in lines)),
        Column("average", tuple(formatting.duration(time / size) for size, time in took)),
        Column("per second", tuple(formatting.count(size * _MICRO / time) for size, time in took)),
    ]
    return Extra("Times by the size of the loop", columns, _DEFINED)


def _references(rows: Sequence[Row]) -> list[Extra]:
    """Put what Table 8 has of the benchmark beside ours; nothing where it has none."""
    benchmark = _benchmark(rows[0])
    theirs = published.rates(benchmark)
    if not theirs:
        return []

    def rate(value: float) -> str:
        return formatting.short(formatting.count(value))

    lines = [(label(row), value_of(row, PEAK), value_of(row, SUSTAINED)) for row in rows]
    lines += [(f"{one.platform} ({TABLE})", rate(one.peak), rate(one.sustained)) for one in theirs]
    who, peak, sustained = zip(*lines, strict=True)
    columns = [
        Column("who", who, names=True),
        Column(PEAK.heading, peak),
        Column(SUSTAINED.heading, sustained),
    ]
    return [Extra(f"Beside the published rates of {benchmark}", columns, _machine())]


def _machine() -> str:
    machine = papers()[DIKAIAKOS].machine
    return f"The paper's platforms were measured on {machine}: other machines, of other times."


def _benchmark(row: Row) -> str:
    known = EXPERIMENTS.get(row.experiment)
    return benchmark_of(known.source) if known else ""


REPORT = Report(charts=loop_charts, extras=loop_extras, ratios=no_ratios)
