"""The picture that comes first: who is how many times faster than whom."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS, declared
from formicary_bench.reports.charts.dots import Dot, Dots, ranked
from formicary_bench.reports.charts.plots import (
    Chart,
    dot_of,
    intervals,
    panel_of,
    short_ticks,
    typical_columns,
)
from formicary_bench.reports.charts.series import by_series
from formicary_bench.reports.document.factors import doubt_word, said
from formicary_bench.reports.document.figures import said as said_size
from formicary_bench.results.summary.baselines import baseline_of, rivals_of
from formicary_bench.results.summary.typical import typical_of
from formicary_bench.results.verdicts.factors import doubt_about, factor
from formicary_bench.vocabulary.metrics import CREATION, RATE, TIME
from formicary_bench.vocabulary.parameters.shared import paced_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric

MOST, FEW = 12, 6
"""So many are ranked where there is one placement, and in each of several: the rest is in the chart of their
experiment."""


def ranking(rows: Sequence[Row]) -> Chart | None:
    """Rank what a run has measured; None where there is nothing to rank.

    Args:
        rows: All rows of the run.
    """
    plain = [row for row in rows if not row.profiled and not row.invalid]
    for experiment in dict.fromkeys([*EXPERIMENTS, *(row.experiment for row in plain)]):
        members = [row for row in plain if row.experiment == experiment]
        for metric in _metrics_of(experiment):
            known = [row for row in members if _is_told_by(metric, row)]
            if known:
                return _chart(metric, _at_one_point(known), rows)
    return None


def _metrics_of(experiment: str) -> list[Metric]:
    """Return what an experiment may be ranked by: what it is about first."""
    known = declared(experiment)
    metrics = (known.main_metric, *known.shown) if known else (RATE, CREATION, TIME)
    return [one for one in dict.fromkeys(metrics) if one.more_is_better is not None]


def _is_told_by(metric: Metric, row: Row) -> bool:
    """Whether a row has a figure that says something: the rate of an open loop is what was asked for."""
    known = typical_of(row, metric)
    return known is not None and known.value > 0 and not (metric.name == RATE.name and paced_rate(row))


def _at_one_point(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that do the same work: at the point where most stand, of those at the largest."""
    counted = Counter(row.sizes for row in rows)
    chosen = max(counted, key=lambda sizes: (counted[sizes], [(name, str(type(v)), v) for name, v in sizes]))
    return [row for row in rows if row.sizes == chosen]


def _chart(metric: Metric, rows: Sequence[Row], run: Sequence[Row]) -> Chart:
    groups: dict[str, list[Dot]] = {}
    for series, members in by_series(rows).items():
        for row in members[:1]:
            if dot := dot_of(series, row, metric, _factor(row, run, metric)):
                groups.setdefault(panel_of(row), []).append(dot)
    most = MOST if len(groups) == 1 else FEW
    best = {
        name: ranked(dots, more_is_better=bool(metric.more_is_better))[:most] for name, dots in groups.items()
    }
    title = ", ".join(filter(None, (metric.title.capitalize(), _at(rows[0]))))
    lines = "95% intervals; small dots" if intervals(rows) else "Small dots"
    caption = f"{lines}: single repetitions.{_cut(groups, most)}"
    table = typical_columns(rows, metric)
    return Chart(title, caption, Dots(best, metric.title, short_ticks(metric)), table)


def _factor(row: Row, run: Sequence[Row], metric: Metric) -> str:
    """Say how many times faster than the fastest other platform ours is, or else than its baseline.

    Of those that cannot be compared to any, ours are held against none; of all others, say why that is so.
    """
    if row.platform != "formicary":
        return doubt_word(row)
    rivals = [one for one in rivals_of(row, run) if typical_of(one, metric)]
    rivals = [one for one in rivals if doubt_about(one) is None] or rivals
    sign = 1 if metric.more_is_better else -1

    def speed(one: Row) -> float:
        known = typical_of(one, metric)
        return sign * known.value if known else 0.0

    other = max(rivals, key=speed, default=None) or baseline_of(row, run)
    found = factor(row, other, metric) if other else None
    return said(found) if found else doubt_word(row)


def _at(row: Row) -> str:
    known = declared(row.experiment)
    main = known.grows_by if known else None
    return said_size(main, row.size(main.attribute)) if main and row.size(main.attribute) else ""


def _cut(groups: dict[str, list[Dot]], most: int) -> str:
    """Say that not all are ranked, where it is so."""
    missing = sum(max(len(dots) - most, 0) for dots in groups.values())
    return f" {missing} more below." if missing else ""
