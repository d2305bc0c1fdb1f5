"""The figures of a configuration that exchanges messages, uses the directory, or creates agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.results.store import raw
from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.each import Reading, measure, reading
from formicary_bench.results.summary.row import (
    BOOTSTRAP,
    NO_INTERVAL,
    OVER_REPETITIONS,
    Digest,
    Tail,
    frame,
    with_figures,
)
from formicary_bench.results.summary.warm_up import left_out
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.statistics.intervals import mean_interval, papers_interval, ratio_interval
from formicary_bench.statistics.percentiles import of_ordered, percentile_intervals, tail_probabilities
from formicary_bench.vocabulary import metrics
from formicary_bench.vocabulary.parameters.shared import paced_rate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Measured, Others
    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.intervals import Interval
    from formicary_bench.vocabulary.configuration import Configuration


_PERCENTILES = {metrics.TIME: 0.5, metrics.P90: 0.9, metrics.P99: 0.99, metrics.P999: 0.999}


def _nothing(*_: object) -> Mapping[metrics.Metric, float | None]:
    return {}


class Exchanges(Summary, frozen=True, kw_only=True):
    """The way to make rows of messages and answers, or of uses of the directory; made by `exchanges`.

    Attributes:
        others: Returns further figures of a repetition; see `each.measure`.
        has_rate: Whether there is a rate, and so a check of full load; not for one agent's uses of the
            directory, between which it does what is not measured.
    """

    others: Others
    has_rate: bool

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Compute the row of a configuration that exchanges messages."""
        about = {"is_alone": len(repetitions) == 1, "has_rate": self.has_rate}
        found = {
            repetition.number: one
            for repetition in repetitions
            if (one := measure(run, configuration, repetition, self.others, **about)) is not None
        }
        row, known = frame(configuration, repetitions), list(found.values())
        if not known:
            return Digest(row, None)
        readings = {number: Reading(each=one.each, within=one.within) for number, one in found.items()}
        row, tail = _with_times(with_figures(row, readings), known)
        row = msgspec.structs.replace(row, warm_up=left_out(run, configuration, [one.cut for one in known]))
        if self.has_rate and not paced_rate(configuration):
            full = all(one.is_full for one in known) and all(one.full_load for one in repetitions)
            row = msgspec.structs.replace(row, full_load=full)
        return Digest(row, tail)


def exchanges(others: Others = _nothing, *, has_rate: bool = True, **about: Any) -> Exchanges:
    """Return the way to make rows of messages.

    Args:
        others: As of `Exchanges`.
        has_rate: Likewise.
        **about: Other attributes of a `Summary`.
    """

    def read(run: RunFolder, configuration: Configuration, repetition: Repetition) -> Reading | None:
        found = measure(run, configuration, repetition, others, is_alone=False, has_rate=has_rate)
        return found and Reading(each=found.each)

    return Exchanges(raw="messages", read=read, others=others, has_rate=has_rate, **about)


EXCHANGES = exchanges()


def _with_times(row: Row, found: Sequence[Measured]) -> tuple[Row, Tail]:
    """Fill in the figures of the round-trip times of all repetitions that count."""
    import numpy as np

    found = [one for one in found if one.each.full_load] or found
    times = [one.times for one in found]
    pooled = times[0] if len(times) == 1 else np.sort(np.concatenate(times))
    wanted = tail_probabilities(len(pooled))
    least, slowest, *values = (
        value / 1e3 for value in of_ordered(pooled, [0, 1, *_PERCENTILES.values(), *wanted])
    )
    percentiles = dict(zip(_PERCENTILES, values, strict=False))
    limits, method = _percentile_bounds(found, percentiles)
    papers = papers_interval(pooled)
    figures = {
        metrics.PAPERS_MEAN: Estimate(papers.mean / 1e3, _in_us(papers)) if papers else None,
        metrics.LEAST: Estimate(least),
        **{metric: Estimate(value, limits.get(metric)) for metric, value in percentiles.items()},
        metrics.SLOWEST: Estimate(slowest),
    }
    known = {metric.name: one for metric, one in figures.items() if one is not None}
    changed = msgspec.structs.replace(
        row, round_trips=len(pooled), figures=row.figures | known, percentile_ci_method=method
    )
    return changed, Tail(tuple(wanted), tuple(values[len(_PERCENTILES) :]))


def _percentile_bounds(
    found: Sequence[Measured], known_us: Mapping[metrics.Metric, float]
) -> tuple[dict[metrics.Metric, tuple[float, float]], str]:
    """Return the bounds of the median and of three percentiles, and the method."""
    known = {_PERCENTILES[metric]: value * 1e3 for metric, value in known_us.items()}
    intervals = percentile_intervals([one.times for one in found], known)
    if intervals is not None:
        return {metric: _in_us(one) for metric, one in zip(known_us, intervals, strict=True)}, BOOTSTRAP
    of_median = mean_interval([one.each.values[metrics.TIME.name] for one in found])
    if of_median is None:
        return {}, NO_INTERVAL
    return {metrics.TIME: (of_median.low, of_median.high)}, OVER_REPETITIONS


def _in_us(interval: Interval) -> tuple[float, float]:
    return interval.low / 1e3, interval.high / 1e3


def _read(run: RunFolder, _: Configuration, repetition: Repetition) -> Reading | None:
    """Read the batches of agents of a repetition."""
    data = run.raw(repetition, raw.Creations)
    agents, seconds = int(data.agents.sum()), float(data.seconds.sum())
    if not agents or not seconds:
        return None
    return reading(
        {metrics.CREATION: agents / seconds, metrics.EACH_HOLDS: int(data.bytes.sum()) / agents or None},
        within={metrics.CREATION: ratio_interval(data.agents.tolist(), data.seconds.tolist())},
    )


CREATIONS = Summary(raw="create", read=_read)
