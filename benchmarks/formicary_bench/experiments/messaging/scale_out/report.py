"""What `messaging/scale-out` found, in words, tables and charts: what one more host brings, and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Lines, Point
from formicary_bench.reports.charts.plots import Chart, lines_of, tick
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.reports.document.citing import anchors, cite, told
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.statistics.slopes import median_slope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary_bench.reports.charts.series import Series
    from formicary_bench.results.summary.estimates import ScaleEstimates
    from formicary_bench.results.summary.row import Bounds, Row
    from formicary_bench.statistics.intervals import Interval

ONE_HOST = (
    "With one host its agents talk within their process, without any link: that is where links begin, and no "
    "point of their line."
)
SHARED = (
    "Hosts that are namespaces of one machine share its processors: there, rates show what these can do, and "
    "only CPU time for each message says what more machines would bring."
)


def scale_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of the rows of `messaging/scale-out`."""
    ordered = _ordered(rows)
    found = [row.scale for row in ordered]
    return [
        Column(
            "who", tuple(label(row) for row in ordered), names=True, of=tuple(row.anchor for row in ordered)
        ),
        Column("hosts", tuple(str(row.hosts) for row in ordered)),
        Column("pairs on each", tuple(str(row.pairs) for row in ordered)),
        Column("trips/s", tuple(formatting.count(row.round_trips_per_s) for row in ordered)),
        Column("95%", tuple(_spread(row.round_trips_per_s, row.round_trips_per_s_ci95) for row in ordered)),
        Column("mean", tuple(formatting.duration(row.rtt_mean_us) for row in ordered)),
        Column("95%", tuple(_spread(row.rtt_mean_us, row.rtt_ci95_us) for row in ordered)),
        *_cost("agents' CPU/message", [one.agents_us if one else None for one in found]),
        *_cost("servers' CPU/message", [one.server_us if one else None for one in found]),
        Column("busiest host", tuple(_busy(one) for one in found), minor=True),
        *stability_column(ordered),
    ]


def scale_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what one more host brings, and costs, at the most pairs that there were; the table has the rest."""
    most = max((row.pairs for row in rows), default=0)
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
        and (by_rate := _slope(members, lambda one: one.rates)) is not None
        and (by_time := _slope(members, lambda one: one.rtts_us)) is not None
    ]


def scale_remarks(rows: Sequence[Row]) -> list[str]:
    """Say what must be known before the figures are believed."""
    if not any(row.scale for row in rows):
        return []
    return [*([ONE_HOST] if any(row.hosts == 1 for row in rows) else []), SHARED]


def scale_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the table of what one more host costs."""
    found = [
        (
            _name(series, pairs),
            members,
            _slope(members, lambda one: one.rates),
            _slope(members, lambda one: one.rtts_us),
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
    """Show what varies with the number of hosts."""
    known = _ordered(row for row in rows if row.scale)
    if len({row.hosts for row in known}) < 2:  # noqa: PLR2004 -- a line has two ends
        return []
    columns = scale_columns(rows)
    charts: list[tuple[str, str, Callable[[Row], Estimate | None], Callable[[float], str]]] = [
        (
            "Round trips per second against hosts",
            "round trips per second",
            lambda row: _estimate(row.round_trips_per_s, row.round_trips_per_s_ci95),
            formatting.count,
        ),
        (
            "Round-trip time against hosts",
            "mean round trip",
            lambda row: _estimate(row.rtt_mean_us, row.rtt_ci95_us),
            tick,
        ),
        (
            "CPU time of agents and servers for each message, against hosts",
            "CPU time for each message",
            lambda row: _whole_cost(row.scale),
            tick,
        ),
    ]
    return [
        Chart(name, SHARED, _lines(known, value, axis, text), columns)
        for name, axis, value, text in charts
        if all(value(row) for row in known)
    ]


def _lines(
    rows: Sequence[Row],
    value: Callable[[Row], Estimate | None],
    axis: str,
    text: Callable[[float], str],
) -> Lines:
    def points(row: Row) -> list[Point]:
        found = value(row)
        assert found is not None
        tip = f"{row.hosts} hosts: {text(found.mean)} {_spread(found.mean, found.ci95)}".rstrip()
        is_sound = row.full_load is not False
        return [Point(row.hosts, found.mean, tip, found.ci95, sound=is_sound, of=row.anchor)]

    most = max(row.pairs for row in rows)
    across = Axis(f"hosts, {most} pairs on each", scales.whole, scales.logarithmic_at)
    up = Axis(axis, lambda number: formatting.short(text(number)))
    return lines_of([row for row in rows if row.pairs == most], across, up, points)


def _lines_of(rows: Sequence[Row]) -> list[tuple[tuple[Series, int], list[Row]]]:
    """Return rows that differ in the number of hosts alone, and go over links."""
    found: dict[tuple[Series, int], list[Row]] = {}
    for series, members in by_series(row for row in rows if row.scale and row.hosts > 1).items():
        for row in members:
            found.setdefault((series, row.pairs), []).append(row)
    return list(found.items())


def _slope(rows: Sequence[Row], values: Callable[[ScaleEstimates], Sequence[float]]) -> Interval | None:
    """Return by how much one more host changes a value, over all repetitions."""
    import numpy as np

    points = [(row.hosts, value) for row in rows if row.scale for value in values(row.scale)]
    if len({hosts for hosts, _ in points}) < 2:  # noqa: PLR2004 -- a slope
        return None
    x, y = zip(*points, strict=True)
    return median_slope(np.array(x, dtype=np.float64), np.array(y, dtype=np.float64))


def _ordered(rows: Iterable[Row]) -> list[Row]:
    return [
        row
        for members in by_series(row for row in rows if row.scale).values()
        for row in sorted(members, key=lambda row: (row.pairs, row.hosts))
    ]


def _name(series: Series, pairs: int) -> str:
    return f"{series.label}, {pairs} pairs on each host"


def _spanned(rows: Sequence[Row]) -> str:
    hosts = sorted({row.hosts for row in rows})
    return f"{hosts[0]} to {hosts[-1]}"


def _cost(name: str, values: Sequence[Estimate | None]) -> list[Column]:
    cells = tuple(formatting.duration(one.mean) if one and one.mean else formatting.NOTHING for one in values)
    return [
        Column(name, cells),
        Column("95%", tuple(_spread(one.mean, one.ci95) if one else "" for one in values), minor=True),
    ]


def _whole_cost(scale: ScaleEstimates | None) -> Estimate | None:
    if scale is None or scale.agents_us is None or scale.server_us is None:
        return None
    return _estimate(scale.agents_us.mean + scale.server_us.mean, None)


def _estimate(mean: float | None, bounds: Bounds | None) -> Estimate | None:
    return None if mean is None else Estimate(mean, bounds)


def _busy(scale: ScaleEstimates | None) -> str:
    return f"{scale.busy.mean:.0%}" if scale and scale.busy else formatting.NOTHING


def _spread(mean: float | None, bounds: Bounds | None) -> str:
    return formatting.spread(mean, bounds)


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
    columns=scale_columns,
    sentences=scale_sentences,
    charts=scale_charts,
    extras=scale_extras,
    remarks=scale_remarks,
)
