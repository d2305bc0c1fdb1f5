"""What `observe/watch` found: what a viewer costs, and whether that is more than it may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.observe.limits import MAY_BE_LOST, kept
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import at_once
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, or_invalid, who_columns
from formicary_bench.results.summary.each import samples_of
from formicary_bench.statistics.changes import percent
from formicary_bench.statistics.comparisons import FEWEST
from formicary_bench.statistics.ratios import ratio_of_values
from formicary_bench.vocabulary.watching import CPU_TIMES, RATE_TIMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.results.summary.row import Row

_TOO_SHORT = (
    "What a viewer costs: all was over before it had come and gone; make more round trips (--rounds)."
)
_TOO_FEW = f"What a viewer costs: to say so takes {FEWEST} or more repetitions."


def columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of what a viewer costs."""
    rows = ordered(unordered)
    found = who_columns(rows)
    for title, figure in (("CPU time", CPU_TIMES), ("rate", RATE_TIMES)):
        changes = [_change(row, figure) for row in rows]
        found += [
            Column(title, tuple(or_invalid(row, mean) for row, (mean, _) in zip(rows, changes, strict=True))),
            Column("95%", tuple(bounds for _, bounds in changes)),
            Column(f"by the {title}", tuple(_verdict(row, rows, figure) for row in rows), names=True),
        ]
    return [*found, *stability_column(rows)]


def _verdict(row: Row, rows: Sequence[Row], figure: str) -> str:
    return kept(row, rows)[figure].verdict if row.kind in MAY_BE_LOST else ""


def _change(row: Row, figure: str) -> tuple[str, str]:
    """Return by how much a figure changes with a viewer, and the interval of that."""
    values = samples_of(row.each).get(figure, [])
    ratio = ratio_of_values(values, [1.0] * len(values))
    if ratio is None:
        return (percent(values[0]) if values else "-"), ""
    return percent(ratio.mean), f"{percent(ratio.low)} to {percent(ratio.high)}"


def sentences(rows: Sequence[Row]) -> list[str]:
    """Say of each way to be watched, with the most pairs, what it costs, and whether it may."""
    most = max((row.exchange.pairs for row in rows), default=0)
    shown = [row for row in ordered(rows) if row.exchange.pairs == most and row.kind in MAY_BE_LOST]
    counts = [len(samples_of(row.each).get(CPU_TIMES, ())) for row in shown]
    if not any(counts):
        return [_TOO_SHORT]
    if max(counts) < FEWEST:
        return [_TOO_FEW]
    return [_sentence(row, rows) for row in shown]


def _sentence(row: Row, rows: Sequence[Row]) -> str:
    found = kept(row, rows)
    cpu, rate = found[CPU_TIMES], found[RATE_TIMES]
    return told(
        f"{label(row)}, {at_once(row)}: at most {MAY_BE_LOST[row.kind]:.0%} of the rate may be lost. "
        "By CPU time that is ",
        cite(cpu.verdict, row),
        f": {cpu.why}. By the rate it is ",
        cite(rate.verdict, row),
        f": {rate.why}. {formatting.counted(len(row.each), 'repetition')}.",
    )


def _no_charts(_: Sequence[Row]) -> list[Chart]:
    return []


REPORT = Report(columns=columns, sentences=sentences, charts=_no_charts, ratios=no_ratios)
