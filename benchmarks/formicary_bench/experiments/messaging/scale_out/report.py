"""What `messaging/scale-out` found, in words, tables and charts: what one more host brings, and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging.scale_out import WHOLE_CPU
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import Chart, against, values
from formicary_bench.reports.charts.series import by_series
from formicary_bench.reports.document.citing import anchors, cite, told
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.each import samples_of
from formicary_bench.statistics.slopes import median_slope
from formicary_bench.vocabulary.metrics import MEAN, RATE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.reports.charts.series import Series
    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.intervals import Interval
    from formicary_bench.vocabulary.metrics import Metric

ONE_HOST = (
    "With one host its agents talk within their process, without any link: that is where links begin, and no "
    "point of their line."
)
SHARED = (
    "Hosts that are namespaces of one machine share its processors: there, rates show what these can do, and "
    "only CPU time for each message says what more machines would bring."
)


def scale_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what one more host brings, and costs, at the most pairs that there were; the table has the rest."""
    most = max((row.exchange.pairs for row in rows), default=0)
    return [
        told(
            f"{_name(series, pairs)}, each further host changes the rate by ",
            cite(_rate(by_rate), *members),
            " round trips/s and the mean round trip by ",
            cite(_time(by_time), *members),
            f", at {_spanned(members)} hosts.",
        )
        for (series, pairs), members in _lines_of(rows)
        if pairs == most
        and (by_rate := _slope(members, RATE)) is not None
        and (by_time := _slope(members, MEAN)) is not None
    ]


def scale_remarks(rows: Sequence[Row]) -> list[str]:
    """Say what must be known before the figures are believed."""
    if not any(row.estimate(RATE) for row in rows):
        return []
    return [*([ONE_HOST] if any(row.hosts == 1 for row in rows) else []), SHARED]


def scale_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the table of what one more host costs."""
    found = [
        (
            _name(series, pairs),
            members,
            _slope(members, RATE),
            _slope(members, MEAN),
        )
        for (series, pairs), members in _lines_of(rows)
    ]
    known = [(name, members, rate, time) for name, members, rate, time in found if rate and time]
    if not known:
        return []
    columns = [
        Column(
            "who",
            tuple(name for name, _, _, _ in known),
            names=True,
            of=tuple(anchors(*members) for _, members, _, _ in known),
        ),
        Column("hosts", tuple(_spanned(members) for _, members, _, _ in known)),
        Column("trips/s for one more", tuple(_signed(rate.mean) for _, _, rate, _ in known)),
        Column("95%", tuple(_range(rate, _signed) for _, _, rate, _ in known)),
        Column("round trip for one more", tuple(_signed_time(time.mean) for _, _, _, time in known)),
        Column("95%", tuple(_range(time, _signed_time) for _, _, _, time in known)),
    ]
    remark = "Slopes: the median of those between any two repetitions, with its 95% interval (Theil and Sen)."
    return [Extra("What one more host brings", columns, remark)]


def scale_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show what varies with the number of hosts, at the most pairs on each."""
    most = max((row.exchange.pairs for row in rows), default=0)
    known = [row for row in rows if row.exchange.pairs == most and row.estimate(RATE)]
    if len({row.hosts for row in known}) < 2:  # noqa: PLR2004 -- a line has two ends
        return []
    axis = f"hosts, {most} pairs on each"
    charts = {
        "Round trips per second against hosts": RATE,
        "Round-trip time against hosts": MEAN,
        "CPU time of agents and servers for each message, against hosts": WHOLE_CPU,
    }
    return [
        Chart(
            title,
            SHARED,
            against(known, lambda row: row.hosts, axis, "{:d}".format, metric),
            values(known, "hosts", lambda row: str(row.hosts), metric),
        )
        for title, metric in charts.items()
        if all(row.estimate(metric) for row in known)
    ]


def _lines_of(rows: Sequence[Row]) -> list[tuple[tuple[Series, int], list[Row]]]:
    """Return rows that differ in the number of hosts alone, and go over links."""
    found: dict[tuple[Series, int], list[Row]] = {}
    for series, members in by_series(row for row in rows if row.estimate(RATE) and row.hosts > 1).items():
        for row in members:
            found.setdefault((series, row.exchange.pairs), []).append(row)
    return list(found.items())


def _slope(rows: Sequence[Row], metric: Metric) -> Interval | None:
    """Return by how much one more host changes a figure, over all repetitions."""
    import numpy as np

    points = [(row.hosts, value) for row in rows for value in samples_of(row.each).get(metric.name, ())]
    if len({hosts for hosts, _ in points}) < 2:  # noqa: PLR2004 -- a slope
        return None
    x, y = zip(*points, strict=True)
    return median_slope(np.array(x, dtype=np.float64), np.array(y, dtype=np.float64))


def _name(series: Series, pairs: int) -> str:
    return f"{series.label}, {pairs} pairs on each host"


def _spanned(rows: Sequence[Row]) -> str:
    hosts = sorted({row.hosts for row in rows})
    return f"{hosts[0]} to {hosts[-1]}"


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{formatting.count(abs(value))}"


def _signed_time(value: float) -> str:
    return f"{'-' if value < 0 else '+'}{formatting.duration(abs(value))}"


def _range(slope: Interval, text: Callable[[float], str]) -> str:
    return f"{text(slope.low)} to {text(slope.high)}"


def _rate(slope: Interval) -> str:
    return f"{_signed(slope.mean)} ({_range(slope, _signed)})"


def _time(slope: Interval) -> str:
    return f"{_signed_time(slope.mean)} ({_range(slope, _signed_time)})"


REPORT = Report(
    sentences=scale_sentences,
    charts=scale_charts,
    extras=scale_extras,
    remarks=scale_remarks,
)
