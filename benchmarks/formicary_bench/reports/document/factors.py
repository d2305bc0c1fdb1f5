"""How many times faster one is than another, as a reader says it.

All sentences, tiles and charts take it from here; whether it may be said, `results.verdicts.factors` decides.
Where it may not, they say nothing: tables have the verdict, and `hints` says once what would tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import declared
from formicary_bench.reports import formatting
from formicary_bench.reports.document.citing import cite_anchors, joined, told
from formicary_bench.reports.document.tables import Column, in_a_cell
from formicary_bench.results.summary.baselines import baseline_of, rivals_of
from formicary_bench.results.verdicts.factors import doubt_about, factor
from formicary_bench.statistics.comparisons import RESOLUTION
from formicary_bench.vocabulary.metrics import RATE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor
    from formicary_bench.vocabulary.metrics import Metric

_FEW = 3  # rivals that a sentence names, each with its factor


def faster(row: Row, other: Row, metric: Metric) -> str:
    """Return how many times faster than another a row is: `38× faster than JADE (30–48, warm)`.

    Args:
        row: Who is judged.
        other: Who it is held against.
        metric: By which figure.
    """
    return said(factor(row, other, metric))


def said(one: Factor | None) -> str:
    """Return a factor in words; nothing where nobody can tell."""
    if one is None or one.ratio is None:
        return ""
    of = " ".join(one.of)
    if one.is_same:
        beside = ", ".join(filter(None, (f"within {RESOLUTION:.0%}", one.way)))
        return told(cite_anchors("no difference", of), f" from {one.name} ({beside})")
    wider = "made wider: repetitions depend on each other" if one.depends else ""
    beside = ", ".join(filter(None, (formatting.factors(one.ratio), one.way, wider)))
    number, sign, rest = formatting.faster(one.ratio.mean, one.name).partition("×")
    return told(cite_anchors(f"{number}{sign}", of), f"{rest} ({beside})")


def all_of(row: Row, rows: Sequence[Row], metric: Metric) -> str:
    """Hold a row against its baseline and its rivals, in one list.

    Of many rivals there are the one that it is slowest beside and the one that it is fastest beside: the
    table of verdicts has all.
    """
    base = baseline_of(row, rows)
    held = said(factor(row, base, metric)) if base else ""
    rivals = [one for other in rivals_of(row, rows) if (one := factor(row, other, metric)) and one.ratio]
    if len(rivals) <= _FEW:
        return _listed([held, *map(said, rivals)])
    known = sorted(rivals, key=lambda one: one.ratio.mean if one.ratio else 0.0)
    return _listed([held, told(f"of {len(known)} others from ", said(known[0]), " to ", said(known[-1]))])


def baseline_columns(known: Sequence[Row], rows: Sequence[Row]) -> list[Column]:
    """Return what rows are held against, and how many times faster they are; nothing where there is nothing.

    Args:
        known: The rows in the order of the table's lines.
        rows: All among which there are baselines.
    """
    bases = [(row, baseline_of(row, rows)) for row in known]
    found = [factor(row, base, main_metric(row)) if base else None for row, base in bases]
    if not any(found):
        return []
    of = tuple(" ".join(one.of) if one else "" for one in found)
    return [
        Column("baseline", tuple(one.name if one else "" for one in found), names=True),
        Column("against it", tuple(in_a_cell(one) for one in found), of=of),
    ]


def against_baseline(row: Row, rows: Sequence[Row]) -> str:
    """Return how many times faster than its baseline a row is; empty where nobody can tell."""
    base = baseline_of(row, rows)
    return faster(row, base, main_metric(row)) if base else ""


def doubt_word(row: Row) -> str:
    """Say in a few words why a row cannot be compared to any; empty where it can."""
    doubt = doubt_about(row)
    return doubt.reason if doubt else ""


def main_metric(row: Row) -> Metric:
    """Return what the platforms of its experiment are held against each other by."""
    known = declared(row.experiment)
    return known.main_metric if known else RATE


def _listed(parts: Iterable[str]) -> str:
    return joined(", ", filter(None, parts))
