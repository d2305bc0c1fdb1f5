"""The figures of a configuration that exchanges messages, or uses the directory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.messaging.scale_out.summary import scale_estimates
from formicary_bench.results.summary.exchanged import Measured, measure, rate_of
from formicary_bench.results.summary.row import (
    BOOTSTRAP,
    NO_INTERVAL,
    OVER_REPETITIONS,
    Bounds,
    Digest,
    Row,
    Tail,
    bounds,
    frame,
    method,
)
from formicary_bench.results.summary.warm_up import left_out
from formicary_bench.results.verdicts.verdicts import stability_of
from formicary_bench.statistics.bootstrap import percentile_intervals
from formicary_bench.statistics.intervals import Interval, mean_interval, papers_interval
from formicary_bench.statistics.percentiles import of_ordered, tail_probabilities
from formicary_bench.vocabulary.names import DIRECTORY, LOWER_BOUND, SCALE_OUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Configuration, Repetition
    from formicary_bench.results.summary.load import Load

_PERCENTILES = (0.5, 0.9, 0.99, 0.999)


def message_digest(run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
    """Compute the row of a configuration that exchanges messages."""
    is_alone = len(repetitions) == 1
    found = [measure(run, configuration, repetition, is_alone=is_alone) for repetition in repetitions]
    known = [one for one in found if one is not None]
    row = frame(configuration, repetitions)
    if not known:
        return Digest(row, None)
    loads = [one.load for one in known]
    row, tail = _with_times(row, known)
    each = tuple(one.each for one in known)
    warm_up = left_out(run, configuration, [one.cut for one in known])
    row = msgspec.structs.replace(row, warm_up=warm_up, each=each, stability=stability_of(each))
    if row.family == DIRECTORY:  # one agent, and between its uses there is what is not measured
        return Digest(row, tail)
    row = _with_rate(row, loads, known[0].rate)
    if configuration.rate:  # its load does not depend on who is ready first
        return Digest(row, tail)
    full = all(load.full for load in loads) and all(repetition.full_load for repetition in repetitions)
    row = msgspec.structs.replace(row, full_load=full)
    if configuration.experiment == LOWER_BOUND:
        return Digest(_with_total(row, loads), tail)
    if configuration.experiment == SCALE_OUT:
        means = [one.mean_us for one in known]
        having = [one for one, figures in zip(repetitions, found, strict=True) if figures is not None]
        scale = scale_estimates(configuration, having, [rate_of(load) for load in loads], means)
        row = msgspec.structs.replace(row, scale=scale)
    return Digest(row, tail)


def _with_times(row: Row, found: Sequence[Measured]) -> tuple[Row, Tail]:
    """Fill in what the round-trip times say."""
    import numpy as np

    means, times = [one.mean_us for one in found], [one.times for one in found]
    interval = mean_interval(means) or found[0].time
    pooled = times[0] if len(times) == 1 else np.sort(np.concatenate(times))
    wanted = tail_probabilities(len(pooled))
    low, p50, p90, p99, p999, high, *curve = (
        value / 1e3 for value in of_ordered(pooled, [0, *_PERCENTILES, 1, *wanted])
    )
    limits, percentile_method = _percentile_bounds(found, (p50, p90, p99, p999))
    changed = msgspec.structs.replace(
        row,
        round_trips=len(pooled),
        rtt_mean_us=math.fsum(means) / len(means),
        rtt_ci95_us=bounds(interval, 1),
        rtt_ci95_papers_us=bounds(papers_interval(pooled), 1e-3),
        rtt_min_us=low,
        rtt_p50_us=p50,
        rtt_p50_ci95_us=limits[0],
        rtt_p90_us=p90,
        rtt_p90_ci95_us=limits[1],
        rtt_p99_us=p99,
        rtt_p99_ci95_us=limits[2],
        rtt_p999_us=p999,
        rtt_p999_ci95_us=limits[3],
        percentile_ci_method=percentile_method,
        rtt_max_us=high,
        ci_method=method(interval, len(means)),
    )
    return changed, Tail(tuple(wanted), tuple(curve))


def _percentile_bounds(
    found: Sequence[Measured], known_us: tuple[float, float, float, float]
) -> tuple[list[Bounds | None], str]:
    """Give the bounds of the median and of three percentiles, and how they were made."""
    known = {p: value * 1e3 for p, value in zip(_PERCENTILES, known_us, strict=True)}
    intervals = percentile_intervals([one.times for one in found], known)
    if intervals is not None:
        return [bounds(one, 1e-3) for one in intervals], BOOTSTRAP
    of_median = bounds(mean_interval([one.median_us for one in found]), 1)
    return [of_median, None, None, None], OVER_REPETITIONS if of_median else NO_INTERVAL


def _with_rate(row: Row, loads: list[Load], alone: Interval | None) -> Row:
    """Fill in the rate; where pairs were never in T2 together it is taken over all of T2."""
    rates = [rate_of(load) for load in loads]
    known = [rate for rate in rates if rate is not None]
    if not known:
        return row
    return msgspec.structs.replace(
        row,
        round_trips_per_s=math.fsum(known) / len(known),
        round_trips_per_s_ci95=bounds(mean_interval(known) or alone, 1),
    )


def _with_total(row: Row, loads: list[Load]) -> Row:
    """Fill in how long all round trips of T2 took."""
    totals = [load.elapsed_s for load in loads]
    mean = math.fsum(totals) / len(totals)
    return msgspec.structs.replace(row, total_s=mean, total_s_ci95=bounds(mean_interval(totals), 1))
