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
from formicary_bench.reports.document.tables import Column, Extra, who_columns
from formicary_bench.reports.document.usual import usual_columns, usual_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.each import Record
    from formicary_bench.results.summary.row import Row

_REMARK = (
    "A rate is kept if 99% of the measured messages are answered in time, counted from when they were due, "
    "all are answered, and the sender kept its schedule. The lowest one that is not is tried once more "
    "before it counts as missed."
)


def saturation_sentences(rows: Sequence[Row]) -> list[str]:
    """Say up to which rate everything that is no baseline answers in time."""
    none = [row for members in found_by(rows) for row in members if not row.mean(HIGHEST)]
    kept = usual_sentences([row for row in rows if row.mean(HIGHEST)])
    return [*kept, *(_none(row) for row in none)]


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


def tried_rates(rows: Sequence[Row]) -> list[Extra]:
    """Return all rates that were tried, and what came of them."""
    tried = [(row, trial) for row in ordered(rows) for trial in _sorted(row)]
    if not tried:
        return []
    trials = [trial for _, trial in tried]
    columns = [
        *who_columns([row for row, _ in tried]),
        Column("search", tuple(f"{one['repetition']:.0f}" for one in trials)),
        Column("messages/s", tuple(formatting.number(int(one["rate"])) for one in trials)),
        Column(
            "99% within",
            tuple(formatting.duration(one["p99_us"] if one["answered"] else None) for one in trials),
        ),
        Column("kept", tuple("yes" if one["kept"] else "no" for one in trials), names=True),
        Column("sent late", tuple(formatting.number(int(one["late"])) for one in trials)),
        Column("never answered", tuple(formatting.number(int(one["lost"])) for one in trials)),
    ]
    return [Extra("All rates that were tried", columns, _REMARK, minor=True)]


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


REPORT = Report(sentences=saturation_sentences, charts=saturation_charts, extras=tried_rates)
