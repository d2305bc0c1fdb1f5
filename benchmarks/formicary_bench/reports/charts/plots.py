"""Charts of rows: what the sections of a report have in common."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.series import PLACES, Series, by_series, label
from formicary_bench.reports.charts.stacks import Stacks
from formicary_bench.reports.charts.svg_charts import Bar, Bars, Lines, Plot, Point
from formicary_bench.reports.document.tables import Column
from formicary_bench.results.summary.row import BATCH_MEANS, OVER_REPETITIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.summary.row import Bounds, Row


class Chart(msgspec.Struct, frozen=True):
    """A chart with its words: a title, what to see in it, and its values as a table."""

    title: str
    caption: str
    plot: Plot
    columns: list[Column]

    @property
    def legend(self) -> list[Series]:
        """The series that need naming; bars are named where they stand."""
        if isinstance(self.plot, Stacks):
            return self.plot.series
        return list(self.plot.lines) if isinstance(self.plot, Lines) else []


def against(
    rows: Sequence[Row],
    x: Callable[[Row], float],
    x_title: str,
    text: Callable[[int], str],
    y_title: str = "mean round-trip time",
) -> Lines:
    """Make a chart of mean times with their intervals.

    Args:
        rows: What it shows.
        x: Where a row stands; more than zero, as the axis is logarithmic.
        x_title: The name of that axis.
        text: How a value of it is written.
        y_title: The name of the axis of times.
    """
    lines = {
        series: [
            Point(
                x=x(row),
                y=row.rtt_mean_us or 0,
                tip=_tip(row, _counted(int(x(row)), x_title) if text is str else text(int(x(row)))),
                bounds=row.rtt_ci95_us,
                sound=row.full_load is not False,
            )
            for row in sorted(members, key=x)
        ]
        for series, members in by_series(rows).items()
    }
    return Lines(
        x_title,
        y_title,
        scales.logarithmic_at([x(row) for row in rows], lambda value: text(int(value))),
        scales.logarithmic([row.rtt_mean_us or 0 for row in rows], tick),
        lines,
        scales.linear([0, *(row.rtt_mean_us or 0 for row in rows)], tick),
    )


def bars(
    rows: Sequence[Row],
    value: Callable[[Row], float | None],
    bounds: Callable[[Row], Bounds | None],
    text: Callable[[Row], str],
) -> Bars:
    """Make a chart of bars, each placement on a scale of its own."""
    groups: dict[str, list[Bar]] = {}
    for series, members in by_series(rows).items():
        for row in members:
            where = "" if row.agents else f"In {PLACES.get(row.placement, row.placement)}"
            bar = Bar(series, value(row) or 0, text(row), bounds(row), row.full_load is not False)
            groups.setdefault(where, []).append(bar)
    return Bars(groups)


def values(rows: Sequence[Row], name: str, x: Callable[[Row], str]) -> list[Column]:
    """Return the values of a chart of times as a table; `name` is what `x` gives of a row."""
    ordered = [row for members in by_series(rows).values() for row in members]
    return [
        Column("who", tuple(label(row) for row in ordered), names=True),
        Column(name, tuple(x(row) for row in ordered)),
        Column("mean", tuple(formatting.duration(row.rtt_mean_us) for row in ordered)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in ordered)),
    ]


def intervals(rows: Sequence[Row]) -> str:
    """Say how the intervals of some rows were made."""
    methods = {row.ci_method for row in rows}
    if OVER_REPETITIONS in methods:
        return f"Whiskers: 95% intervals over {max(row.repetitions for row in rows)} repetitions."
    return "Whiskers: 95% intervals by batch means within one repetition." if BATCH_MEANS in methods else ""


def with_reference(text: str, against: str) -> str:
    """Put what a figure is held against behind it, if there is any."""
    return f"{text}, {against}" if against else text


def _counted(number: int, things: str) -> str:
    """Write a number of things: `1 pair at once`, `10 pairs at once`."""
    return f"{number} {things if number != 1 else re.sub(r's(?= |$)', '', things, count=1)}"


def _tip(row: Row, at: str) -> str:
    spread = formatting.spread(row.rtt_mean_us, row.rtt_ci95_us)
    uneven = ", full load not held" if row.full_load is False else ""
    return f"{at}: {formatting.duration(row.rtt_mean_us)} {spread}".rstrip() + uneven


def tick(value: float) -> str:
    """Write a time at an axis."""
    return formatting.short(formatting.duration(value))
