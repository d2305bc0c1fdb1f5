"""How reliable each figure is, and what to do next, in tables and remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import metric_of
from formicary_bench.reports import formatting
from formicary_bench.reports.document.points import named, ordered, point
from formicary_bench.reports.document.tables import Column, Extra, who
from formicary_bench.statistics.intervals import FEWEST
from formicary_bench.statistics.stability import WANTED, Stability, is_advice
from formicary_bench.vocabulary.metrics import MEAN, RATE, TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.stability import Assessment


_WORST_FIRST = (Stability.TOO_FEW, Stability.DRIFTS, Stability.DEPENDS, Stability.WIDE, Stability.STABLE)
_WORDS = {
    Stability.TOO_FEW: "too few",
    Stability.DRIFTS: "drifts",
    Stability.DEPENDS: "depend",
    Stability.STABLE: "stable",
}
_WORSE = {Stability.DRIFTS, Stability.DEPENDS}
_ELSEWHERE = {MEAN.name, TIME.name, RATE.name}
_BELIEVED = "Half the width of each 95% interval; --json has it in words."
_UNSEEN = f" Fewer than {FEWEST} repetitions do not show whether they are correlated."


def stability_column(rows: Sequence[Row]) -> list[Column]:
    """Return the column with the reliability of each row, that of its worst figure."""
    return _column([min(_assessments(row), key=_badness, default=None) for row in rows])


def stability_of_samples(lines: Sequence[tuple[Row, str]]) -> list[Column]:
    """Return that column for a table whose lines are about one figure of a row each, given by name."""
    found = [{one.figure: one.assessment for one in row.stability}.get(name) for row, name in lines]
    return _column(found)


def stability_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the table with the reliability of each figure of each row.

    Times and rates in other tables are left out, unless more than an interval is known.
    """
    lines = [row for row in ordered(rows) if row.stability]
    known = [{one.figure: one.assessment for one in row.stability} for row in lines]
    figures = [
        figure
        for figure in dict.fromkeys(figure for one in known for figure in one)
        if figure not in _ELSEWHERE or any(one[figure].stability in _WORSE for one in known if figure in one)
    ]
    if not figures:
        return []
    columns = [
        who(lines),
        Column("at", tuple(point(row, rows) for row in lines)),
        *(
            Column(
                metric_of(rows[0].experiment, figure).title,
                tuple(_known_to(one.get(figure)) for one in known),
            )
            for figure in figures
        ),
    ]
    few = any(row.repetitions < FEWEST for row in lines)
    remark = _BELIEVED + (_UNSEEN if few else "")
    return [Extra("How reliable the figures are", columns, remark, minor=True)]


def dependent_remarks(rows: Sequence[Row]) -> list[str]:
    """Return which repetitions are correlated, and how much too narrow intervals are then."""
    found = {
        named(row, rows): max(
            one.assessment.depends.widening for one in row.stability if one.assessment.depends
        )
        for row in ordered(rows)
        if any(one.assessment.depends for one in row.stability)
    }
    if not found:
        return []
    remark = (
        f"Repetitions depend on each other, each is like the one before: {', '.join(found)}. Intervals of "
        f"their means are too narrow, by up to {max(found.values()):.1f} times; those of factors are made "
        "wider. A quieter machine would help."
    )
    return [remark]


def _column(found: Sequence[Assessment | None]) -> list[Column]:
    if not any(found):
        return []
    cells = tuple(_short(one) if one else formatting.NOTHING for one in found)
    return [Column("stability", cells, minor=all(one is None or _is_too_few(one) for one in found))]


def _assessments(row: Row) -> list[Assessment]:
    return [one.assessment for one in row.stability]


def _badness(one: Assessment) -> tuple[int, float]:
    return _WORST_FIRST.index(one.stability), -(one.half_width or 0)


def _known_to(one: Assessment | None) -> str:
    """Return how exactly a figure is known, with a word if there is more to say."""
    if one is None or one.half_width is None:
        return "" if one is None else _short(one)
    half = f"±{one.half_width:.1%}"
    return f"{half}, {_short(one)}" if one.stability in _WORSE else half


def _is_too_few(one: Assessment) -> bool:
    return one.stability is Stability.TOO_FEW


def _short(one: Assessment) -> str:
    if one.stability is Stability.WIDE:
        return f"{WANTED:.0%} by ~{one.repetitions}" if is_advice(one.repetitions) else "scatters"
    return _WORDS[one.stability]


_COLD = (
    "Cold: the first round of a fresh process, as long as the measured one. CPU time is per round "
    "trip, in the process that asks."
)


def warmth_column(rows: Sequence[Row]) -> list[Column]:
    """Return the column that says which platforms were warm; nothing if none had to warm up."""
    cells = tuple(row.warmth.word if row.warmth else "" for row in rows)
    return [Column("warmth", cells, minor=set(cells) <= {"", "warm"})] if any(cells) else []


def cold_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return tables that compare warm figures with those of the first round, for each experiment with any."""
    found = [_cold(name, rows) for name in dict.fromkeys(row.experiment for row in rows)]
    return [extra for extra in found if extra]


def _cold(experiment: str, rows: Sequence[Row]) -> Extra | None:
    beside = [row for row in rows if row.experiment == experiment]
    known = [(row, row.warmth) for row in ordered(beside) if row.warmth and row.warmth.cold_per_s]
    columns = [
        who(row for row, _ in known),
        Column("at", tuple(point(row, beside) for row, _ in known)),
        Column("cold trips/s", tuple(formatting.count(one.cold_per_s) for _, one in known)),
        Column("trips/s", tuple(formatting.count(row.mean(RATE)) for row, _ in known)),
        Column("cold mean", tuple(formatting.duration(one.cold_mean_us) for _, one in known)),
        Column("mean", tuple(formatting.duration(row.mean(MEAN)) for row, _ in known)),
        Column("cold CPU", tuple(formatting.duration(one.cold_cpu_us) for _, one in known)),
        Column("CPU", tuple(formatting.duration(one.cpu_us) for _, one in known)),
        Column("warmed up for", tuple(f"{one.warm_up_s:.1f} s" for _, one in known)),
    ]
    return Extra(f"{experiment}: cold, and as measured", columns, _COLD) if known else None
