"""The figures of a configuration that exchanges messages, or uses the directory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.summary.declared import Summary
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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Each
    from formicary_bench.results.summary.exchanged import Others
    from formicary_bench.results.summary.load import Load
    from formicary_bench.vocabulary.configuration import Configuration

    Extend = Callable[[Row, Configuration, list[Repetition], Sequence[Measured | None]], Row]

_PERCENTILES = (0.5, 0.9, 0.99, 0.999)


def _nothing(*_: object) -> Mapping[str, float | None]:
    return {}


def _as_it_is(row: Row, *_: object) -> Row:
    return row


@dataclass(frozen=True)
class Exchanges(Summary):
    """Of messages and their answers, or of uses of the directory.

    Attributes:
        others: Figures of a repetition that the experiment is about besides; see `exchanged.measure`.
        extended: `(row, configuration, repetitions, what was measured of each) -> row`, with more in it.
        has_rate: Whether the rate is a figure, and full load a question: not of uses of the directory, by one
            agent, between which there is what is not measured.
    """

    others: Others = _nothing
    extended: Extend = _as_it_is
    has_rate: bool = True
    raw = "messages"

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Compute the row of a configuration that exchanges messages."""
        is_alone = len(repetitions) == 1
        found = [self._measured(run, configuration, one, is_alone=is_alone) for one in repetitions]
        known = [one for one in found if one is not None]
        row, tail = frame(configuration, repetitions), None
        if known:
            row, tail = _with_times(row, known)
            each = tuple(one.each for one in known)
            warm_up = left_out(run, configuration, [one.cut for one in known])
            row = msgspec.structs.replace(row, warm_up=warm_up, each=each, stability=stability_of(each))
        if known and self.has_rate:
            row = _with_rate(row, [one.load for one in known], known[0].rate)
        if known and self.has_rate and not configuration.rate:  # a load that depends on who is ready first
            full = all(one.load.full for one in known) and all(one.full_load for one in repetitions)
            row = msgspec.structs.replace(row, full_load=full)
        return Digest(self.extended(row, configuration, repetitions, found), tail)

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each | None:
        """Return the figures of one repetition."""
        known = self._measured(run, configuration, repetition, is_alone=False)
        return known and known.each

    def _measured(
        self, run: RunFolder, configuration: Configuration, repetition: Repetition, *, is_alone: bool
    ) -> Measured | None:
        has_rate = self.has_rate
        return measure(run, configuration, repetition, self.others, is_alone=is_alone, has_rate=has_rate)


EXCHANGES = Exchanges()


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
    """Return the bounds of the median and of three percentiles, and how they were made."""
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
