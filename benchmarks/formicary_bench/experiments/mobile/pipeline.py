"""What the pipeline needs of loops: which there are, how long they take, how rows are made, what is shown."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.experiment import DIKAIAKOS
from formicary_bench.experiments.mobile import AVERAGE, HELD, LARGEST, PEAK, SMALLEST, SUSTAINED, Looped
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, intervals, lines_of, point_of, tick
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.usual import usual_charts, usual_columns
from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.statistics.estimates import Estimate, mean_estimate
from formicary_bench.vocabulary.values import AT_ONCE, SUSTAINED_LAPS, laps, smallest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration


# Operations of loops per second, in turn; those at once are more.
_LOOPED = {"in-process": 40_000, "direct": 2_000, "auto": 2_000, "xmpp": 800, "tcp": 4_000, "own": 200}
_AT_ONCE = 3
_SLEPT = 4_000  # agents that are made, fall asleep, wake and end, per second


def whole_loops(draft: Draft) -> Iterator[Draft]:
    """Yield the loops of an experiment.

    Raises:
        UsageError: a loop is none of this experiment.
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
            return  # by hand, and on other platforms, nobody finds what has gone elsewhere
    yield draft


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long the loops take."""
    sizes = Looped.of(one)
    rate = _LOOPED[one.route] * (_AT_ONCE if sizes.way == AT_ONCE else 1)
    return DefaultDuration(begin, _operations(one) / rate)


def duration_of_waking(one: Configuration, begin: float) -> DefaultDuration:
    """Return how long loops of agents take that sleep and are woken; tasks only wait."""
    if one.platform != "formicary":
        return duration(one, begin)
    return DefaultDuration(begin, _operations(one) / _SLEPT)


def _operations(one: Configuration) -> int:
    return sum(laps(Looped.of(one).loop, smallest_of(one.experiment)))


OPERATIONS, TOTAL_S = "operations", "total_s"
"""The columns of records: of each size, how many operations a loop has, and the median of its total times."""


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read the loops of a repetition; None where there are fewer than there are in any."""
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
        SUSTAINED: sustained,
        PEAK: max(sustained, *(size / seconds for size, seconds in totals.items())),
        SMALLEST: smallest / totals[smallest],
        LARGEST: totals[largest],
        AVERAGE: totals[largest] / largest,
    }
    held = {metric: repetition.counters.get(metric.name) for metric in HELD}
    records = [{OPERATIONS: size, TOTAL_S: seconds} for size, seconds in totals.items()]
    return reading(values | held, records=records)


SUMMARY = Summary(raw="create", read=_read, compared_by=(SUSTAINED,))


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
