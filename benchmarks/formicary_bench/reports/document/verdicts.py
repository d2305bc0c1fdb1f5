"""What is said of which platform is faster, of intervals, and of what was left out as warm-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import metric_of
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label as label_of
from formicary_bench.reports.charts.series import label_of_other
from formicary_bench.reports.document.citing import anchors
from formicary_bench.reports.document.figures import spread_of
from formicary_bench.reports.document.points import named, ordered, point
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.results.verdicts.verdicts import others_of
from formicary_bench.statistics.changes import is_manifold, percent, span
from formicary_bench.statistics.comparisons import FEWEST, TOO_FEW, Verdict
from formicary_bench.vocabulary.metrics import MEAN, P90, P99, P999, PAPERS_MEAN, TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.verdicts import Compared
    from formicary_bench.statistics.comparisons import Comparison
    from formicary_bench.statistics.intervals import Interval

_COMPARED = (
    "By Welch's t-test on the logarithms of the repetitions' figures, corrected for all comparisons of the "
    "experiment (Holm), with 95% intervals. A verdict of no difference rules out any of more than 5%. What "
    "would tell where nobody can is in the HTML report and in --json."
)
_PAPERS = (
    "The papers' way is Student's t-test, each line by itself: at 5%, one line of twenty differs by chance."
)
_INTERVALS = (
    "Half of each 95% interval. Of the mean: over repetitions (of one, by batch means); the papers' way, "
    "over all round trips as if independent, is too narrow. Of others: the bootstrap of repetitions."
)


def verdict_extras(rows: Sequence[Row], *, own_verdicts: bool = False) -> list[Extra]:
    """Return the tables of one experiment's comparisons, and of all intervals.

    Args:
        rows: The rows of the experiment.
        own_verdicts: Whether it has a table of its own that says which is faster.
    """
    verdicts = [] if own_verdicts else _verdicts(rows)
    return [*verdicts, *_details(rows), *_intervals(rows)]


def verdict_remarks(rows: Sequence[Row]) -> list[str]:
    """Say which warm-ups are left out if not those that were planned, and where repetitions are missing."""
    return [*_of_warm_up(rows), *_of_repetitions(rows)]


def _verdicts(rows: Sequence[Row]) -> list[Extra]:
    """Return one line for each verdict on two series, with all points at which it was found."""
    groups: dict[tuple[str, str, str, str], list[tuple[Row, Compared]]] = {}
    for row in ordered(rows):
        for one in row.compared:
            who = label_of(row), label_of_other(row, one), _title(row, one), one.comparison.verdict
            groups.setdefault(who, []).append((row, one))
    if all(one.comparison.ratio is None for members in groups.values() for _, one in members):
        return []
    keys = sorted(groups, key=lambda key: list(groups).index((*key[:3], _first_verdict(groups, key))))
    columns = [
        Column(
            "who",
            tuple(key[0] for key in keys),
            names=True,
            of=tuple(" ".join(dict.fromkeys(" ".join(_sides(rows, groups[key])).split())) for key in keys),
        ),
        Column("held against", tuple(key[1] for key in keys), names=True),
        Column("figure", tuple(key[2] for key in keys)),
        Column("verdict", tuple(key[3] for key in keys)),
        Column(
            "at", tuple(", ".join(point(row, rows) for row, _ in groups[key]) for key in keys), names=True
        ),
        Column("change", tuple(_changes([one for _, one in groups[key]]) for key in keys)),
    ]
    return [Extra("Which is faster", columns, _COMPARED, brief=True)]


def _first_verdict(groups: Iterable[tuple[str, str, str, str]], key: tuple[str, str, str, str]) -> str:
    return next(other[3] for other in groups if other[:3] == key[:3])


def _changes(compared: Sequence[Compared]) -> str:
    """Return what a verdict is about, from the least to the most, with the outermost bounds."""
    known = [one.comparison.ratio for one in compared if one.comparison.ratio and one.comparison.is_told]
    if not known:
        return formatting.NOTHING
    means = [one.mean for one in known]
    low, high = min(one.low for one in known), max(one.high for one in known)
    is_large = any(map(is_manifold, means))
    bounds = span(low, high) if is_large else f"{percent(low)} to {percent(high)}"
    return f"{span(min(means), max(means))} ({bounds})"


def _details(rows: Sequence[Row]) -> list[Extra]:
    """Return one line for each comparison, with the papers' test at its end."""
    lines = [(row, one) for row in ordered(rows) for one in row.compared]
    known = [one.comparison for _, one in lines]
    if all(one.ratio is None for one in known):
        return []
    tests = [one.student_p for one in known]
    columns = [
        Column("who", tuple(label_of(row) for row, _ in lines), names=True, of=_sides(rows, lines)),
        Column("at", tuple(point(row, rows) for row, _ in lines)),
        Column("held against", tuple(label_of_other(row, one) for row, one in lines), names=True),
        Column("figure", tuple(_title(row, one) for row, one in lines)),
        Column("verdict", tuple(str(one.verdict) for one in known)),
        Column("ratio", tuple(_mean(one) for one in known)),
        Column("95%", tuple(_between(one.ratio) for one in known)),
        Column("to tell", tuple(_to_tell(row, one, rows) for row, one in lines), names=True),
        Column("effect (Hedges' g)", tuple(_effect(one) for _, one in lines)),
        Column("p, corrected", tuple(_probability(one) for _, one in lines)),
        Column("p, the papers' way", tuple("" if p is None else formatting.probability(p) for p in tests)),
    ]
    return [
        Extra(
            "Which is faster, in detail",
            columns,
            _PAPERS,
            minor=True,
        )
    ]


