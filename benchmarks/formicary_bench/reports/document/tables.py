"""The rows of an experiment as a table of words, for every format that has tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS, declared
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import PLACES, label
from formicary_bench.reports.document.figures import anchors, sized, spread_of, value_of
from formicary_bench.reports.document.points import ordered
from formicary_bench.results.summary.baselines import with_less
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.statistics.comparisons import RESOLUTION, Verdict
from formicary_bench.vocabulary.metrics import RATE, TIME
from formicary_bench.vocabulary.parameters.parameter import declared_by
from formicary_bench.vocabulary.parameters.shared import ROUNDS, Talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor
    from formicary_bench.vocabulary.metrics import Metric

UNEVEN = "not held"
"""The cell of a row that did not hold full load."""


NOT_VALID = "not valid"
"""The cell in place of a figure of a row that was disturbed."""


class Column(msgspec.Struct, frozen=True):
    """A column of words: its title, its cells, whether they are names (or figures).

    `minor` columns may be left out for lack of room. `of` has the anchors of each cell's rows, separated by
    spaces; it is empty if cells have no rows.
    """

    title: str
    cells: tuple[str, ...]
    names: bool = False
    minor: bool = False
    of: tuple[str, ...] = ()


class Extra(msgspec.Struct, frozen=True):
    """A further table: its title, its columns, and what a reader should know about it.

    `minor` tables may be left out for lack of room.
    """

    title: str
    columns: list[Column]
    remark: str = ""
    minor: bool = False


def load_word(rows: Sequence[Row]) -> str:
    """Return the word for the unit of load: `sender` if all talk to one receiver, else `pair`."""
    known = EXPERIMENTS.get(rows[0].experiment)
    return "sender" if known and known.senders(1) else "pair"


def who(rows: Iterable[Row], of: Iterable[str] = (), name: Callable[[Row], str] = label) -> Column:
    """Return the column that names the row of each line, and links to it.

    Args:
        rows: The row of each line.
        of: The anchors of the rows of each line; those of its row if empty.
        name: Returns the name of a row.
    """
    rows = list(rows)
    return Column(
        "who", tuple(map(name, rows)), names=True, of=tuple(of) or tuple(row.anchor for row in rows)
    )


def who_columns(rows: Sequence[Row], of: Sequence[str] = ()) -> list[Column]:
    """Return the columns that identify the lines of a table: the series, the place, and all sizes.

    Args:
        rows: The row of each line, all of one experiment.
        of: The anchors of the rows of each line; those of its row if empty.
    """
    known = declared(rows[0].experiment) if rows else None
    found = [who(rows, of)]
    if known is None or len(known.placements) > 1:
        places = tuple(PLACES.get(row.placement, row.placement) for row in rows)
        found.append(Column("where", places, names=True, minor=True))
    if known and "count" in known.varies:
        found.append(Column("hosts", tuple(str(row.hosts) for row in rows)))
    for one in known.own if known else declared_by(Talk):
        cells = tuple(sized(one, row.parameters.get(one.attribute)) for row in rows)
        if one.attribute != ROUNDS.attribute and any(row.size(one.attribute) for row in rows):
            is_main = known is not None and one.attribute == known.over
            is_minor = one.in_label or (len(set(cells)) == 1 and not is_main)
            found.append(Column(one.heading, cells, names=one.kind.has_words, minor=is_minor))
    return found


def metric_columns(rows: Sequence[Row], metrics: Sequence[Metric]) -> list[Column]:
    """Return the columns of metrics that any row has, with their intervals.

    If none has any because rows are not valid, all columns are there, to say so.
    """
    found: list[Column] = []
    known = [one for one in metrics if any(row.mean(one) is not None for row in rows)]
    shown = known or (metrics if any(row.invalid for row in rows) else ())
    for place, metric in enumerate(shown):
        values = [value_of(row, metric) for row in rows]
        cells = tuple(
            or_invalid(row, one) if place == 0 else one for row, one in zip(rows, values, strict=True)
        )
        found.append(Column(metric.heading, cells, minor=metric.minor))
        if metric.has_spread:
            found.append(Column("95%", tuple(spread_of(row, metric) for row in rows), minor=metric.minor))
    return found


def less_extra(rows: Sequence[Row]) -> list[Extra]:
    """Return the table that compares links with links without one feature: TLS, or numbered frames."""
    found = [(row, other) for row in ordered(rows) for other in with_less(row, rows)]
    if not found:
        return []
    columns = [
        *who_columns([row for row, _ in found], [anchors(*pair) for pair in found]),
        Column("compared with", tuple(label(other) for _, other in found), names=True),
        Column("by rate", tuple(in_a_cell(factor(row, other, RATE)) for row, other in found)),
        Column("by median", tuple(in_a_cell(factor(row, other, TIME)) for row, other in found)),
    ]
    return [Extra("Beside the same with fewer features", columns)]


def in_a_cell(one: Factor | None) -> str:
    """Return how many times as fast a row is: `3.6× slower (3.1–4.0)`, or that this is unknown."""
    if one is None:
        return ""
    if one.ratio is None:
        return str(Verdict.UNDECIDED)
    if one.is_same:
        return f"{Verdict.SAME} (within {RESOLUTION:.0%})"
    said = formatting.compared(one.ratio)
    return f"{said}, {one.way}" if one.way else said


def or_invalid(row: Row, figure: str) -> str:
    """Return a figure, or that the row is not valid."""
    return NOT_VALID if row.invalid else figure
