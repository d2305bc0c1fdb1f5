"""Which platform is faster, intervals, and what was left out as warm-up, in words and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import metric_of
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label_of_other
from formicary_bench.reports.document.factors import main_metric
from formicary_bench.reports.document.figures import anchors, spread_of
from formicary_bench.reports.document.points import named, ordered, point
from formicary_bench.reports.document.tables import Column, Extra, who
from formicary_bench.results.summary.baselines import baseline_of, rivals_of
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.results.verdicts.verdicts import others_of
from formicary_bench.statistics.comparisons import Verdict
from formicary_bench.statistics.ratios import speed
from formicary_bench.vocabulary.metrics import MEAN, P90, P99, P999, PAPERS_MEAN, TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Doubt
    from formicary_bench.results.verdicts.verdicts import Compared

_COMPARED = (
    "Welch's t-test on the logarithms of the repetitions' results, corrected for all comparisons of the "
    "experiment (Holm), with 95% intervals. No difference found: any difference is below 5%. The papers' way "
    "is Student's t-test on each line alone: at 5%, one line in twenty differs by chance."
)
_FEW = 2  # remedies in a hint
_INTERVALS = (
    "Half the width of each 95% interval. Mean: over repetitions (of a single one, by batch means); the "
    "papers' way, over all round trips as if independent, is too narrow. Others: bootstrap of repetitions."
)


def verdict_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the tables of one experiment's comparisons, and of all intervals."""
    return [*_verdicts(rows), *_intervals(rows)]


def doubts(rows: Sequence[Row]) -> list[Doubt]:
    """Return why comparisons of a run are inconclusive: one of each pair of rows that is compared."""
    pairs: dict[frozenset[str], tuple[Row, Row]] = {}
    for row in rows:
        base = baseline_of(row, rows)
        judged = [other for one in row.compared for other in others_of(row, one, rows)]
        for other in [*([base] if base else []), *rivals_of(row, rows), *judged]:
            pairs.setdefault(frozenset({row.anchor, other.anchor}), (row, other))
    known = (factor(row, other, main_metric(row)) for row, other in pairs.values() if not row.profiled)
    return [one.doubt for one in known if one and one.doubt]


def hints(found: Sequence[Doubt]) -> list[str]:
    """Return how many comparisons are inconclusive, and what would decide them; without full stop."""
    if not found:
        return []
    repetitions = max(one.repetitions for one in found)
    remedies = list(dict.fromkeys(one.remedy for one in found))[:_FEW]
    better = f"{repetitions} repetitions" if repetitions else " and ".join(remedies)
    return [f"{formatting.counted(len(found), 'comparison')} inconclusive; {better} would tell"]


def verdict_remarks(rows: Sequence[Row]) -> list[str]:
    """Return which warm-ups are left out, unless they are as planned."""
    known = [(row, row.warm_up) for row in ordered(rows) if row.warm_up is not None]
    said = []
    if any(warm_up.rule != "planned" for _, warm_up in known):
        said.append(
            f"The first {_span(rows)} round trips or uses of each pair are discarded as warm-up "
            f"(--warm-up {known[0][1].rule})."
        )
    remarks = [(row, warm_up.remark) for row, warm_up in known if warm_up.remark]
    if remarks:
        row, remark = remarks[0]
        others = len(remarks) - 1
        more = f" The same applies to {others} more lines: see warm_up in --json." if others else ""
        said.append(f"{named(row, rows)}: {remark}.{more}")
    return said


def _verdicts(rows: Sequence[Row]) -> list[Extra]:
    """Return one line for each comparison, with the papers' test at its end."""
    lines = [(row, one) for row in ordered(rows) for one in row.compared]
    known = [one.comparison for _, one in lines]
    if all(one.ratio is None for one in known):
        return []
    tests = [one.student_p for one in known]
    of = tuple(anchors(row, *others_of(row, one, rows)) for row, one in lines)
    columns = [
        who((row for row, _ in lines), of),
        Column("at", tuple(point(row, rows) for row, _ in lines)),
        Column("compared with", tuple(label_of_other(row, one) for row, one in lines), names=True),
        Column("figure", tuple(metric_of(row.experiment, one.figure).heading for row, one in lines)),
        Column("verdict", tuple(_verdict(*line) for line in lines)),
        Column("effect (Hedges' g)", tuple(_effect(one) for _, one in lines), minor=True),
        Column("p, corrected", tuple(_probability(one.corrected_p) for one in known), minor=True),
        Column("p, the papers' way", tuple(_probability(p) for p in tests), minor=True),
    ]
    return [Extra("Which is faster", columns, _COMPARED)]


def _verdict(row: Row, one: Compared) -> str:
    """Return a verdict with the ratio of speeds: `faster: 4.3× (3.6–5.3)` without its word said twice."""
    found = one.comparison
    if found.ratio is None or found.verdict not in {Verdict.FASTER, Verdict.SLOWER}:
        return str(found.verdict)
    is_rate = bool(metric_of(row.experiment, one.figure).more_is_better)
    return formatting.compared(speed(found.ratio, is_rate=is_rate))


def _effect(one: Compared) -> str:
    effect = one.comparison.effect
    return f"{effect.mean:+.1f} ({effect.low:+.1f} to {effect.high:+.1f})" if effect else formatting.NOTHING


def _probability(p: float | None) -> str:
    return formatting.NOTHING if p is None else formatting.probability(p)


def _intervals(rows: Sequence[Row]) -> list[Extra]:
    known = [row for row in ordered(rows) if row.estimate(PAPERS_MEAN)]
    if not known:
        return []
    metrics = (MEAN, PAPERS_MEAN, TIME, P90, P99, P999)

    columns = [
        who(known),
        Column("at", tuple(point(row, rows) for row in known)),
        *(Column(one.heading, tuple(spread_of(row, one) for row in known)) for one in metrics),
        Column("warm-up discarded", tuple(_span(known[i : i + 1]) for i in range(len(known)))),
    ]
    return [Extra("Intervals and discarded warm-up", columns, _INTERVALS, minor=True)]


def _span(rows: Iterable[Row]) -> str:
    known = [row.warm_up for row in rows if row.warm_up is not None]
    if not known:
        return formatting.NOTHING
    least, most = min(one.least for one in known), max(one.most for one in known)
    return str(least) if least == most else f"{least} to {most}"
