"""How rows are made of loops: total times, peak rate and sustained rate, as in Dikaiakos 2001, Section 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from formicary_bench.results.store import raw
from formicary_bench.results.summary.by_repetition import ByRepetition
from formicary_bench.results.summary.each import PEAK, SMALLEST, SUSTAINED, TOTAL, Each, named
from formicary_bench.results.summary.estimates import LoopEstimates, LoopSize
from formicary_bench.statistics.estimates import mean_estimate
from formicary_bench.vocabulary.loops import SUSTAINED_LAPS
from formicary_bench.vocabulary.sleeping import HELD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition


class Looped(NamedTuple):
    """What the loops of one repetition took.

    Attributes:
        totals: the median total time in seconds, by how many operations a loop has, the smallest first.
        sustained: operations per second of the largest loop, again and again.
        held: what one of the agents holds, where that is weighed.
    """

    totals: dict[int, float]
    sustained: float
    held: dict[str, float]

    @property
    def rates(self) -> dict[int, float]:
        """Operations per second, by how many a loop has."""
        return {size: size / seconds for size, seconds in self.totals.items()}

    @property
    def peak(self) -> float:
        """The highest of these rates, and of the sustained one."""
        return max(*self.rates.values(), self.sustained)


class Loops(ByRepetition[Looped]):
    """Of loops of an operation."""

    raw = "create"
    compared_by = (SUSTAINED,)

    def read(self, run: RunFolder, repetition: Repetition) -> Looped | None:
        """Read what a repetition took; None where it says nothing."""
        return _looped(run, repetition)

    def figures(self, one: Looped) -> Each:
        """Return the figures of one repetition."""
        return _each(one)

    def estimates(self, found: Sequence[Looped]) -> dict[str, Any]:
        """Return the fields of a row."""
        return {"loops": _estimates(found)}


SUMMARY = Loops()


def _looped(run: RunFolder, repetition: Repetition) -> Looped | None:
    """Read the loops of a repetition; None where there are fewer than there are in any."""
    from statistics import median

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
    held = {figure: repetition.counters[figure] for figure in HELD if figure in repetition.counters}
    return Looped(totals, sum(size for size, _ in again) / took, held)


def _each(one: Looped) -> Each:
    smallest, largest = min(one.totals), max(one.totals)
    figures = {
        SUSTAINED: one.sustained,
        PEAK: one.peak,
        SMALLEST: one.rates[smallest],
        TOTAL: one.totals[largest],
    }
    return Each(others=named(figures | one.held))


def _estimates(found: Sequence[Looped]) -> LoopEstimates:
    sizes = tuple(
        LoopSize(size, mean_estimate([one.totals[size] for one in found if size in one.totals]))
        for size in found[0].totals
    )
    best = max(sizes, key=lambda one: one.size / one.total_s.mean)
    return LoopEstimates(
        sustained=mean_estimate([one.sustained for one in found]),
        peak=mean_estimate([one.peak for one in found]),
        peak_at=best.size,
        sizes=sizes,
    )
