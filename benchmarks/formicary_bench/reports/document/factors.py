"""How many times faster one is than another, as a reader says it, or that nobody can tell, and what would.

All sentences, tiles and charts take it from here; whether it may be said, `results.verdicts.factors` decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.results.summary.baselines import baseline_of, rivals_of
from formicary_bench.results.summary.each import CREATION, RATE
from formicary_bench.results.verdicts.factors import doubt_about, factor
from formicary_bench.statistics.comparisons import RESOLUTION, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Doubt, Factor


def faster(row: Row, other: Row, figure: str) -> str:
    """Say how many times faster than another a row is: `38 times faster than JADE (30 to 48, warm)`.

    Args:
        row: Who is judged.
        other: Who it is held against.
        figure: By which figure, as in `results.summary.each`.
    """
    found = factor(row, other, figure)
    return listed([found]) if found else ""


def listed(factors: Iterable[Factor]) -> str:
    """Say some factors in one list; those about which nobody can tell for one reason together."""
    told: list[str] = []
    doubts: dict[Doubt, list[str]] = {}
    for one in factors:
        if one.doubt:
            doubts.setdefault(one.doubt, []).append(one.name)
        else:
            told.append(said(one))
    return ", ".join([*told, *(_untold(doubt, names) for doubt, names in doubts.items())])


def said(one: Factor) -> str:
    """Say a factor, or in few words that nobody can tell, and what would."""
    if one.ratio is None:
        remedy = f": {one.doubt.remedy}" if one.doubt else ""
        return f"{Verdict.UNDECIDED} against {one.name}{remedy}"
    if one.is_same:
        beside = ", ".join(filter(None, (f"within {RESOLUTION:.0%}", one.way)))
        return f"no difference from {one.name} ({beside})"
    wider = "made wider: repetitions depend on each other" if one.depends else ""
    beside = ", ".join(filter(None, (formatting.factors(one.ratio), one.way, wider)))
    return f"{formatting.faster(one.ratio.mean, one.name)} ({beside})"


def all_of(row: Row, rows: Sequence[Row], figure: str) -> str:
    """Hold a row against its baseline and its rivals, in one list; without any, say why to doubt it."""
    base = baseline_of(row, rows)
    others = ([base] if base else []) + rivals_of(row, rows)
    found = [one for other in others if (one := factor(row, other, figure))]
    return listed(found) if found else doubt_word(row)


def against_baseline(row: Row, rows: Sequence[Row]) -> str:
    """Say in a table how many times faster than its baseline a row is; empty without a baseline."""
    base = baseline_of(row, rows)
    found = factor(row, base, rate_of(row)) if base else None
    return said(found) if found else ""


def doubt_word(row: Row) -> str:
    """Say in a few words why a row cannot be compared to any; empty where it can."""
    doubt = doubt_about(row)
    return doubt.reason if doubt else ""


def rate_of(row: Row) -> str:
    """Return the figure that says how many a row makes per second."""
    return CREATION if row.agents else RATE


def _untold(doubt: Doubt, names: Sequence[str]) -> str:
    who = f"{doubt.who}: " if doubt.who and doubt.who not in names else ""
    others = " and ".join(dict.fromkeys(names))
    return f"{Verdict.UNDECIDED} against {others} ({who}{doubt.reason}; {doubt.remedy} would)"
