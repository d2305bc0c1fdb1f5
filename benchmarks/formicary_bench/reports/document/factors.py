"""How many times faster one row is than another, in words.

Sentences, tiles and charts get it from here; `results.verdicts.factors` decides whether it may be said. Where
it may not, they say nothing: tables have the verdict, and `hints` says once what would decide it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS, declared
from formicary_bench.reports import formatting
from formicary_bench.reports.charts import plots
from formicary_bench.reports.charts.lines import Dot, Dots, ranked
from formicary_bench.reports.charts.series import by_series
from formicary_bench.reports.document.figures import cite_anchors, joined, told
from formicary_bench.reports.document.figures import said as said_size
from formicary_bench.reports.document.tables import Column, in_a_cell
from formicary_bench.results.summary.baselines import baseline_of, rivals_of, typical_of
from formicary_bench.results.verdicts.factors import doubt_about, factor
from formicary_bench.statistics.comparisons import RESOLUTION
from formicary_bench.vocabulary.metrics import CREATION, RATE, TIME
from formicary_bench.vocabulary.parameters.shared import paced_rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.factors import Factor
    from formicary_bench.vocabulary.metrics import Metric


_FEW = 3  # rivals that a sentence names, each with its factor


def faster(row: Row, other: Row, metric: Metric) -> str:
    """Return how many times faster than another a row is: `38× faster than JADE (30–48, warm)`."""
    return said(factor(row, other, metric))


def said(one: Factor | None) -> str:
    """Return a factor in words; nothing if it is inconclusive."""
    if one is None or one.ratio is None:
        return ""
    of = " ".join(one.of)
    if one.is_same:
        beside = ", ".join(filter(None, (f"within {RESOLUTION:.0%}", one.way)))
        return told(cite_anchors("no difference", of), f" from {one.name} ({beside})")
    wider = "widened, as repetitions are correlated" if one.depends else ""
    beside = ", ".join(filter(None, (formatting.factors(one.ratio), one.way, wider)))
    number, sign, rest = formatting.faster(one.ratio.mean, one.name).partition("×")
    return told(cite_anchors(f"{number}{sign}", of), f"{rest} ({beside})")


def all_of(row: Row, rows: Sequence[Row], metric: Metric) -> str:
    """Compare a row with its baseline and its rivals, in one list.

    Of many rivals, it has only the extremes: the table of verdicts has all.
    """
    base = baseline_of(row, rows)
    held = said(factor(row, base, metric)) if base else ""
    rivals = [one for other in rivals_of(row, rows) if (one := factor(row, other, metric)) and one.ratio]
    if len(rivals) <= _FEW:
        return _listed([held, *map(said, rivals)])
    known = sorted(rivals, key=lambda one: one.ratio.mean if one.ratio else 0.0)
    return _listed([held, told(f"of {len(known)} others from ", said(known[0]), " to ", said(known[-1]))])


def baseline_columns(known: Sequence[Row], rows: Sequence[Row]) -> list[Column]:
    """Return the columns of rows' baselines and speeds beside them, where there are any."""
    bases = [(row, baseline_of(row, rows)) for row in known]
    found = [factor(row, base, main_metric(row)) if base else None for row, base in bases]
    if not any(found):
        return []
    of = tuple(" ".join(one.of) if one else "" for one in found)
    return [
        Column("baseline", tuple(one.name if one else "" for one in found), names=True),
        Column("beside it", tuple(in_a_cell(one) for one in found), of=of),
    ]


def against_baseline(row: Row, rows: Sequence[Row]) -> str:
    """Return how many times faster than its baseline a row is; empty if inconclusive."""
    base = baseline_of(row, rows)
    return faster(row, base, main_metric(row)) if base else ""


def doubt_word(row: Row) -> str:
    """Return in a few words why a row cannot be compared; empty if it can."""
    doubt = doubt_about(row)
    return doubt.reason if doubt else ""


def main_metric(row: Row) -> Metric:
    """Return what a row is compared by: what its experiment is about, but the time of a pair that is alone.

    The rate of one pair is its mean time over again, which a few slow round trips decide.
    """
    known = declared(row.experiment)
    main = known.main_metric if known else RATE
    is_alone = main is RATE and row.exchange.load == 1 and not paced_rate(row)
    return TIME if is_alone and row.mean(TIME) is not None else main


def _listed(parts: Iterable[str]) -> str:
    return joined(", ", filter(None, parts))


MOST, FEW = 12, 6
"""So many are ranked where there is one placement, and in each of several: the rest is in the chart of their
experiment."""


def ranking(rows: Sequence[Row]) -> plots.Chart | None:
    """Rank what a run has measured; None where there is nothing to rank."""
    plain = [row for row in rows if not row.profiled and not row.invalid]
    for experiment in dict.fromkeys([*EXPERIMENTS, *(row.experiment for row in plain)]):
        members = [row for row in plain if row.experiment == experiment]
        for metric in _metrics_of(experiment):
            known = [row for row in members if _is_told_by(metric, row)]
            if known:
                chosen = _at_one_point(known)
                return _chart(main_metric(chosen[0]) if metric is RATE else metric, chosen, rows)
    return None


def _metrics_of(experiment: str) -> list[Metric]:
    """Return the metrics that an experiment can be ranked by, its main one first."""
    known = declared(experiment)
    metrics = (known.main_metric, *known.shown) if known else (RATE, CREATION, TIME)
    return [one for one in dict.fromkeys(metrics) if one.more_is_better is not None]


def _is_told_by(metric: Metric, row: Row) -> bool:
    """Whether a row has a figure that says something: the rate of an open loop is what was asked for."""
    known = typical_of(row, metric)
    return known is not None and known.value > 0 and not (metric.name == RATE.name and paced_rate(row))


def _at_one_point(rows: Sequence[Row]) -> list[Row]:
    """Return rows that do the same work: at the most frequent sizes, of these the largest."""
    known = declared(rows[0].experiment)
    named = {one.attribute for one in known.own if one.in_label} if known else set()
    points = [tuple(size for size in row.sizes if size[0] not in named) for row in rows]
    counted = Counter(points)
    chosen = max(counted, key=lambda sizes: (counted[sizes], [(name, str(type(v)), v) for name, v in sizes]))
    return [row for row, at in zip(rows, points, strict=True) if at == chosen]


def _chart(metric: Metric, rows: Sequence[Row], run: Sequence[Row]) -> plots.Chart:
    groups: dict[str, list[Dot]] = {}
    for series, members in by_series(rows).items():
        for row in members[:1]:
            if dot := plots.dot_of(series, row, metric, _factor(row, run, metric)):
                groups.setdefault(plots.panel_of(row), []).append(dot)
    most = MOST if len(groups) == 1 else FEW
    best = {
        name: ranked(dots, more_is_better=bool(metric.more_is_better))[:most] for name, dots in groups.items()
    }
    title = ", ".join(filter(None, (metric.title.capitalize(), _at(rows[0]))))
    lines = "95% intervals; small dots" if plots.intervals(rows) else "Small dots"
    caption = f"{lines}: single repetitions.{_cut(groups, most)}"
    table = plots.typical_columns(rows, metric)
    return plots.Chart(title, caption, Dots(best, metric.title, plots.short_ticks(metric)), table)


def _factor(row: Row, run: Sequence[Row], metric: Metric) -> str:
    """Return how many times faster than the fastest other platform ours is, or else than its baseline.

    For a row of another platform, return why it cannot be compared, if it cannot.
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
    """Return how many are not ranked, if any."""
    missing = sum(max(len(dots) - most, 0) for dots in groups.values())
    return f" {missing} more below." if missing else ""
