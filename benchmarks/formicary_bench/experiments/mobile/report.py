"""What loops found: times by how many operations one has, peak and sustained rates, beside the paper's."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from formicary_bench import published
from formicary_bench.published.claims import papers
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.dots import Dot
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
from formicary_bench.reports.charts.series import PLACES, Series, label, subject
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by, where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, Extra, or_invalid
from formicary_bench.results.summary.each import SUSTAINED, samples_of
from formicary_bench.vocabulary.sleeping import ASLEEP, AWAKE, IN_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.summary.estimates import LoopEstimates, LoopSize
    from formicary_bench.results.summary.row import Row

PAPER = "Dikaiakos 2001"
TABLE = f"{PAPER}, Table 8"

_OPERATIONS = {
    "mobile/create-local": ("CL", "agent"),
    "mobile/create-remote": ("CR", "agent"),
    "mobile/dispatch": ("AD", "agent"),
    "mobile/one-way": ("MSG-1W", "message"),
    "mobile/two-way": ("MSG-2W", "message and answer"),
    "mobile/synchronize": ("SYNCH", "message and answer"),
    "mobile/messenger": ("MSG-MA", "journey there and back"),
    "mobile/roam": ("ROAM", "hop"),
    "mobile/proxy": ("PROXY", "request"),
    "mobile/forward-messages": ("FORW-MSG", "request"),
    "mobile/forward-agents": ("FORW-MA", "agent"),
    "mobile/wake": ("", "agent"),
}
"""What the paper calls each that it has, and what is counted."""

_HELD = {AWAKE: "awake holds", ASLEEP: "asleep holds", IN_FILE: "in the file"}
"""What columns are called with what one of the agents holds."""

_DEFINED = (
    "Each size has some loops of its own, in one process and from small to large; its total time is their "
    "median. Peak: the highest rate of any size. Sustained: that of the largest loop, made again and again "
    f"after them. As in {PAPER}, Section 2."
)
_MICRO = 1e6


def loop_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of the rows of an experiment that makes loops."""
    known = ordered(rows)
    found = [row.loops for row in known]
    return [
        *_who(known),
        Column("largest loop", tuple(formatting.number(row.loop) for row in known)),
        Column("total", tuple(_of_largest(one, _total) for one in found)),
        Column("average", tuple(_of_largest(one, _average) for one in found)),
        Column(
            "peak/s", tuple(formatting.count(one.peak.mean) if one else formatting.NOTHING for one in found)
        ),
        Column(
            "in loops of", tuple(formatting.number(one.peak_at) if one else "" for one in found), minor=True
        ),
        Column("sustained/s", tuple(or_invalid(row, _sustained(row)) for row in known)),
        Column("95%", tuple(_spread(one) for one in found)),
        *_held(known),
        *baseline_columns(known, rows),
        *stability_column(known),
    ]


def loop_sentences(rows: Sequence[Row]) -> list[str]:
    """Say the sustained rate of each series that is no baseline, and what it is held against."""
    return [
        f"{where(row)}, {_doing(row)}: {_sustained(row)} {_operations(row)} per second sustained"
        f"{after(all_of(row, rows, SUSTAINED))}{_holding(row)}."
        for members in found_by(rows)
        for row in [max(members, key=lambda row: row.loop)]
    ]


def loop_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show total and average times against the size of loops, and the sustained rates."""
    known = [row for row in rows if row.loops]
    if not known:
        return []
    columns, charts = loop_columns(rows), []
    if max(len(row.loops.sizes) for row in known if row.loops) > 1:
        charts = [
            Chart(titled(name, rows), f"{_DEFINED} {intervals(known)}", _against(known, axis, value), columns)
            for name, axis, value in (
                ("Total time against the size of the loop", "total time", _seconds),
                ("Average time against the size of the loop", "average time", _seconds_each),
            )
        ]
    one = _operations(known[0])
    speed = dots(
        known, SUSTAINED, f"{one} per second", formatting.per_second, lambda row: against_baseline(row, rows)
    )
    groups = speed.groups | _published_dots(known[0])
    caption = f"More is better. {_beside(known[0])}".strip()
    chart = type(speed)(groups, speed.title, speed.tick)
    return [
        *charts,
        Chart(
            f"Sustained rate: {one}", caption, chart, typical_columns(known, SUSTAINED, formatting.per_second)
        ),
    ]


def loop_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the times by the size of loops, and the published rates beside ours."""
    known = [row for row in ordered(rows) if row.loops]
    return [*_by_size(known), *_references(known)] if known else []


def _by_size(rows: Sequence[Row]) -> list[Extra]:
    lines = [(row, one) for row in rows if row.loops for one in row.loops.sizes]
    columns = [
        *_who([row for row, _ in lines]),
        Column("operations", tuple(formatting.number(one.size) for _, one in lines)),
        Column("total", tuple(_total(one) for _, one in lines)),
        Column("95%", tuple(formatting.spread(one.total_s.mean, one.total_s.ci95) for _, one in lines)),
        Column("average", tuple(_average(one) for _, one in lines)),
        Column("per second", tuple(formatting.count(one.size / one.total_s.mean) for _, one in lines)),
    ]
    return [Extra("Times by the size of the loop", columns, _DEFINED)]


