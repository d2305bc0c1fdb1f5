"""What is said of how far figures can be believed, and of which platform is faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import figures
from formicary_bench.reports.series import by_series, label_of_other
from formicary_bench.reports.series import label as label_of
from formicary_bench.reports.tables import Column, Extra
from formicary_bench.results.pairing import CREATION, RATE, TIME
from formicary_bench.statistics.comparisons import FEWEST, Verdict, percent
from formicary_bench.statistics.stability import WANTED, Stability

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.row import Bounds, Row
    from formicary_bench.results.verdicts import Compared
    from formicary_bench.statistics.stability import Assessment

_TITLES = {TIME: "median", RATE: "trips/s", CREATION: "agents/s"}
_WORST_FIRST = (Stability.TOO_FEW, Stability.DRIFTS, Stability.WIDE, Stability.STABLE)
_COMPARED = (
    "By Welch's t-test on the logarithms of the repetitions' figures, corrected for all comparisons of the "
    "experiment (Holm). No difference found: any of more than 5% is ruled out. Undecided: too few "
    "repetitions, or they scatter too much; how many would do is in the details of the HTML report, and in "
    "--json."
)
_BELIEVED = "By the repetitions, in the order in which they ran; a mean counts as known at 1% either way."
_INTERVALS = (
    "Half the width of each 95% interval. Of the mean: over the repetitions (with one, by batch means), and "
    "beside it the papers' way, over all round trips as if they were independent: it is too narrow. Of the "
    "median and the percentiles: by drawing whole repetitions again and again (the bootstrap), from five on."
)


def stability_column(rows: Sequence[Row]) -> list[Column]:
    """Give the column that says of each row, in the order of tables, whether it can be believed."""
    worst = [_worst(row) for row in _ordered(rows)]
    if not any(worst):
        return []
    cells = tuple(_short(one) if one else figures.NOTHING for one in worst)
    return [Column("stability", cells, minor=all(one is None or _is_too_few(one) for one in worst))]


def verdict_extras(rows: Sequence[Row]) -> list[Extra]:
    """Give the tables of one experiment's comparisons, of its figures' stability, and of all intervals."""
    return [*_verdicts(rows), *_details(rows), *_stabilities(rows), *_intervals(rows)]


def verdict_remarks(rows: Sequence[Row]) -> list[str]:
    """Say which warm-ups are left out if not those that were planned, and where repetitions are missing."""
    return [*_of_warm_up(rows), *_of_repetitions(rows)]


def point(row: Row, rows: Iterable[Row]) -> str:
    """Say where a row stands in its experiment: by all that varies there, or else by how many there are."""
    rows = list(rows)
    said = {
        "senders": str(row.senders),
        "payload_bytes": figures.short(figures.size(row.payload_bytes)),
        "agents": figures.number(row.agents),
        "services": figures.number(row.services),
        "containers": f"{row.containers} containers",
        "hosts": f"{row.hosts} hosts",
    }
    varying = [text for name, text in said.items() if len({getattr(one, name) for one in rows}) > 1]
    return " / ".join(varying) or said["agents" if row.agents else "senders"]


def _ordered(rows: Sequence[Row]) -> list[Row]:
    return [row for members in by_series(rows).values() for row in members]


def _worst(row: Row) -> Assessment | None:
    assessed = [one.assessment for one in row.stability]
    return min(assessed, key=_badness, default=None)


def _badness(one: Assessment) -> tuple[int, float]:
    return _WORST_FIRST.index(one.stability), -(one.half_width or 0)


def _is_too_few(one: Assessment) -> bool:
    return one.stability is Stability.TOO_FEW


def _short(one: Assessment) -> str:
    if one.stability is Stability.WIDE:
        return f"{WANTED:.0%} by ~{one.repetitions}" if one.repetitions else "scatters"
    return {Stability.TOO_FEW: "too few", Stability.DRIFTS: "drifts"}.get(one.stability, "stable")


def _verdicts(rows: Sequence[Row]) -> list[Extra]:
    """Give one line for each verdict on two series, with all points at which it was found."""
    groups: dict[tuple[str, str, str, str], list[tuple[Row, Compared]]] = {}
    for row in _ordered(rows):
        for one in row.compared:
            who = label_of(row), label_of_other(row, one), _TITLES[one.figure], one.comparison.verdict
            groups.setdefault(who, []).append((row, one))
    if all(one.comparison.ratio is None for members in groups.values() for _, one in members):
        return []
    keys = sorted(groups, key=lambda key: list(groups).index((*key[:3], _first_verdict(groups, key))))
    columns = [
        Column("who", tuple(key[0] for key in keys), names=True),
        Column("held against", tuple(key[1] for key in keys), names=True),
        Column("figure", tuple(key[2] for key in keys)),
        Column("verdict", tuple(key[3] for key in keys)),
        Column(
            "at", tuple(", ".join(point(row, rows) for row, _ in groups[key]) for key in keys), names=True
        ),
        Column("changed by", tuple(_changes([one for _, one in groups[key]]) for key in keys)),
    ]
    return [Extra("Which is faster", columns, _COMPARED)]


def _first_verdict(groups: Iterable[tuple[str, str, str, str]], key: tuple[str, str, str, str]) -> str:
    return next(other[3] for other in groups if other[:3] == key[:3])


def _points(found: Sequence[Row], rows: Sequence[Row]) -> str:
    return ", ".join(point(row, rows) for row in found)


def _changes(compared: Sequence[Compared]) -> str:
    known = [one.comparison.ratio.mean for one in compared if one.comparison.ratio is not None]
    if not known:
        return figures.NOTHING
    least, most = percent(min(known)), percent(max(known))
    return least if least == most else f"{least} to {most}"


def _details(rows: Sequence[Row]) -> list[Extra]:
    lines = [(row, one) for row in _ordered(rows) for one in row.compared if one.comparison.ratio is not None]
    if not lines:
        return []
    columns = [
        Column("who", tuple(label_of(row) for row, _ in lines), names=True),
        Column("at", tuple(point(row, rows) for row, _ in lines)),
        Column("held against", tuple(label_of_other(row, one) for row, one in lines), names=True),
        Column("figure", tuple(_TITLES[one.figure] for _, one in lines)),
        Column("verdict", tuple(one.comparison.sentence for _, one in lines), names=True),
        Column("effect (Hedges' g)", tuple(_effect(one) for _, one in lines)),
        Column("p, corrected", tuple(_probability(one) for _, one in lines)),
    ]
    return [Extra("Which is faster, in detail", columns, _COMPARED, minor=True)]


def _effect(one: Compared) -> str:
    effect = one.comparison.effect
    return f"{effect.mean:+.1f} ({effect.low:+.1f} to {effect.high:+.1f})" if effect else figures.NOTHING


def _probability(one: Compared) -> str:
    p = one.comparison.corrected_p
    return figures.NOTHING if p is None else "< 0.0001" if p < 0.0001 else f"{p:.4f}"  # noqa: PLR2004


def _stabilities(rows: Sequence[Row]) -> list[Extra]:
    lines = [(row, one) for row in _ordered(rows) for one in row.stability]
    if not lines:
        return []
    columns = [
        Column("who", tuple(label_of(row) for row, _ in lines), names=True),
        Column("at", tuple(point(row, rows) for row, _ in lines)),
        Column("figure", tuple(one.figure for _, one in lines), names=True),
        Column("how far it can be believed", tuple(one.assessment.sentence for _, one in lines), names=True),
    ]
    return [Extra("How far the figures can be believed", columns, _BELIEVED, minor=True)]


def _intervals(rows: Sequence[Row]) -> list[Extra]:
    ordered = [row for row in _ordered(rows) if row.rtt_mean_us is not None]
    if not ordered:
        return []

    def spreads(title: str, name: str, bounds: str) -> Column:
        found = ((getattr(row, f"rtt_{name}_us"), _bounds(row, bounds)) for row in ordered)
        return Column(title, tuple(figures.spread(figure, interval) for figure, interval in found))

    columns = [
        Column("who", tuple(label_of(row) for row in ordered), names=True),
        Column("at", tuple(point(row, rows) for row in ordered)),
        spreads("mean", "mean", "rtt_ci95_us"),
        spreads("mean, the papers' way", "mean", "rtt_ci95_papers_us"),
        spreads("median", "p50", "rtt_p50_ci95_us"),
        spreads("90%", "p90", "rtt_p90_ci95_us"),
        spreads("99%", "p99", "rtt_p99_ci95_us"),
        spreads("99.9%", "p999", "rtt_p999_ci95_us"),
        Column("warm-up left out", tuple(_span(ordered[i : i + 1]) for i in range(len(ordered)))),
    ]
    return [Extra("Intervals, and what was left out as warm-up", columns, _INTERVALS, minor=True)]


def _bounds(row: Row, name: str) -> Bounds | None:
    bounds: Bounds | None = getattr(row, name)
    return bounds


def _span(rows: Iterable[Row]) -> str:
    known = [row.warm_up for row in rows if row.warm_up is not None]
    if not known:
        return figures.NOTHING
    least, most = min(one.least for one in known), max(one.most for one in known)
    return str(least) if least == most else f"{least} to {most}"


def _of_warm_up(rows: Sequence[Row]) -> list[str]:
    known = [(row, row.warm_up) for row in _ordered(rows) if row.warm_up is not None]
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
        said.append(f"{label_of(row)} at {point(row, rows)}: {remark}.{more}")
    return said


def _of_repetitions(rows: Sequence[Row]) -> list[str]:
    """Say that there are too few to compare, where there is something to compare."""
    undecided = [one for row in rows for one in row.compared]
    if not undecided or any(one.comparison.verdict is not Verdict.UNDECIDED for one in undecided):
        return []
    if any(one.comparison.ratio is not None for one in undecided):
        return []
    remark = (
        f"Which platform is faster is undecided: to say so takes {FEWEST} or more repetitions that held full "
        f"load. Run with --repeat {FEWEST}, or better 10."
    )
    return [remark]
