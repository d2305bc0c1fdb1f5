"""The rows of an experiment as a table of words, for every format that has tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.results.summary.baselines import baseline_of, comparisons_of, rate_ratio

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

    `minor` columns may be left out where there is little room.
    """

    title: str
    cells: tuple[str, ...]
    names: bool = False
    minor: bool = False


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


def against_baseline(row: Row, rows: Sequence[Row]) -> str:
    """Say how many times its baseline's rate a row has: `0.87 of tasks`; empty without a baseline."""
    base = baseline_of(row, rows)
    ratio = rate_ratio(row, base) if base else None
    if base is None or ratio is None:
        return ""
    return formatting.compared(ratio.mean, f"{base.platform} with TLS" if base.tls else base.platform)


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
        Column("who", tuple(label(row) for row in ours), names=True),
        Column(f"{load_word(rows)}s", tuple(str(row.senders) for row in ours)),
        Column("body", bodies, minor=len(set(bodies)) == 1),
        Column("held against", tuple(label(one.base) for one in found), names=True),
        *_ratio("times its rate", [one.rate for one in found]),
        *_ratio("times its median", [one.median for one in found]),
    ]


def _ratio(title: str, ratios: Sequence[Interval | None]) -> list[Column]:
    return [
        Column(title, tuple(formatting.times(one.mean) if one else formatting.NOTHING for one in ratios)),
        Column("95%", tuple(_spread(one) for one in ratios)),
    ]


def _spread(ratio: Interval | None) -> str:
    """Return half a ratio's interval; nothing where there is none, as one of both figures has none."""
    if ratio is None or not ratio.half_width:
        return ""
    return formatting.spread(ratio.mean, (ratio.low, ratio.high))


def or_invalid(row: Row, figure: str) -> str:
    """Return a figure, or, where it would say nothing, that it is not valid."""
    return NOT_VALID if row.invalid else figure
