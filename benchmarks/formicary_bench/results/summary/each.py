"""The figures of one repetition, the source of rows, verdicts and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from formicary_bench.experiments.registry import declared
from formicary_bench.results.store.raw import MEASURED, RoundTrips
from formicary_bench.results.summary.load import Load, load_of
from formicary_bench.results.summary.warm_up import Cut, measured
from formicary_bench.statistics.intervals import Interval, batch_means, batch_rates
from formicary_bench.statistics.percentiles import of_ordered
from formicary_bench.vocabulary.metrics import MEAN, RATE, TIME
from formicary_bench.vocabulary.parameters.shared import paced_rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

    Others = Callable[[Configuration, Repetition, "Exchanged"], Mapping[Metric, float | None]]


Record = dict[str, float]
"""A line of a table of numbers, by the names of its columns."""


class Each(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one repetition.

    Attributes:
        values: the values by metric.
        full_load: whether it held full load, or need not.
    """

    values: dict[str, float]
    full_load: bool = True


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """The values read of one repetition.

    Attributes:
        each: its figures.
        records: a record for each of its steps, if there are several.
        within: the intervals of figures within it, by metric, for use if it is the only repetition.
    """

    each: Each
    records: Sequence[Record] = ()
    within: Mapping[str, Interval] = {}


def reading(
    values: Mapping[Metric, float | None],
    *,
    records: Sequence[Record] = (),
    within: Mapping[Metric, Interval | None] | None = None,
) -> Reading:
    """Return the reading of a repetition, without values and intervals that are None."""
    intervals = {metric.name: one for metric, one in (within or {}).items() if one is not None}
    return Reading(each=Each(values=named(values)), records=records, within=intervals)


def named(values: Mapping[Metric, float | None]) -> dict[str, float]:
    """Return values by the names of their metrics, without those that are None."""
    return {metric.name: value for metric, value in values.items() if value is not None}


def with_derived(each: Each, configuration: Configuration) -> Each:
    """Return the figures of a repetition with derived ones."""
    known = declared(configuration.experiment)
    if known is None or not known.derived:
        return each
    more = {metric: derive(configuration, each.values) for metric, derive in known.derived.items()}
    return msgspec.structs.replace(each, values=each.values | named(more))


def samples_of(each: Iterable[Each]) -> dict[str, list[float]]:
    """Return the values of each metric over repetitions, in order."""
    found: dict[str, list[float]] = {}
    for one in each:
        for name, value in one.values.items():
            found.setdefault(name, []).append(value)
    return found


def counting(each: Sequence[Each]) -> Sequence[Each]:
    """Return the repetitions that count: those that held full load, or all if none did."""
    return [one for one in each if one.full_load] or each


def comparable(
    each: Iterable[Each], metrics: Mapping[str, Metric], *, is_paced: bool
) -> dict[str, list[float]]:
    """Return the comparable figures of repetitions that held full load."""
    found = samples_of([one for one in each if one.full_load])
    return {
        name: values
        for name, values in found.items()
        if name in metrics and metrics[name].is_compared and not (is_paced and name == RATE.name)
    }


class Exchanged(NamedTuple):
    """The measured phase of a repetition.

    Attributes:
        data: All of its round trips.
        load: Its measured phase as a whole.
        times: The round-trip times that count, in nanoseconds, the shortest first.
    """

    data: RoundTrips
    load: Load
    times: NDArray[np.int64]


class Measured(NamedTuple):
    """The part of a repetition that stays in memory.

    Attributes:
        times: The round-trip times that count, in nanoseconds, the shortest first.
        each: Its figures.
        cut: What was left out as warm-up.
        is_full: Whether it held full load, judged by its round trips.
        within: The intervals of the mean time and the rate within it, if it is the only one; of the rate,
            only with a single clock.
    """

    times: NDArray[np.int64]
    each: Each
    cut: Cut
    is_full: bool
    within: dict[str, Interval]


def measure(
    run: RunFolder,
    configuration: Configuration,
    repetition: Repetition,
    others: Others,
    *,
    is_alone: bool,
    has_rate: bool = True,
) -> Measured | None:
    """Measure a repetition by its raw values; None if nothing was measured.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    data, cut = measured(run, configuration, repetition)
    load = load_of(data, repetition.members)
    if load is None:
        return None
    intervals = {MEAN.name: _time_within(data)} if is_alone else {}
    if is_alone and has_rate and not repetition.members:  # several clocks have no window in common
        intervals[RATE.name] = _rate_within(data, load)
    times = data.rtt_ns[data.phase == MEASURED]
    times.sort()
    more = named(others(configuration, repetition, Exchanged(data, load, times)))
    del data  # with ten million round trips it is a quarter of a gigabyte
    values = named(
        {
            MEAN: float(times.mean()) / 1e3,
            TIME: of_ordered(times, [0.5])[0] / 1e3,
            RATE: load.rate if has_rate else None,
        }
    )
    # An open loop's load does not depend on who is ready first.
    is_even = not has_rate or bool(paced_rate(configuration))
    is_full = is_even or (load.full and repetition.full_load)
    within = {name: one for name, one in intervals.items() if one is not None}
    each = with_derived(Each(values=values | more, full_load=is_full), configuration)
    return Measured(times, each, cut, load.full, within)


def _time_within(data: RoundTrips) -> Interval | None:
    """Return the interval of the round-trip time, in microseconds, from one repetition."""
    ends = [(int(end.min()), int(end.max())) for end, _ in _counted(data)]
    time = batch_means(_counted(data), min(low for low, _ in ends), max(high for _, high in ends))
    return time and Interval(time.mean / 1e3, time.low / 1e3, time.high / 1e3)


def _counted(data: RoundTrips) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the ends and durations of the measured round trips, part by part."""
    for part in data.parts():
        counts = part.phase == MEASURED
        if counts.any():
            yield (part.start_ns + part.rtt_ns)[counts], part.rtt_ns[counts]


def _rate_within(data: RoundTrips, load: Load) -> Interval | None:
    """Return the interval of the rate from one repetition; None if it has no window to count in."""
    if not load.has_window:
        return None
    ends = (part.start_ns + part.rtt_ns for part in data.parts())
    inside = (end[(end > load.begin_ns) & (end <= load.end_ns)] for end in ends)
    return batch_rates(inside, load.begin_ns, load.end_ns)
