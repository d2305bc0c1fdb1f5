"""The rows of an experiment as a table of words, for every format that has tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.results.summary.baselines import comparisons_of
from formicary_bench.results.summary.each import RATE, TIME
from formicary_bench.results.summary.typical import speed_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.intervals import Interval

UNEVEN = "not held"
"""What the table says of a row that did not hold full load."""


NOT_VALID = "not valid"
"""What the table says in the place of a figure of a row that was disturbed."""


class Column(msgspec.Struct, frozen=True):
    """A column of words: its title, its cells, whether they are names (or figures).

    `minor` columns may be left out where there is little room. `of` has the anchors of the rows that its
    cells stand for, if they stand for one each.
    """

    title: str
    cells: tuple[str, ...]
    names: bool = False
    minor: bool = False
    of: tuple[str, ...] = ()


class Extra(msgspec.Struct, frozen=True):
    """A further table: its title, its columns, and what a reader should know of it.

    `minor` tables may be left out where there is little room.
    """

    title: str
    columns: list[Column]
    remark: str = ""
    minor: bool = False


def load_word(rows: Sequence[Row]) -> str:
    """Return what there are several of: `sender` where all talk to one receiver, else `pair`."""
    known = EXPERIMENTS.get(rows[0].experiment)
    return "sender" if known and known.senders(1) else "pair"


def ratio_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table that holds links between containers against all that says something about them.

    Empty where there is nothing of the kind.
    """
    ordered = [row for members in by_series(rows).values() for row in members]
    found = [comparison for row in ordered for comparison in comparisons_of(row, rows)]
    if not found:
        return []
    ours = [comparison.row for comparison in found]
    bodies = tuple(formatting.short(formatting.size(row.payload_bytes)) for row in ours)
    return [
        Column("who", tuple(label(row) for row in ours), names=True, of=tuple(row.anchor for row in ours)),
        Column(f"{load_word(rows)}s", tuple(str(row.senders) for row in ours)),
        Column("body", bodies, minor=len(set(bodies)) == 1),
        Column("held against", tuple(label(one.base) for one in found), names=True),
        *_ratio("by rate", [speed_ratio(one.row, one.base, RATE) for one in found]),
        *_ratio("by median", [speed_ratio(one.row, one.base, TIME) for one in found]),
    ]


def _ratio(title: str, ratios: Sequence[Interval | None]) -> list[Column]:
    return [
        Column(title, tuple(_factor(one.mean) if one else formatting.NOTHING for one in ratios)),
        Column("95%", tuple(_factors(one) for one in ratios)),
    ]


def _factor(ratio: float) -> str:
    """Say how many times as fast: `3.6 times slower`."""
    return formatting.faster(ratio, "").removesuffix(" than ").removesuffix(" as ")


def _factors(ratio: Interval | None) -> str:
    """Return a ratio's interval; nothing where there is none, as one of both figures has none."""
    if ratio is None or ratio.low == ratio.high:
        return ""
    if ratio.low < 1 < ratio.high:
        return f"{_factor(ratio.low)} to {_factor(ratio.high).removesuffix(' times faster')} times faster"
    low, high = (ratio.low, ratio.high) if ratio.mean >= 1 else (1 / ratio.high, 1 / ratio.low)
    return f"{formatting.times(low)} to {formatting.times(high)}"


def or_invalid(row: Row, figure: str) -> str:
    """Return a figure, or, where it would say nothing, that it is not valid."""
    return NOT_VALID if row.invalid else figure
