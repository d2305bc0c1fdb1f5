"""What searches for the highest rate found, in words, tables and charts."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, lines_of, tick
from formicary_bench.reports.charts.series import PLACES, by_series, label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.baselines import BASELINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.estimates import SaturationEstimates, Trial
    from formicary_bench.results.summary.row import Row

Found = tuple["Row", "SaturationEstimates"]


def saturation_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of `messaging/saturation`."""
    found = _found(rows)
    return [
        *_who(row for row, _ in found),
        Column("99% within", tuple(_limit(one) for _, one in found)),
        Column("kept up to", tuple(_rate(one.rate) for _, one in found)),
        Column("95%", tuple(formatting.spread(one.rate, one.ci95) for _, one in found)),
        Column("no longer at", tuple(_rate(one.missed) for _, one in found)),
        Column("tries", tuple(str(len(one.trials)) for _, one in found)),
        *stability_column([row for row, _ in found]),
    ]


def saturation_sentences(rows: Sequence[Row]) -> list[str]:
    """Say up to which rate everything that is no baseline answers in time."""
    return [_sentence(row, one) for row, one in _found(rows) if row.platform not in BASELINES]


def saturation_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the 99th percentile over the rate, of all that was tried: a figure for each load."""
    tried = [row for row, one in _found(rows) if any(trial.answered for trial in one.trials)]
    loads = dict.fromkeys(_load(row) for row in tried)
    return [_chart(load, [row for row in tried if _load(row) == load]) for load in loads]


def _chart(load: str, rows: list[Row]) -> Chart:
    across = Axis("messages per second", formatting.count)
    chart = lines_of(rows, across, Axis("99% are answered within", tick), _points)
    caption = "Every rate that was tried, the median of its tries. Hollow points were not kept each time."
    return Chart(f"99th percentile over the rate, {load}", caption, chart, saturation_columns(rows))


def tried_rates(rows: Sequence[Row]) -> list[Extra]:
    """Return all rates that were tried, and what came of them."""
    tried = [(row, trial) for row, _ in _found(rows) for trial in _sorted(row)]
    if not tried:
        return []
    trials = [trial for _, trial in tried]
    columns = [
        *_who(row for row, _ in tried),
        Column("search", tuple(str(one.repetition) for one in trials)),
        Column("messages/s", tuple(_rate(one.rate) for one in trials)),
        Column(
            "99% within", tuple(formatting.duration(one.p99_us if one.answered else None) for one in trials)
        ),
        Column("kept", tuple("yes" if one.kept else "no" for one in trials), names=True),
        Column("sent late", tuple(formatting.number(one.late) for one in trials)),
        Column("never answered", tuple(formatting.number(one.lost) for one in trials)),
    ]
    remark = (
        "A rate is kept if 99% of the measured messages are answered in time, counted from when they were "
        "due, all are answered, and the sender kept its schedule. The lowest one that is not is tried once "
        "more before it counts as missed."
    )
    return [Extra("All rates that were tried", columns, remark, minor=True)]


def _sentence(row: Row, one: SaturationEstimates) -> str:
    who = f"{where(row)}, {subject(row).lower()} ({_load(row)})"
    if not one.rate:
        none = cite("no rate", row)
        return told(f"{who} kept ", none, f" that was tried: 99% were not answered within {_limit(one)}.")
    until = f", and no longer {_rate(one.missed)}" if one.missed else ""
    rate = cite(_rate(one.rate), row)
    return told(f"{who} answer 99% within {_limit(one)} up to ", rate, f" messages per second{until}.")


def _points(row: Row) -> list[Point]:
    """Return a point for each rate, in their order."""
    by_rate: dict[int, list[Trial]] = {}
    for trial in sorted(_sorted(row), key=lambda one: one.rate):
        if trial.answered:
            by_rate.setdefault(trial.rate, []).append(trial)
    return [_point(row, rate, trials) for rate, trials in by_rate.items()]


def _point(row: Row, rate: int, trials: list[Trial]) -> Point:
    p99_us, missed = median(trial.p99_us for trial in trials), sum(not trial.kept for trial in trials)
    many = f" {missed} of {len(trials)} times" if len(trials) > 1 else ""
    tip = f"{_rate(rate)}/s: {formatting.duration(p99_us)}" + (f", not kept{many}" if missed else "")
    return Point(x=rate, y=p99_us, tip=tip, sound=not missed, of=row.anchor)


def _sorted(row: Row) -> list[Trial]:
    trials = row.saturation.trials if row.saturation else ()
    return sorted(trials, key=lambda one: (one.repetition, one.rate))


def _who(rows: Iterable[Row]) -> list[Column]:
    rows = list(rows)
    kinds = tuple(row.arrivals for row in rows)
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column("where", tuple(PLACES.get(row.placement, row.placement) for row in rows), names=True),
        Column("arrivals", kinds, names=True, minor=len(set(kinds)) == 1),
        Column("pairs", tuple(str(row.senders) for row in rows), minor=len(set(_sizes(rows))) == 1),
        Column("bytes", tuple(str(row.payload_bytes) for row in rows), minor=len(set(_sizes(rows))) == 1),
    ]


def _sizes(rows: Iterable[Row]) -> list[tuple[int, int]]:
    return [(row.senders, row.payload_bytes) for row in rows]


def _load(row: Row) -> str:
    pairs = "1 pair" if row.senders == 1 else f"{formatting.number(row.senders)} pairs"
    return f"{pairs}, {formatting.size(row.payload_bytes)}, {row.arrivals} arrivals"


def _limit(one: SaturationEstimates) -> str:
    return formatting.short(formatting.duration(one.limit_us))


def _rate(rate: float | None) -> str:
    return formatting.NOTHING if rate is None else formatting.number(round(rate))


def _found(rows: Iterable[Row]) -> list[Found]:
    ordered = [row for members in by_series(rows).values() for row in members]
    return [(row, row.saturation) for row in ordered if row.saturation is not None]


REPORT = Report(
    columns=saturation_columns,
    sentences=saturation_sentences,
    charts=saturation_charts,
    extras=tried_rates,
)
