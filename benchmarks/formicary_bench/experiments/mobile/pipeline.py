"""Loops in the pipeline: their sizes, duration, rows and reports."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments import mobile
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, intervals, lines_of, point_of, ticks
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.usual import figure_charts, panels_of, usual_charts, usual_columns
from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.statistics.estimates import Estimate, mean_estimate
from formicary_bench.vocabulary.values import AT_ONCE, SUSTAINED_LAPS, laps, smallest_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from formicary_bench.experiments.experiment import Experiment, Figure
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric


# Operations per second in turn; at once there are more.
_LOOPED = {"in-process": 40_000, "direct": 2_000, "auto": 2_000, "xmpp": 800, "tcp": 4_000, "own": 200}
_AT_ONCE = 3
_EXCHANGE = 0.1  # of an operation, for each exchange at a meeting
_SLEPT = 4_000  # agents per second that are created, fall asleep, wake and end


def whole_loops(draft: Draft) -> Iterator[Draft]:
    """Yield a draft with the loops of an experiment.

    Raises:
        UsageError: the experiment has no such loop.
    """
    name, loop = draft.experiment.name, draft.sizes["loop"]
    smallest = smallest_of(name)
    if loop % smallest:
        raise UsageError(
            f"a loop of {name} must have a multiple of {smallest} operations, not {loop}; use "
            f"--loop {max(loop // smallest, 1) * smallest}, for example"
        )
    if draft.sizes.get("rate"):
        yield draft.sized(rate=0)
        if draft.subject.baseline or draft.subject.exchanges:
            return  # by hand and on other platforms, travellers cannot be found
    yield draft


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of the loops."""
    sizes = mobile.Looped.of(one)
    rate = _LOOPED[one.route] * (_AT_ONCE if sizes.way == AT_ONCE else 1)
    return DefaultDuration(begin, _operations(one) * (1 + sizes.exchanges * _EXCHANGE) / rate)


def duration_of_waking(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of loops of agents that sleep and are woken; tasks only wait."""
    if one.platform != "formicary":
        return duration(one, begin)
    return DefaultDuration(begin, _operations(one) / _SLEPT)


def _operations(one: Configuration) -> int:
    return sum(laps(mobile.Looped.of(one).loop, smallest_of(one.experiment)))


OPERATIONS, TOTAL_S = "operations", "total_s"
"""The columns of records: for each size, the operations of a loop, and the median of its total times."""


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read the loops of a repetition; None if it has too few."""
    data = run.raw(repetition, raw.Creations)
    made = list(zip(data.agents.tolist(), data.seconds.tolist(), strict=True))
    swept, again = made[:-SUSTAINED_LAPS], made[-SUSTAINED_LAPS:]
    took = sum(seconds for _, seconds in again)
    if not swept or not took or any(size < 1 or seconds <= 0 for size, seconds in made):
        return None
    laps: dict[int, list[float]] = {}
    for size, seconds in swept:
        laps.setdefault(size, []).append(seconds)
    totals = {size: median(seconds) for size, seconds in sorted(laps.items())}
    smallest, largest = min(totals), max(totals)
    sustained = sum(size for size, _ in again) / took
    values = {
        mobile.SUSTAINED: sustained,
        mobile.PEAK: max(sustained, *(size / seconds for size, seconds in totals.items())),
        mobile.SMALLEST: smallest / totals[smallest],
        mobile.LARGEST: totals[largest],
        mobile.AVERAGE: totals[largest] / largest,
    }
    held = {metric: repetition.counters.get(metric.name) for metric in mobile.HELD}
    records = [{OPERATIONS: size, TOTAL_S: seconds} for size, seconds in totals.items()]
    return reading(values | held, records=records)


SUMMARY = Summary(raw="create", read=_read, compared_by=(mobile.SUSTAINED,))


_IN_LOOPS: dict[str, Callable[[int, float], float]] = {
    mobile.LARGEST.name: lambda _, seconds: seconds * 1e6,
    mobile.AVERAGE.name: lambda size, seconds: seconds / size * 1e6,
    mobile.SUSTAINED.name: lambda size, seconds: size / seconds,
}
"""The value of a loop in a chart, by metric; times are in microseconds."""


def _draw(figure: Figure, rows: Sequence[Row], experiment: Experiment) -> list[Chart]:
    """Draw a figure; over loops, that of the largest has those of all sizes."""
    if figure.over != mobile.LOOP.attribute:
        return figure_charts(figure, rows, experiment)
    most = max((row.size(figure.over) for row in rows), default=0)
    largest = [row for row in rows if row.size(figure.over) == most]
    return [
        _over_loops(figure, panel, ", ".join([figure.title, *at]))
        for at, panel in panels_of(figure, largest, experiment)
        if any(len(in_loops(row, figure.metric)) > 1 for row in panel)
    ]


def _over_loops(figure: Figure, rows: Sequence[Row], title: str) -> Chart:
    def points(row: Row) -> list[Point]:
        return [
            point_of(row, size, one.mean, f"{formatting.number(size)}: {write(one.mean)}", bounds)
            for size, one in in_loops(row, figure.metric).items()
            for bounds in [one.ci95 and (max(one.ci95[0], 0.0), one.ci95[1])]
        ]

    up, _, across = figure.title.partition(" against the number of ")
    write = ticks(figure.metric)
    plot = lines_of(rows, Axis(across, formatting.count), Axis(up.lower(), write), points)
    return Chart(
        titled(title, rows, figure.after),
        f"{figure.caption} {intervals(rows)}".strip(),
        plot,
        usual_columns(rows),
    )


def in_loops(row: Row, metric: Metric) -> dict[int, Estimate]:
    """Return a metric by the number of operations of a loop; times are in microseconds."""
    found: dict[int, list[float]] = {}
    for record in row.records:
        size = int(record[OPERATIONS])
        found.setdefault(size, []).append(_IN_LOOPS[metric.name](size, record[TOTAL_S]))
    return {size: mean_estimate(values) for size, values in sorted(found.items())}


REPORT = Report(charts=partial(usual_charts, draw=_draw))
