"""What searches for the highest rate show besides what is usual: all rates that were tried."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging.saturation import HIGHEST, Limit
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, lines_of, tick
from formicary_bench.reports.charts.series import subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import at_once, found_by, where
from formicary_bench.reports.document.usual import usual_columns, usual_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.each import Record
    from formicary_bench.results.summary.row import Row


def saturation_sentences(rows: Sequence[Row]) -> list[str]:
    """Say up to which rate everything that is no baseline answers in time."""
    none = [row for members in found_by(rows) for row in members if not row.mean(HIGHEST)]
    return [*usual_sentences([row for row in rows if row.mean(HIGHEST)]), *map(_none, none)]


def _none(row: Row) -> str:
    limit = formatting.short(formatting.duration(Limit.of(row).limit_us))
    who, none = f"{where(row)}, {subject(row).lower()}", cite("no rate", row)
    return told(f"{who} kept ", none, f" that was tried: 99% were not answered within {limit}.")


def saturation_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the 99th percentile over the rate, of all that was tried: a figure for each load."""
    tried = [row for row in ordered(rows) if any(one["answered"] for one in row.records)]
    loads = dict.fromkeys(row.sizes for row in tried)
    return [_chart([row for row in tried if row.sizes == load]) for load in loads]


def _chart(rows: list[Row]) -> Chart:
    across = Axis("messages per second", formatting.count)
    chart = lines_of(rows, across, Axis("99% are answered within", tick), _points)
    caption = "Every rate that was tried, the median of its tries. Hollow points were not kept each time."
    load = Limit.of(rows[0])
    body = formatting.short(formatting.size(load.payload_bytes))
    title = f"99th percentile over the rate, {at_once(rows[0])}, {body}, {load.arrivals} arrivals"
    return Chart(title, caption, chart, usual_columns(rows))


def _points(row: Row) -> list[Point]:
    """Return a point for each rate, in their order."""
    by_rate: dict[int, list[Record]] = {}
    for trial in sorted(_sorted(row), key=lambda one: one["rate"]):
        if trial["answered"]:
            by_rate.setdefault(int(trial["rate"]), []).append(trial)
    return [_point(row, rate, trials) for rate, trials in by_rate.items()]


def _point(row: Row, rate: int, trials: list[Record]) -> Point:
    p99_us, missed = median(one["p99_us"] for one in trials), sum(not one["kept"] for one in trials)
    many = f" {missed} of {len(trials)} times" if len(trials) > 1 else ""
    tip = f"{formatting.number(rate)}/s: {formatting.duration(p99_us)}" + (
        f", not kept{many}" if missed else ""
    )
    return Point(x=rate, y=p99_us, tip=tip, sound=not missed, of=row.anchor)


def _sorted(row: Row) -> list[Record]:
    return sorted(row.records, key=lambda one: (one["repetition"], one["rate"]))


REPORT = Report(sentences=saturation_sentences, charts=saturation_charts)
