"""Comparison of two runs: names, the picture of ratios, and tables."""

from __future__ import annotations

import math
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Dot, Dots
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.series import Series, label, look
from formicary_bench.reports.document.figures import main_metric, writer
from formicary_bench.reports.document.points import named
from formicary_bench.reports.document.sheet import ExperimentPage, Sheet
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.row import frame
from formicary_bench.statistics.comparisons import Verdict
from formicary_bench.statistics.ratios import speed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.pairing import Paired, Pairing
    from formicary_bench.statistics.comparisons import Comparison
    from formicary_bench.statistics.intervals import Interval
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

MOST = 14
"""So many ratios are on the first picture; all of them are in the chart of their experiment."""

_BRIEF = 3  # of what only one run has, so many are named
_METHOD = (
    "Means over repetitions. Ratios divide geometric means, with 95% intervals; verdicts are by Welch's "
    "t-test on the logarithms of the repetitions' results, corrected for all comparisons (Holm)."
)


def names_of(pairing: Pairing) -> list[str]:
    """Return the name of each compared figure; its whole key where two share a name."""
    rows = _all_rows(pairing)
    found = [_name(one, rows) for one in pairing.paired]
    keys: dict[tuple[str, str], set[str]] = {}
    for name, one in zip(found, pairing.paired, strict=True):
        keys.setdefault((one.row.experiment, name), set()).add(one.configuration.key)
    return [
        one.configuration.key if len(keys[one.row.experiment, name]) > 1 else name
        for name, one in zip(found, pairing.paired, strict=True)
    ]


def counted(verdicts: Iterable[str]) -> str:
    """Return how often each verdict was found."""
    found = Counter(verdicts).most_common()
    return ", ".join(f"{many} {verdict}" for verdict, many in found) or "nothing to compare"


def what_one_has(pairing: Pairing, run: str, base: str) -> list[str]:
    """Return how many configurations only one of two runs has, and which.

    Args:
        pairing: What they have in common.
        run: The name of the run that is judged.
        base: The name of the other one.
    """
    rows = _all_rows(pairing)
    return [
        f"{formatting.counted(len(those), 'configuration')} only in {who}: {_briefly(those, rows)}"
        for who, those in ((base, pairing.missing), (run, pairing.added))
        if those
    ]


def speed_of(one: Paired, found: Comparison) -> Interval | None:
    """Return how many times as fast the first run is; None where that is not known."""
    return found.ratio and speed(found.ratio, is_rate=one.contrast.is_rate)


def comparison_sheet(
    runs: Sequence[RunFolder],
    pairing: Pairing,
    found: Sequence[Comparison],
    called: tuple[str, str] | None = None,
) -> Sheet:
    """Return a page's content.

    Args:
        runs: The one that is judged, and its base.
        pairing: What they have in common.
        found: What came of it, in that order.
        called: What to call the two; None for their folders' names.
    """
    run, base = called or _called(runs)
    lines = list(zip(names_of(pairing), pairing.paired, found, strict=True))
    experiments = dict.fromkeys(one.row.experiment for _, one, _ in lines)
    parts = []
    for experiment in experiments:
        members = [line for line in lines if line[1].row.experiment == experiment]
        chart = _chart(members, base, f"Speed as a multiple of {base}")
        parts.append(ExperimentPage(experiment, [chart] if chart else [], [_table(members, run, base)]))
    verdicts = [comparison.verdict for comparison in found]
    return Sheet(
        title=f"{run} against {base}",
        found=counted(verdicts),
        is_good=bool(verdicts) and not {Verdict.SLOWER, Verdict.UNDECIDED} & {*verdicts},
        picture=_picture(lines, base),
        remarks=[f"{remark}." for remark in (*pairing.remarks, *what_one_has(pairing, run, base))],
        parts=parts,
        method=_METHOD,
        facts=_facts(runs),
    )


_Line = tuple[str, "Paired", "Comparison"]


def _picture(lines: Sequence[_Line], base: str) -> Chart | None:
    """Draw one figure of each configuration; of many, those that differ most, as far as that is known."""
    names: dict[str, list[str]] = {}
    for _, one, _ in lines:
        names.setdefault(one.configuration.key, []).append(one.metric.name)
    main = [
        line
        for line in lines
        for one in [line[1]]
        if one.metric == main_metric(one.row.experiment, names[one.configuration.key])
    ]
    drawn = [(line, ratio) for line in main if (ratio := speed_of(*line[1:]))]
    drawn.sort(key=lambda one: (one[0][2].is_told, abs(math.log(one[1].mean))), reverse=True)
    shown = sorted(drawn[:MOST], key=lambda one: one[1].mean)
    chart = _chart([line for line, _ in shown], base, f"Speed as a multiple of {base}")
    more = len(drawn) - len(shown)
    if chart is None or not more:
        return chart
    return msgspec.structs.replace(chart, caption=f"{chart.caption} {more} more below.")


