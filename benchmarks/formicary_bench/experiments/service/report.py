"""What rounds of a service took, beside the paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench import published
from formicary_bench.experiments.experiment import FRANTZ
from formicary_bench.published.claims import papers
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Lines, Point
from formicary_bench.reports.charts.plots import (
    Chart,
    dots,
    intervals,
    lines_of,
    point_of,
    tick,
    typical_columns,
)
from formicary_bench.reports.charts.series import label, subject
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, Extra, or_invalid
from formicary_bench.results.summary.each import RATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

TABLE = f"{FRANTZ}, Table 1"

_MESSAGES = 6
"""Messages of a round: to the coordinator, to each of the two others, and the answers of all."""

_MICRO = 1e6


def round_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of rows with rounds."""
    known = sorted(ordered(rows), key=lambda row: row.requests)
    return [
        Column("who", tuple(label(row) for row in known), names=True, of=tuple(row.anchor for row in known)),
        Column("rounds", tuple(formatting.number(row.requests) for row in known)),
        Column("total", tuple(or_invalid(row, _total(row)) for row in known)),
        Column("95%", tuple(formatting.spread(row.total_s, row.total_s_ci95) for row in known)),
        Column("rounds/s", tuple(formatting.count(row.round_trips_per_s) for row in known)),
        Column("messages/s", tuple(_messages(row) for row in known), minor=True),
        Column("memory", tuple(_held(row) for row in known)),
        Column("grew by", tuple(_grew(row) for row in known)),
        *baseline_columns(known, rows),
        *stability_column(known),
    ]


def round_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what the most rounds of each series of ours took."""
    return [
        told(
            f"{formatting.number(row.requests)} rounds take {_who(row)} ",
            cite(_total(row), row),
            f", {formatting.count(row.round_trips_per_s)} per second",
            after(all_of(row, rows, RATE)),
            f"; meanwhile the process grows by {_grew(row)}." if _knows_growth(row) else ".",
        )
        for members in found_by(rows)
        for row in [max(members, key=lambda row: row.requests)]
        if row.service
    ]


def round_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the total time by the number of rounds, and the rates of the most."""
    known = [row for row in rows if row.service]
    if not known:
        return []
    charts = []
    if len({row.requests for row in known}) > 1:
        charts = [
            Chart("Total time by the number of rounds", intervals(known), _times(known), round_columns(rows))
        ]
    most = max(row.requests for row in known)
    last = [row for row in known if row.requests == most]
    speed = dots(
        last, RATE, "rounds per second", formatting.per_second, lambda row: against_baseline(row, rows)
    )
    title = f"Rounds per second, of {formatting.number(most)}"
    caption = f"More is better. {intervals(last)}".strip()
    return [*charts, Chart(title, caption, speed, typical_columns(last, RATE, formatting.per_second))]


def round_extras(rows: Sequence[Row]) -> list[Extra]:
    """Put the paper's times beside ours."""
    found: dict[str, dict[int, float]] = {}
    for row in ordered(rows):
        if row.total_s:
            found.setdefault(label(row), {})[row.requests] = row.total_s
    if not found:
        return []
    for one in published.service_times():
        found.setdefault(f"{one.platform} ({TABLE})", {})[one.rounds] = one.seconds
    sizes = sorted({rounds for line in found.values() for rounds in line})
    columns = [
        Column("who", tuple(found), names=True),
        *(
            Column(
                f"{formatting.number(rounds)} rounds",
                tuple(_time(line.get(rounds)) for line in found.values()),
            )
            for rounds in sizes
        ),
    ]
    machine = papers()[FRANTZ].machine
    remark = f"The paper's platforms were measured on {machine}: another machine, of another time."
    return [Extra("Beside the published times", columns, remark)]


def _times(rows: Sequence[Row]) -> Lines:
    def points(row: Row) -> list[Point]:
        low, high = row.total_s_ci95 or (0.0, 0.0)
        bounds = (max(low, 0.0) * _MICRO, high * _MICRO) if row.total_s_ci95 else None
        tip = f"{formatting.number(row.requests)} rounds: {_total(row)}"
        return [point_of(row, row.requests, (row.total_s or 0) * _MICRO, tip, bounds)]

    return lines_of(rows, Axis("rounds", formatting.count), Axis("total time", tick), points)


def _total(row: Row) -> str:
    return _time(row.total_s) or formatting.NOTHING


def _time(seconds: float | None) -> str:
    return "" if seconds is None else formatting.duration(seconds * _MICRO)


def _messages(row: Row) -> str:
    rate = row.round_trips_per_s
    return formatting.count(None if rate is None else _MESSAGES * rate)


def _held(row: Row) -> str:
    held = row.service and row.service.held_bytes
    return formatting.size(held.mean) if held else formatting.NOTHING


def _who(row: Row) -> str:
    """Return the name of a platform, or our agents as they stand within a sentence."""
    return subject(row).lower() if row.platform == "formicary" else subject(row)


def _knows_growth(row: Row) -> bool:
    return bool(row.service and row.service.grew_bytes)


def _grew(row: Row) -> str:
    grew = row.service and row.service.grew_bytes
    return formatting.size(max(grew.mean, 0.0)) if grew else formatting.NOTHING


REPORT = Report(
    columns=round_columns,
    sentences=round_sentences,
    charts=round_charts,
    extras=round_extras,
    ratios=no_ratios,
)