def _references(rows: Sequence[Row]) -> list[Extra]:
    """Put what Table 8 has of the benchmark beside ours; nothing where it has none."""
    benchmark, _ = _OPERATIONS[rows[0].experiment]
    theirs = published.rates(benchmark)
    if not theirs:
        return []
    ours = [(label(row), row.loops.peak.mean, row.loops.sustained.mean) for row in rows if row.loops]
    lines = [*ours, *((f"{one.platform} ({TABLE})", one.peak, one.sustained) for one in theirs)]
    columns = [
        Column("who", tuple(who for who, _, _ in lines), names=True),
        Column("peak/s", tuple(formatting.short(formatting.count(peak)) for _, peak, _ in lines)),
        Column("sustained/s", tuple(formatting.short(formatting.count(rate)) for _, _, rate in lines)),
    ]
    return [Extra(f"Beside the published rates of {benchmark}", columns, _beside(rows[0]))]


def _published_dots(row: Row) -> dict[str, list[Dot]]:
    benchmark, _ = _OPERATIONS[row.experiment]
    found = [
        Dot(
            Series(one.platform, "u", "circle", ""),
            one.sustained,
            formatting.per_second(one.sustained),
            published=True,
        )
        for one in published.rates(benchmark)
    ]
    return {f"Published, not measured here: {TABLE}": found} if found else {}


def _beside(row: Row) -> str:
    benchmark, _ = _OPERATIONS[row.experiment]
    if not published.rates(benchmark):
        return ""
    return (
        f"The paper's platforms were measured on {papers()[PAPER].machine}: other machines, of other times."
    )


def _against(rows: Sequence[Row], axis: str, value: Callable[[LoopSize, float], float]) -> Lines:
    def points(row: Row) -> list[Point]:
        return [_point(row, one, value) for one in (row.loops.sizes if row.loops else ())]

    return lines_of(rows, Axis("operations of a loop", formatting.count), Axis(axis, tick), points)


def _point(row: Row, one: LoopSize, value: Callable[[LoopSize, float], float]) -> Point:
    time, between = value(one, one.total_s.mean), one.total_s.ci95
    bounds = (max(value(one, between[0]), 0.0), value(one, between[1])) if between else None
    return point_of(row, one.size, time, f"{formatting.number(one.size)}: {tick(time)}", bounds)


def _seconds(one: LoopSize, seconds: float) -> float:
    del one
    return seconds * _MICRO


def _seconds_each(one: LoopSize, seconds: float) -> float:
    return seconds * _MICRO / one.size


def _who(rows: Sequence[Row]) -> list[Column]:
    places = tuple(PLACES.get(row.placement, row.placement) for row in rows)
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column("where", places, names=True, minor=True),
    ]


def _doing(row: Row) -> str:
    said = [subject(row).lower()]
    said += [f"{row.pairs} clients"] if row.pairs else []
    said += [row.way.replace("-", " ")] if row.way else []
    said += [f"while {row.rate} messages/s come in"] if row.rate else []
    return ", ".join(said)


def _operations(row: Row) -> str:
    _, one = _OPERATIONS[row.experiment]
    irregular = {
        "message and answer": "messages and their answers",
        "journey there and back": "journeys there and back",
    }
    return irregular.get(one, f"{one}s")


def _held(rows: Sequence[Row]) -> list[Column]:
    """Return what one of the agents holds; nothing where none was weighed."""
    found = [_weighed(row) for row in rows]
    return [
        Column(title, tuple(formatting.size(one.get(figure)) for one in found))
        for figure, title in _HELD.items()
        if any(figure in one for one in found)
    ]


def _holding(row: Row) -> str:
    size = {figure: formatting.size(held) for figure, held in _weighed(row).items()}
    if AWAKE not in size:
        return ""
    return f"; one holds {size[AWAKE]} awake, and asleep {size[ASLEEP]} and {size[IN_FILE]} of the file"


def _weighed(row: Row) -> dict[str, float]:
    return {figure: fmean(values) for figure, values in samples_of(row.each).items() if figure in _HELD}


def _sustained(row: Row) -> str:
    return formatting.count(row.loops.sustained.mean) if row.loops else formatting.NOTHING


def _of_largest(loops: LoopEstimates | None, say: Callable[[LoopSize], str]) -> str:
    return say(loops.sizes[-1]) if loops else formatting.NOTHING


def _total(one: LoopSize) -> str:
    return formatting.duration(_seconds(one, one.total_s.mean))


def _average(one: LoopSize) -> str:
    return formatting.duration(_seconds_each(one, one.total_s.mean))


def _spread(loops: LoopEstimates | None) -> str:
    return formatting.spread(loops.sustained.mean, loops.sustained.ci95) if loops else ""


REPORT = Report(
    columns=loop_columns,
    sentences=loop_sentences,
    charts=loop_charts,
    extras=loop_extras,
    ratios=no_ratios,
)
