"""What a grid has shown: how fast agents swap, and how evenly they come to it, beside the paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench import published
from formicary_bench.experiments.experiment import FRANTZ
from formicary_bench.published.claims import papers
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Lines, Point
from formicary_bench.reports.charts.plots import Chart, dots, intervals, lines_of, point_of, typical_columns
from formicary_bench.reports.charts.series import label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by, where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, Extra, or_invalid
from formicary_bench.results.summary.each import RATE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.summary.estimates import SwapEstimates
    from formicary_bench.results.summary.row import Row

TABLE = f"{FRANTZ}, Table 2"
PAPER_SWAPS = 1000
"""At how many swaps of the first agent the paper ends."""

_EVEN = (
    "The standard deviation of the agents' swaps, divided by the root of their mean. It is 1 where each swap "
    "falls to any agent by chance, a bit less where one that swaps cannot be asked meanwhile, and much more "
    "where some agents get their turn more often than others."
)


def swap_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of rows with grids."""
    known = sorted(ordered(rows), key=lambda row: row.dimension)
    return [
        Column("who", tuple(label(row) for row in known), names=True, of=tuple(row.anchor for row in known)),
        Column("agents", tuple(formatting.number(row.dimension**2) for row in known)),
        Column(
            "requests/s", tuple(or_invalid(row, formatting.count(row.round_trips_per_s)) for row in known)
        ),
        Column(
            "95%",
            tuple(formatting.spread(row.round_trips_per_s, row.round_trips_per_s_ci95) for row in known),
        ),
        _column("granted/s", known, lambda one: formatting.count(one.swaps_per_s.mean)),
        _column("messages/s", known, lambda one: formatting.count(one.messages_per_s.mean)),
        _column("swaps of each", known, lambda one: formatting.digits(one.mean.mean), minor=True),
        _column("deviation", known, lambda one: formatting.digits(one.deviation.mean)),
        _column("by root of mean", known, lambda one: formatting.times(one.by_chance.mean)),
        _column("unfairness", known, lambda one: f"{one.unfairness.mean:.1%}"),
        _column("memory", known, _held, minor=True),
        *baseline_columns(known, rows),
        *stability_column(known),
    ]


def swap_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what the largest grid of each series of ours has come to."""
    return [
        told(
            f"{where(row)}, {subject(row).lower()} on a grid of {row.dimension} by {row.dimension} make ",
            cite(formatting.count(row.round_trips_per_s), row),
            " requests per second",
            after(all_of(row, rows, RATE)),
            f"; their swaps have a standard deviation of {formatting.digits(row.swapped.deviation.mean)}, "
            f"{formatting.times(row.swapped.by_chance.mean)} times the root of their mean.",
        )
        for members in found_by(rows)
        for row in [max(members, key=lambda row: row.dimension)]
        if row.swapped
    ]


def swap_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show rates and evenness by the size of the grid, and the rates of the largest."""
    known = [row for row in rows if row.swapped]
    if not known:
        return []
    columns = swap_columns(rows)
    charts = []
    if len({row.dimension for row in known}) > 1:
        rates = _against(known, "requests per second", _rate, formatting.count)
        even = _against(known, "by the root of the mean", _by_chance, formatting.times)
        charts = [
            Chart("Requests per second by the number of agents", _more(known), rates, columns),
            Chart("How evenly agents come to swap", _EVEN, even, columns),
        ]
    most = max(row.dimension for row in known)
    largest = [row for row in known if row.dimension == most]
    speed = dots(
        largest, RATE, "requests per second", formatting.per_second, lambda row: against_baseline(row, rows)
    )
    title = f"Requests per second, {formatting.number(most**2)} agents"
    return [
        *charts,
        Chart(title, _more(largest), speed, typical_columns(largest, RATE, formatting.per_second)),
    ]


def swap_extras(rows: Sequence[Row]) -> list[Extra]:
    """Put the paper's standard deviations beside ours."""
    found: dict[tuple[str, int], dict[int, float]] = {}
    for row in ordered(rows):
        if row.swapped:
            found.setdefault((label(row), row.swaps), {})[row.dimension**2] = row.swapped.deviation.mean
    if not found:
        return []
    for one in published.deviations():
        found.setdefault((f"{one.platform} ({TABLE})", PAPER_SWAPS), {})[one.agents] = one.swaps
    sizes = sorted({agents for line in found.values() for agents in line})
    columns = [
        Column("who", tuple(who for who, _ in found), names=True),
        Column("until", tuple(formatting.counted(swaps, "swap") for _, swaps in found)),
        *(
            Column(formatting.number(agents), tuple(_digits(line.get(agents)) for line in found.values()))
            for agents in sizes
        ),
    ]
    remark = (
        f"By the number of agents. The paper's frameworks were measured on {papers()[FRANTZ].machine}. A "
        f"deviation grows with the root of the swaps: those until {PAPER_SWAPS} can be held against theirs."
    )
    return [Extra("Beside the published standard deviations of swaps", columns, remark)]


def _digits(value: float | None) -> str:
    return "" if value is None else formatting.digits(value)


def _column(
    title: str, rows: Sequence[Row], say: Callable[[SwapEstimates], str], *, minor: bool = False
) -> Column:
    cells = tuple(say(row.swapped) if row.swapped else formatting.NOTHING for row in rows)
    return Column(title, cells, minor=minor)


def _held(one: SwapEstimates) -> str:
    return formatting.size(one.held_bytes.mean) if one.held_bytes else formatting.NOTHING


def _against(
    rows: Sequence[Row],
    axis: str,
    value: Callable[[Row], tuple[float, tuple[float, float] | None]],
    write: Callable[[float], str],
) -> Lines:
    def points(row: Row) -> list[Point]:
        found, bounds = value(row)
        tip = f"{formatting.number(row.dimension**2)} agents: {write(found)}"
        return [point_of(row, row.dimension**2, found, tip, bounds)]

    across = Axis("agents", lambda number: formatting.short(formatting.count(number)))
    up = Axis(axis, lambda number: formatting.short(write(number)))
    return lines_of(rows, across, up, points, by_place=True)


def _rate(row: Row) -> tuple[float, tuple[float, float] | None]:
    bounds = row.round_trips_per_s_ci95
    return row.round_trips_per_s or 0.0, bounds and (max(bounds[0], 0.0), bounds[1])


def _by_chance(row: Row) -> tuple[float, tuple[float, float] | None]:
    found = row.swapped.by_chance if row.swapped else None
    if found is None:
        return 0.0, None
    return found.mean, found.ci95 and (max(found.ci95[0], 0.0), found.ci95[1])


def _more(rows: Sequence[Row]) -> str:
    return f"More is better. {intervals(rows)}".strip()


REPORT = Report(
    columns=swap_columns,
    sentences=swap_sentences,
    charts=swap_charts,
    extras=swap_extras,
    ratios=no_ratios,
)
