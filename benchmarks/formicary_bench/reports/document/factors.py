"""How many times faster one is than another, as a reader says it: all sentences take it from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import subject
from formicary_bench.results.summary.baselines import BASELINES, baseline_of, rivals_of
from formicary_bench.results.summary.each import CREATION, RATE
from formicary_bench.results.summary.typical import speed_ratio
from formicary_bench.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def faster(row: Row, other: Row, figure: str, name: str = "") -> str:
    """Say how many times faster than another a row is: `38 times faster than JADE (30 to 48)`.

    Where the interval has 1 in it, neither is faster as far as the run can tell, and that is said instead.

    Args:
        row: Who is judged.
        other: Who it is held against.
        figure: By which figure, as in `results.summary.each`.
        name: What to call the other one; by itself, its platform, or what it is where that is another thing.
    """
    ratio = speed_ratio(row, other, figure)
    if not name:
        name = "a message and its answer" if other.family != row.family else name_of(other)
    return said(ratio, name) if ratio else ""


def said(ratio: Interval, name: str) -> str:
    """Say the same of a ratio of speeds."""
    if not is_told_apart(ratio):
        return f"not told apart from {name}"
    return formatting.faster(ratio.mean, name) + between(ratio)


def between(ratio: Interval) -> str:
    """Return the interval of a ratio of speeds, as a factor that is not below 1: ` (30 to 48)`."""
    if ratio.low == ratio.high:
        return ""
    low, high = (ratio.low, ratio.high) if ratio.mean >= 1 else (1 / ratio.high, 1 / ratio.low)
    return f" ({formatting.times(low)} to {formatting.times(high)})"


def all_of(row: Row, rows: Sequence[Row], figure: str) -> str:
    """Hold a row against its baseline and its rivals, in one list; empty where there are none."""
    base = baseline_of(row, rows)
    others = ([base] if base else []) + rivals_of(row, rows)
    doubt = ["full load not held"] if row.full_load is False else []
    doubt += [row.warmth.word] if row.warmth and not row.warmth.settled else []
    return ", ".join([one for other in others if (one := faster(row, other, figure))] + doubt)


def against_baseline(row: Row, rows: Sequence[Row]) -> str:
    """Say in a table how many times faster than its baseline a row is; empty without a baseline."""
    base = baseline_of(row, rows)
    ratio = speed_ratio(row, base, rate_of(row)) if base else None
    if base is None or ratio is None:
        return ""
    name = f"{base.platform} with TLS" if base.tls else base.platform
    return said(Interval(ratio.mean, ratio.mean, ratio.mean) if is_told_apart(ratio) else ratio, name)


def is_told_apart(ratio: Interval) -> bool:
    """Say whether a ratio of speeds is not 1, as far as a run can tell."""
    return not ratio.low < 1 < ratio.high


def rate_of(row: Row) -> str:
    """Return the figure that says how many a row makes per second."""
    return CREATION if row.agents else RATE


def name_of(row: Row) -> str:
    """Return what a sentence calls a subject: a baseline by what it is, a platform by its name."""
    name = BASELINES.get(row.platform, subject(row)).removeprefix("two ").removeprefix("bare ")
    return name + (" with TLS" if row.tls else "")
