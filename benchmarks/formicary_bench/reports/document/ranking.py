"""The picture that comes first: who is how many times faster than whom."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.dots import Dot, Dots, ranked
from formicary_bench.reports.charts.plots import Chart, dot_of, panel_of, typical_columns
from formicary_bench.reports.charts.series import by_series
from formicary_bench.reports.document.factors import doubt_word, said
from formicary_bench.reports.document.tables import load_word
from formicary_bench.results.summary.baselines import baseline_of, rivals_of
from formicary_bench.results.summary.each import (
    AGENTS_CPU,
    CREATION,
    HIGHEST,
    HOLDS,
    P99,
    RATE,
    SPEED_UP,
    TIME,
    TOTAL,
    WIRE,
)
from formicary_bench.results.summary.typical import MORE_IS_FASTER, typical_of
from formicary_bench.results.verdicts.factors import doubt_about, factor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.results.summary.row import Row

MOST, FEW = 12, 6
"""So many are ranked where there is one placement, and in each of several: the rest is in the chart of their
experiment."""


class _Figure(NamedTuple):
    """What may be ranked: its name, what a title calls it, and how a value is written."""

    name: str
    title: str
    write: Callable[[float], str]


def _seconds(value: float) -> str:
    return formatting.duration(1e6 * value)


_FIGURES = (
    _Figure(HIGHEST, "Highest rate kept", formatting.per_second),
    _Figure(SPEED_UP, "CPU time over elapsed time", "{:.2f}".format),
    _Figure(TOTAL, "Total time", _seconds),
    _Figure(RATE, "Round trips per second", formatting.per_second),
    _Figure(CREATION, "Agents per second", formatting.per_second),
    _Figure(P99, "99th percentile of the time", formatting.duration),
    _Figure(TIME, "Median time", formatting.duration),
    _Figure(HOLDS, "Memory held", formatting.size),
    _Figure(WIRE, "Bytes on the wire per message", formatting.size),
    _Figure(AGENTS_CPU, "CPU time per message", formatting.duration),
)


def ranking(rows: Sequence[Row]) -> Chart | None:
    """Rank what a run has measured; None where there is nothing to rank.

    Args:
        rows: All rows of the run.
    """
    plain = [row for row in rows if not row.profiled and not row.invalid]
    for experiment in dict.fromkeys([*EXPERIMENTS, *(row.experiment for row in plain)]):
        members = [row for row in plain if row.experiment == experiment]
        for figure in _FIGURES:
            known = [row for row in members if _is_told_by(figure.name, row)]
            if known:
                return _chart(figure, _at_one_point(known), rows)
    return None


def _is_told_by(figure: str, row: Row) -> bool:
    """Whether a row has a figure that says something: the rate of an open loop is what was asked for."""
    known = typical_of(row, figure)
    return known is not None and known.value > 0 and not (figure == RATE and row.rate)


def _at_one_point(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that do the same work: at the point where most stand, of those at the largest."""
    counted = Counter(map(_point, rows))
    chosen = max(counted, key=lambda point: (counted[point], point))
    return [row for row in rows if _point(row) == chosen]


def _point(row: Row) -> tuple[int, ...]:
    return (
        row.cores,
        row.echoes,
        row.senders,
        row.pairs,
        row.agents,
        row.services,
        row.containers,
        row.rate,
        row.payload_bytes,
    )


def _chart(figure: _Figure, rows: Sequence[Row], run: Sequence[Row]) -> Chart:
    groups: dict[str, list[Dot]] = {}
    for series, members in by_series(rows).items():
        for row in members[:1]:
            if dot := dot_of(series, row, figure.name, figure.write, _factor(row, run, figure.name)):
                groups.setdefault(panel_of(row), []).append(dot)
    most = MOST if len(groups) == 1 else FEW
    best = {
        name: ranked(dots, more_is_better=figure.name in MORE_IS_FASTER)[:most]
        for name, dots in groups.items()
    }
    title = ", ".join(filter(None, (figure.title, _at(rows[0]))))
    caption = f"Medians, 95% intervals; small dots: single repetitions.{_cut(groups, most)}"
    table = typical_columns(rows, figure.name, figure.write)
    return Chart(title, caption, Dots(best, figure.title.lower(), figure.write), table)


def _factor(row: Row, run: Sequence[Row], figure: str) -> str:
    """Say how many times faster than the fastest other platform ours is, or else than its baseline.

    Of those that cannot be compared to any, ours are held against none; of all others, say why that is so.
    """
    if row.platform != "formicary":
        return doubt_word(row)
    rivals = [one for one in rivals_of(row, run) if typical_of(one, figure)]
    rivals = [one for one in rivals if doubt_about(one) is None] or rivals
    sign = 1 if figure in MORE_IS_FASTER else -1

    def speed(one: Row) -> float:
        known = typical_of(one, figure)
        return sign * known.value if known else 0.0

    other = max(rivals, key=speed, default=None) or baseline_of(row, run)
    found = factor(row, other, figure) if other else None
    return said(found) if found else doubt_word(row)


def _at(row: Row) -> str:
    if row.pairs > row.senders > 0:
        return f"{formatting.number(row.pairs)} receivers"
    if row.senders:
        return formatting.one_or(row.senders, load_word([row]))
    return f"{formatting.number(row.agents)} agents" if row.agents else ""


def _cut(groups: dict[str, list[Dot]], most: int) -> str:
    """Say that not all are ranked, where it is so."""
    missing = sum(max(len(dots) - most, 0) for dots in groups.values())
    return f" {missing} more below." if missing else ""