def _sides(rows: Sequence[Row], lines: Sequence[tuple[Row, Compared]]) -> tuple[str, ...]:
    """Return the anchors of both sides of each line."""
    return tuple(anchors(row, *others_of(row, one, rows)) for row, one in lines)


def _mean(one: Comparison) -> str:
    return formatting.times(one.ratio.mean) if one.ratio and one.is_told else formatting.NOTHING


def _between(ratio: Interval | None) -> str:
    return f"{formatting.digits(ratio.low)} to {formatting.digits(ratio.high)}" if ratio else ""


def _to_tell(row: Row, one: Compared, rows: Sequence[Row]) -> str:
    """Return what would tell where nobody can."""
    if one.comparison.verdict is not Verdict.UNDECIDED:
        return ""
    known = (factor(row, other, metric_of(row.experiment, one.figure)) for other in others_of(row, one, rows))
    return next((found.doubt.remedy for found in known if found and found.doubt), "")


def _effect(one: Compared) -> str:
    effect = one.comparison.effect
    return f"{effect.mean:+.1f} ({effect.low:+.1f} to {effect.high:+.1f})" if effect else formatting.NOTHING


def _probability(one: Compared) -> str:
    p = one.comparison.corrected_p
    return formatting.NOTHING if p is None else formatting.probability(p)


def _intervals(rows: Sequence[Row]) -> list[Extra]:
    known = [row for row in ordered(rows) if row.estimate(PAPERS_MEAN)]
    if not known:
        return []
    metrics = (MEAN, PAPERS_MEAN, TIME, P90, P99, P999)

    columns = [
        Column(
            "who", tuple(label_of(row) for row in known), names=True, of=tuple(row.anchor for row in known)
        ),
        Column("at", tuple(point(row, rows) for row in known)),
        *(Column(one.heading, tuple(spread_of(row, one) for row in known)) for one in metrics),
        Column("warm-up left out", tuple(_span(known[i : i + 1]) for i in range(len(known)))),
    ]
    return [Extra("Intervals, and what was left out as warm-up", columns, _INTERVALS, minor=True)]


def _title(row: Row, one: Compared) -> str:
    return metric_of(row.experiment, one.figure).heading


def _span(rows: Iterable[Row]) -> str:
    known = [row.warm_up for row in rows if row.warm_up is not None]
    if not known:
        return formatting.NOTHING
    least, most = min(one.least for one in known), max(one.most for one in known)
    return str(least) if least == most else f"{least} to {most}"


def _of_warm_up(rows: Sequence[Row]) -> list[str]:
    known = [(row, row.warm_up) for row in ordered(rows) if row.warm_up is not None]
    said = []
    if any(warm_up.rule != "planned" for _, warm_up in known):
        said.append(
            f"Of each pair, the first {_span(rows)} round trips or uses are left out as warm-up "
            f"({known[0][1].rule} was asked for)."
        )
    remarks = [(row, warm_up.remark) for row, warm_up in known if warm_up.remark]
    if remarks:
        row, remark = remarks[0]
        others = len(remarks) - 1
        more = f" The like is so of {others} more lines: see warm_up in --json." if others else ""
        said.append(f"{named(row, rows)}: {remark}.{more}")
    return said


def _of_repetitions(rows: Sequence[Row]) -> list[str]:
    """Say that there are too few to compare, where there is something to compare."""
    undecided = [one for row in rows for one in row.compared]
    if not undecided or any(one.comparison.verdict is not Verdict.UNDECIDED for one in undecided):
        return []
    if any(one.comparison.ratio is not None for one in undecided):
        return []
    reasons = [one.comparison.sentence.partition(": ")[2] for one in undecided]
    if not any(reason.endswith(TOO_FEW) for reason in reasons):
        return [f"Which platform is faster, nobody can tell: {reasons[0]}."]
    held = " that held full load" if any(row.full_load is not None for row in rows) else ""
    remark = (
        f"Which platform is faster, nobody can tell: that takes {FEWEST} or more repetitions{held}. Run "
        f"with --repeat {FEWEST}, or better 10."
    )
    return [remark]
