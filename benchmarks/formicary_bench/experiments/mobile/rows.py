"""How rows are made of loops: total times, peak rate and sustained rate, as in Dikaiakos 2001, Section 2."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile import AVERAGE, HELD, LARGEST, PEAK, SMALLEST, SUSTAINED
from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import reading
from formicary_bench.vocabulary.values import SUSTAINED_LAPS

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Reading
    from formicary_bench.vocabulary.configuration import Configuration

OPERATIONS, TOTAL_S = "operations", "total_s"
"""The columns of records: of each size, how many operations a loop has, and the median of its total times."""


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read the loops of a repetition; None where there are fewer than there are in any."""
    data = run.raw(repetition, raw.Creations)
    made = list(zip(data.agents.tolist(), data.seconds.tolist(), strict=True))
    swept, again = made[:-SUSTAINED_LAPS], made[-SUSTAINED_LAPS:]
    took = sum(seconds for _, seconds in again)
    if not swept or not took or any(size < 1 or seconds <= 0 for size, seconds in made):
        return None
    laps: dict[int, list[float]] = {}
    for size, seconds in swept:
        laps.setdefault(size, []).append(seconds)
    totals = {size: median(seconds) for size, seconds in sorted(laps.items())}
    smallest, largest = min(totals), max(totals)
    sustained = sum(size for size, _ in again) / took
    values = {
        SUSTAINED: sustained,
        PEAK: max(sustained, *(size / seconds for size, seconds in totals.items())),
        SMALLEST: smallest / totals[smallest],
        LARGEST: totals[largest],
        AVERAGE: totals[largest] / largest,
    }
    held = {metric: repetition.counters.get(metric.name) for metric in HELD}
    records = [{OPERATIONS: size, TOTAL_S: seconds} for size, seconds in totals.items()]
    return reading(values | held, records=records)


SUMMARY = Summary(raw="create", read=_read, compared_by=(SUSTAINED,))