def _chart(lines: Sequence[_Line], base: str, title: str) -> Chart | None:
    """Draw the ratios of some figures; None where there is none."""
    groups: dict[str, list[Dot]] = {}
    several = len({one.row.experiment for _, one, _ in lines}) > 1
    for name, one, found in lines:
        ratio = speed_of(one, found)
        if ratio is None:
            continue
        series = Series(name, *look(one.row.platform, one.row.kind, one.row.route, tls=one.row.tls))
        figure = one.metric.title.capitalize()
        group = f"{one.row.experiment}: {figure.lower()}" if several else figure
        is_sound = found.verdict is not Verdict.UNDECIDED
        dot = Dot(series, ratio.mean, _said(found, ratio), (ratio.low, ratio.high), sound=is_sound)
        groups.setdefault(group, []).append(dot)
    if not groups:
        return None
    caption = f"Right of 1: faster than in {base}; 95% intervals. Hollow marks: inconclusive."
    plot = Dots(groups, "times as fast", lambda value: f"{value:.3g}", of_ratios=True)
    dots = [dot for dots in groups.values() for dot in dots]
    table = [
        Column("who", tuple(dot.series.label for dot in dots), names=True),
        Column("times as fast", tuple(map(_told, dots))),
        Column("95%", tuple(_between(dot.bounds) for dot in dots)),
        Column("verdict", tuple(dot.text for dot in dots), names=True),
    ]
    return Chart(title, caption, plot, table)


def _said(found: Comparison, ratio: Interval) -> str:
    if found.verdict in {Verdict.FASTER, Verdict.SLOWER}:
        return formatting.faster(ratio.mean)
    return str(found.verdict)


def _factor(ratio: Interval | None, found: Comparison) -> str:
    """Write a ratio; nothing if it is inconclusive, where the interval says enough."""
    return f"{ratio.mean:.3g}" if ratio and found.is_told else formatting.NOTHING


def _told(dot: Dot) -> str:
    return f"{dot.value:.3g}" if dot.sound else formatting.NOTHING


def _between(bounds: tuple[float, float] | None) -> str:
    return f"{bounds[0]:.3g} to {bounds[1]:.3g}" if bounds else ""


def _table(lines: Sequence[_Line], run: str, base: str) -> Extra:
    ratios = [speed_of(one, found) for _, one, found in lines]
    bounds = [(ratio.low, ratio.high) if ratio else None for ratio in ratios]
    told = list(zip(ratios, lines, strict=True))
    columns = [
        Column("who", tuple(name for name, *_ in lines), names=True),
        Column("figure", tuple(one.metric.title for _, one, _ in lines), names=True),
        Column(run, tuple(_mean(one.metric, one.contrast.values) for _, one, _ in lines)),
        Column(base, tuple(_mean(one.metric, one.contrast.base) for _, one, _ in lines)),
        Column("times as fast", tuple(_factor(ratio, found) for ratio, (*_, found) in told)),
        Column("95%", tuple(map(_between, bounds))),
        Column("verdict", tuple(found.sentence for *_, found in lines), names=True),
    ]
    return Extra("All results in both runs", columns)


def _mean(metric: Metric, values: Sequence[float]) -> str:
    return writer(metric)(fmean(values)) if values else formatting.NOTHING


def _facts(runs: Sequence[RunFolder]) -> Extra:
    known = [run.manifest for run in runs]
    facts = {
        "began": [f"{one.started:%Y-%m-%d %H:%M %Z}" for one in known],
        "version": [one.formicary for one in known],
        "commit": [one.git.commit[:12] + ("+" if one.git.dirty else "") if one.git else "" for one in known],
        "host": [one.machine.host for one in known],
        "processor": [one.machine.cpu for one in known],
        "python": [one.machine.python for one in known],
        "load before": [f"{one.load_before[0]:.2f}" if one.load_before else "" for one in known],
    }
    paths = Column("run", tuple(str(run.path) for run in runs), names=True)
    columns = [paths, *(Column(name, tuple(texts), names=True) for name, texts in facts.items())]
    return Extra("The two runs", columns)


def _called(runs: Sequence[RunFolder]) -> tuple[str, str]:
    """Return names for two runs: their folders' names, or paths where the names are the same."""
    one, other = (run.path.resolve().name for run in runs)
    return (one, other) if one != other else (str(runs[0].path), str(runs[1].path))


def _all_rows(pairing: Pairing) -> list[Row]:
    """Return the rows of all that was measured, from which names have to tell each."""
    lone = [frame(one, []) for one in (*pairing.missing, *pairing.added)]
    return [*(one.row for one in pairing.paired), *lone]


def _briefly(configurations: Sequence[Configuration], rows: Sequence[Row]) -> str:
    """Name some configurations, and say how many more there are."""
    found = [frame(one, []) for one in configurations]
    names = [f"{one.experiment}: {_named(one, rows)}" for one in found[:_BRIEF]]
    more = len(found) - _BRIEF
    return "; ".join([*names, *([f"and {more} more"] if more > 0 else [])])


def _named(row: Row, rows: Iterable[Row]) -> str:
    return named(row, [one for one in rows if one.experiment == row.experiment])


def _name(one: Paired, rows: Sequence[Row]) -> str:
    name = _named(one.row, rows)
    if (one.row.platform, one.row.kind, one.row.route) == (
        one.base_row.platform,
        one.base_row.kind,
        one.base_row.route,
    ):
        return name
    return f"{name}, against {label(one.base_row)}"
