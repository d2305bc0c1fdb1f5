"""How many times faster one is than another, as a reader says it, or that nobody can tell, and what would.

All sentences, tiles and charts take it from here; whether it may be said, `results.verdicts.factors` decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import declared
from formicary_bench.reports import formatting
from formicary_bench.reports.document.citing import cite_anchors, joined, told
from formicary_bench.reports.document.tables import Column, in_a_cell
from formicary_bench.results.summary.baselines import baseline_of, rivals_of
from formicary_bench.results.verdicts.factors import doubt_about, factor
from formicary_bench.statistics.comparisons import RESOLUTION, Verdict
from formicary_bench.vocabulary.metrics import RATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor
    from formicary_bench.vocabulary.metrics import Metric

_FEW = 3  # rivals that a sentence names, each with its factor


def faster(row: Row, other: Row, metric: Metric) -> str:
    """Say how many times faster than another a row is: `38× faster than JADE (30–48, warm)`.

    Args:
        row: Who is judged.
        other: Who it is held against.
        metric: By which figure.
    """
    found = factor(row, other, metric)
    return listed([found]) if found else ""


def listed(factors: Iterable[Factor]) -> str:
    """Say some factors in one list; those about which nobody can tell for one reason together."""
    found = list(factors)
    return joined(", ", [*(said(one) for one in found if one.ratio), *_untold(found)])


def said(one: Factor) -> str:
    """Say a factor, or in few words that nobody can tell, and what would."""
    of = " ".join(one.of)
    if one.ratio is None:
        remedy = f": {one.doubt.remedy}" if one.doubt else ""
        return f"{Verdict.UNDECIDED} against {one.name}{remedy}"
    if one.is_same:
        beside = ", ".join(filter(None, (f"within {RESOLUTION:.0%}", one.way)))
        return told(cite_anchors("no difference", of), f" from {one.name} ({beside})")
    wider = "made wider: repetitions depend on each other" if one.depends else ""
    beside = ", ".join(filter(None, (formatting.factors(one.ratio), one.way, wider)))
    number, sign, rest = formatting.faster(one.ratio.mean, one.name).partition("×")
    return told(cite_anchors(f"{number}{sign}", of), f"{rest} ({beside})")


def all_of(row: Row, rows: Sequence[Row], metric: Metric) -> str:
    """Hold a row against its baseline and its rivals, in one list; without any, say why to doubt it.

    Of many rivals there are the one that it is slowest beside and the one that it is fastest beside: the
    table of verdicts has all.
    """
    base = baseline_of(row, rows)
    held = factor(row, base, metric) if base else None
    rivals = [one for other in rivals_of(row, rows) if (one := factor(row, other, metric))]
    if held is None and not rivals:
        return doubt_word(row)
    known = sorted((one for one in rivals if one.ratio), key=_speed)
    if len(known) <= _FEW:
        return listed([*([held] if held else []), *rivals])
    span = told(f"of {len(known)} others from ", said(known[0]), " to ", said(known[-1]))
    rest = [one for one in rivals if one.ratio is None]
    return joined(", ", [*([said(held)] if held and held.ratio else []), span, *_untold([held, *rest])])


def baseline_columns(known: Sequence[Row], rows: Sequence[Row]) -> list[Column]:
    """Return what rows are held against, and how many times faster they are; nothing where there is nothing.

    Args:
        known: The rows in the order of the table's lines.
        rows: All among which there are baselines.
    """
    bases = [(row, baseline_of(row, rows)) for row in known]
    found = [factor(row, base, rate_of(row)) if base else None for row, base in bases]
    if not any(found):
        return []
    of = tuple(" ".join(one.of) if one else "" for one in found)
    return [
        Column("baseline", tuple(one.name if one else "" for one in found), names=True),
        Column("against it", tuple(in_a_cell(one) for one in found), of=of),
    ]


def against_baseline(row: Row, rows: Sequence[Row]) -> str:
    """Say how many times faster than its baseline a row is; empty without a baseline."""
    base = baseline_of(row, rows)
    found = factor(row, base, rate_of(row)) if base else None
    return said(found) if found else ""


def doubt_word(row: Row) -> str:
    """Say in a few words why a row cannot be compared to any; empty where it can."""
    doubt = doubt_about(row)
    return doubt.reason if doubt else ""


def rate_of(row: Row) -> Metric:
    """Return what the platforms of its experiment are held against each other by."""
    known = declared(row.experiment)
    return known.main_metric if known else RATE


def _untold(factors: Iterable[Factor | None]) -> list[str]:
    """Say against whom nobody can tell, those together for whom it is for one reason."""
    doubts: dict[tuple[str, str], list[str]] = {}
    for one in factors:
        if one and one.doubt:
            doubts.setdefault((_why(one), one.doubt.remedy), []).append(one.name)
    found = [
        f"{' and '.join(dict.fromkeys(names))} ({why}{'; ' if why else ''}{remedy} would)"
        for (why, remedy), names in doubts.items()
    ]
    return [f"{'nor' if place else f'{Verdict.UNDECIDED} against'} {one}" for place, one in enumerate(found)]


def _speed(one: Factor) -> float:
    return one.ratio.mean if one.ratio else 0.0


def _why(one: Factor) -> str:
    """Say why nobody can tell, and whose fault that is if not the other one's; nothing if it is clear."""
    if one.doubt is None or one.doubt.is_of_number:
        return ""
    is_own = one.doubt.who and one.doubt.who != one.name
    return f"{one.doubt.who}: {one.doubt.reason}" if is_own else one.doubt.reason
