"""The rows of an experiment as a table of words, for every format that has tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.reports.document.citing import anchors
from formicary_bench.results.summary.baselines import beside
from formicary_bench.results.summary.each import RATE, TIME
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.statistics.comparisons import RESOLUTION, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor

UNEVEN = "not held"
"""What the table says of a row that did not hold full load."""


NOT_VALID = "not valid"
"""What the table says in the place of a figure of a row that was disturbed."""


class Column(msgspec.Struct, frozen=True):
    """A column of words: its title, its cells, whether they are names (or figures).

    `minor` columns may be left out where there is little room. `of` has for each of its cells the anchors of
    the rows that it is of, with spaces between them; empty where it is of none.
    """

    title: str
    cells: tuple[str, ...]
    names: bool = False
    minor: bool = False
    of: tuple[str, ...] = ()


class Extra(msgspec.Struct, frozen=True):
    """A further table: its title, its columns, and what a reader should know of it.

    `minor` tables may be left out where there is little room. A `brief` one says in short what a minor one
    says in full: it may be left out where there is that one.
    """

    title: str
    columns: list[Column]
    remark: str = ""
    minor: bool = False
    brief: bool = False


def load_word(rows: Sequence[Row]) -> str:
    """Return what there are several of: `sender` where all talk to one receiver, else `pair`."""
    known = EXPERIMENTS.get(rows[0].experiment)
    return "sender" if known and known.senders(1) else "pair"


def ratio_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table that holds links between containers against all that says something about them.

    Empty where there is nothing of the kind.
    """
    ordered = [row for members in by_series(rows).values() for row in members]
    found = [(row, other) for row in ordered for other in beside(row, rows)]
    if not found:
        return []
    ours = [row for row, _ in found]
    bodies = tuple(formatting.short(formatting.size(row.payload_bytes)) for row in ours)
    return [
        Column(
            "who", tuple(label(row) for row in ours), names=True, of=tuple(anchors(*pair) for pair in found)
        ),
        Column(f"{load_word(rows)}s", tuple(str(row.senders) for row in ours)),
        Column("body", bodies, minor=len(set(bodies)) == 1),
        Column("held against", tuple(label(other) for _, other in found), names=True),
        *factor_columns("by rate", [factor(row, other, RATE) for row, other in found]),
        *factor_columns("by median", [factor(row, other, TIME) for row, other in found]),
    ]


def factor_columns(title: str, factors: Sequence[Factor | None]) -> list[Column]:
    """Return how many times as fast rows are, with intervals, or that nobody can tell, and what would."""
    return [
        Column(title, tuple(_factor(one) for one in factors)),
        Column("95%", tuple(_interval(one) for one in factors)),
    ]


def in_a_cell(one: Factor | None) -> str:
    """Return how many times as fast a row is, with the interval; nothing where it is held against nothing."""
    if one is None:
        return ""
    beside = _interval(one)
    return f"{_factor(one)} ({beside})" if beside else _factor(one)


def _factor(one: Factor | None) -> str:
    """Say how many times as fast: `3.6 times slower`, or that nobody can tell."""
    if one is None:
        return formatting.NOTHING
    if one.ratio is None:
        return str(Verdict.UNDECIDED)
    if one.is_same:
        return str(Verdict.SAME)
    said = formatting.faster(one.ratio.mean, "").removesuffix(" than ").removesuffix(" as ")
    return f"{said}, {one.way}" if one.way else said


def _interval(one: Factor | None) -> str:
    """Return a ratio's interval, or what would tell."""
    if one is None:
        return ""
    if one.ratio is None:
        return one.doubt.remedy if one.doubt else ""
    if one.is_same:
        return f"within {RESOLUTION:.0%}"
    return formatting.factors(one.ratio)


def or_invalid(row: Row, figure: str) -> str:
    """Return a figure, or, where it would say nothing, that it is not valid."""
    return NOT_VALID if row.invalid else figure
