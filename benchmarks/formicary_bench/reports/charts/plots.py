"""Charts of rows: what the sections of a report have in common."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Dot, Dots, Lines, Plot, Point, Stacks
from formicary_bench.reports.charts.series import PLACES, Series, by_series
from formicary_bench.reports.document.figures import spread_of, value_of, writer
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.tables import Column, who
from formicary_bench.results.summary.baselines import typical_of
from formicary_bench.results.summary.row import BATCH_MEANS, OVER_REPETITIONS
from formicary_bench.results.verdicts.factors import doubt_about
from formicary_bench.vocabulary.metrics import MEAN, SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric

_MICRO = 1e6


class Chart(msgspec.Struct, frozen=True):
    """A chart with its words: a title, what to see in it, and its values as a table."""

    title: str
    caption: str
    plot: Plot
    columns: list[Column]

    @property
    def legend(self) -> list[Series]:
        """The series that need naming; dots are named where they stand."""
        if isinstance(self.plot, Stacks):
            return self.plot.series
        return list(self.plot.lines) if isinstance(self.plot, Lines) else []

    @property
    def lone(self) -> Dot | None:
        """The only figure, if there is one: a number says it better than a drawing."""
        dots = self.plot.all if isinstance(self.plot, Dots) else []
        return dots[0] if len(dots) == 1 else None


def against(
    rows: Sequence[Row],
    x: Callable[[Row], float],
    x_title: str,
    text: Callable[[int], str],
    metric: Metric = MEAN,
    *,
    y_title: str = "",
) -> Lines:
    """Make a chart of a metric with its intervals.

    Args:
        rows: What it shows.
        x: Returns a row's position; above zero, as the axis is logarithmic.
        x_title: The name of that axis.
        text: Writes a value of it.
        metric: Which metric.
        y_title: The name of its axis; its title if empty.
    """
    scale = _MICRO if metric.unit == SECONDS else 1.0

    def points(row: Row) -> list[Point]:
        found = typical_of(row, metric)
        if found is None:
            return []
        at = _counted(int(x(row)), x_title) if text is str else text(int(x(row)))
        bounds = found.bounds and (found.bounds[0] * scale, found.bounds[1] * scale)
        return [point_of(row, x(row), found.value * scale, _tip(row, at, metric), bounds)]

    across = Axis(x_title, lambda value: text(int(value)), scales.logarithmic_at)
    up = Axis(y_title or metric.title, ticks(metric))
    return lines_of(rows, across, up, points, by_place=True)


def lines_of(
    rows: Iterable[Row],
    across: Axis,
    up: Axis,
    points: Callable[[Row], Iterable[Point]],
    *,
    by_place: bool = False,
) -> Lines:
    """Make a chart with a line for each series."""
    members_of = by_series(rows)
    lines = {
        series: sorted((point for row in members for point in points(row)), key=lambda point: point.x)
        for series, members in members_of.items()
    }
    return Lines(across, up, lines, panels(members_of) if by_place else {}, choice=by_place)


def point_of(row: Row, x: float, y: float, tip: str, bounds: tuple[float, float] | None = None) -> Point:
    """Return a point that stands for a row."""
    return Point(x, y, tip, bounds, sound=doubt_about(row) is None, of=row.anchor)


def dots(rows: Sequence[Row], metric: Metric, beside: Callable[[Row], str] = lambda _: "") -> Dots:
    """Make a chart of rows' typical values, by placement, all on one scale."""
    groups: dict[str, list[Dot]] = {}
    for series, members in by_series(rows).items():
        for row in members:
            if dot := dot_of(series, row, metric, beside(row)):
                groups.setdefault(panel_of(row), []).append(dot)
    return Dots(groups, metric.title, short_ticks(metric))


def dot_of(series: Series, row: Row, metric: Metric, beside: str) -> Dot | None:
    """Return a row's typical value as a dot; None without such a figure. Arguments as of `dots`."""
    known, write = typical_of(row, metric), writer(metric)
    if known is None:
        return None
    value = write(known.value)
    if known.modes:
        value += f", two modes: {' and '.join(map(write, known.modes))}"
    return Dot(
        series,
        known.value,
        value,
        known.bounds,
        sound=doubt_about(row) is None,
        values=known.values,
        note=beside,
        of=row.anchor,
    )


def panel_of(row: Row) -> str:
    """Return the name of the panel that a row is in: by its placement."""
    return "" if row.size("agents") else f"In {PLACES.get(row.placement, row.placement)}"


def panels(lines: Mapping[Series, Sequence[Row]]) -> dict[Series, str]:
    """Return the panels that series are in, by the placement of their rows; none where all are in one."""
    found = {series: panel_of(rows[0]) for series, rows in lines.items()}
    return found if len(set(found.values())) > 1 else {}


def typical_columns(rows: Sequence[Row], metric: Metric) -> list[Column]:
    """Return the values of a chart of dots as a table, with their intervals."""
    known = [(row, found) for row in ordered(rows) if (found := typical_of(row, metric))]
    bounds, write = (one.bounds for _, one in known), writer(metric)
    return [
        who(row for row, _ in known),
        Column(metric.heading, tuple(write(one.value) for _, one in known)),
        Column("95%", tuple(formatting.between(*map(write, pair)) if pair else "" for pair in bounds)),
    ]


def values(rows: Sequence[Row], name: str, x: Callable[[Row], str], metric: Metric = MEAN) -> list[Column]:
    """Return the values of a chart as a table; `name` is what `x` gives of a row."""
    lines = ordered(rows)
    return [
        who(lines),
        Column(name, tuple(map(x, lines))),
        Column(metric.heading, tuple(value_of(row, metric) for row in lines)),
        Column("95%", tuple(spread_of(row, metric) for row in lines)),
    ]


def intervals(rows: Sequence[Row]) -> str:
    """Return how the intervals of some rows were made."""
    methods = {row.ci_method for row in rows}
    many = max((row.repetitions for row in rows), default=0)
    if OVER_REPETITIONS in methods:
        return f"95% intervals of {many} repetitions." if many > 2 else ""  # noqa: PLR2004 - two have none
    return "95% intervals by batch means." if BATCH_MEANS in methods else ""


def _counted(number: int, things: str) -> str:
    """Write a number of things: `1 pair at once`, `10 pairs at once`."""
    return f"{number} {things if number != 1 else re.sub(r's(?= |$)', '', things, count=1)}"


def _tip(row: Row, at: str, metric: Metric) -> str:
    found = f"{at}: {value_of(row, metric)} {spread_of(row, metric)}".rstrip()
    doubt = doubt_about(row)
    return found + (f", {doubt.reason}" if doubt else "")


def ticks(metric: Metric) -> Callable[[float], str]:
    """Return how a value of a metric is written at an axis, where seconds are microseconds."""
    write = formatting.duration if metric.unit == SECONDS else writer(metric)
    return lambda value: formatting.short(write(value))


def short_ticks(metric: Metric) -> Callable[[float], str]:
    """Return how a value of a metric is written at the axis of dots, in its own unit."""
    write = writer(metric)
    return lambda value: formatting.short(write(value))


def tick(value: float) -> str:
    """Write a time at an axis."""
    return formatting.short(formatting.duration(value))
