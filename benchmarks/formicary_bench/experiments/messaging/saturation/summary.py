"""What the figures of `messaging/saturation` are: the highest rate that is kept, and all that were tried."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.results.summary.estimates import SaturationEstimates, Trial
from formicary_bench.statistics.intervals import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.raw import Trials


def highest_kept(trials: Sequence[Trial]) -> int:
    """Return the highest rate that was kept below all that were missed; 0 if there is none."""
    missed = lowest_missed(trials)
    return max((one.rate for one in trials if one.kept and (not missed or one.rate < missed)), default=0)


def lowest_missed(trials: Sequence[Trial]) -> int:
    """Return the lowest rate that was not kept however often it was tried; 0 if there is none."""
    kept = {one.rate for one in trials if one.kept}
    return min((one.rate for one in trials if one.rate not in kept), default=0)


def trials_of(data: Trials, repetition: int) -> tuple[Trial, ...]:
    """Read the trials of one search."""
    rows = zip(data.rate, data.kept, data.p99_ns, data.answered, data.late, data.lost, strict=True)
    return tuple(
        Trial(repetition, int(rate), bool(kept), int(p99_ns) / 1e3, int(answered), int(late), int(lost))
        for rate, kept, p99_ns, answered, late, lost in rows
    )


def saturation_estimates(limit_us: int, searches: Sequence[tuple[Trial, ...]]) -> SaturationEstimates:
    """Compute the figures of a configuration from its searches."""
    rates = [float(highest_kept(trials)) for trials in searches]
    missed = [lowest_missed(trials) for trials in searches]
    interval = mean_interval(rates)
    return SaturationEstimates(
        limit_us,
        math.fsum(rates) / len(rates),
        (interval.low, interval.high) if interval else None,
        sum(missed) / len(missed) if all(missed) else None,
        tuple(trial for trials in searches for trial in trials),
    )
