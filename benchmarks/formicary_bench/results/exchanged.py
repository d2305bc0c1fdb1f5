"""What matters of one repetition in which messages were exchanged, or the directory used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.results.load import Load, load_of
from formicary_bench.results.model import DIRECTORY
from formicary_bench.results.raw import MEASURED, RoundTrips
from formicary_bench.results.verdicts import Each
from formicary_bench.results.warm_up import Cut, measured
from formicary_bench.statistics.intervals import Interval, batch_means, batch_rates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from formicary_bench.results.folder import RunFolder
    from formicary_bench.results.model import Configuration, Repetition


class Measured(NamedTuple):
    """What stays in memory of a repetition.

    Attributes:
        load: Its measured phase as a whole.
        times: The round-trip times that count, in nanoseconds.
        mean_us: Their mean in microseconds.
        median_us: Their median.
        each: Its figures.
        cut: What was left out as warm-up.
        time: The interval of the time within it, in microseconds, where it is alone.
        rate: The interval of the rate within it, where it is alone and has one clock.
    """

    load: Load
    times: NDArray[np.int64]
    mean_us: float
    median_us: float
    each: Each
    cut: Cut
    time: Interval | None = None
    rate: Interval | None = None


def measure(
    run: RunFolder, configuration: Configuration, repetition: Repetition, *, is_alone: bool
) -> Measured | None:
    """Read a repetition, and give what matters of it; None where nothing was measured.

    Args:
        run: Its run.
        configuration: Its configuration.
        repetition: The repetition.
        is_alone: Whether there is no other, so that intervals have to be made within this one.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    import numpy as np

    data, cut = measured(run, configuration, repetition)
    load = load_of(data, repetition.members)
    if load is None:
        return None
    times = data.rtt_ns[data.phase == MEASURED]
    mean, median = float(times.mean()) / 1e3, float(np.median(times)) / 1e3
    of_directory = configuration.family == DIRECTORY
    each = Each(
        mean_us=mean,
        median_us=median,
        per_s=None if of_directory else rate_of(load),
        full_load=of_directory or (load.full and repetition.full_load),
    )
    known = Measured(load, times, mean, median, each, cut)
    if not is_alone:
        return known
    time, rate = _within_one(data, load)
    # Several clocks have no window in common.
    return known._replace(time=time, rate=None if repetition.members else rate)


def rate_of(load: Load) -> float | None:
    """Give all pairs' round trips per second, over all of T2 where they were never in it together."""
    if load.window_s and load.round_trips_in_window:
        return load.round_trips_in_window / load.window_s
    return load.round_trips / load.elapsed_s if load.elapsed_s else None


def _within_one(data: RoundTrips, load: Load) -> tuple[Interval | None, Interval | None]:
    """Give the intervals of the round-trip time (in microseconds) and of the rate from one repetition."""
    counts = data.phase == MEASURED
    ends = data.start_ns + data.rtt_ns
    inside = ends[(ends > load.begin_ns) & (ends <= load.end_ns)]
    time = batch_means(ends[counts], data.rtt_ns[counts])
    return (
        time and Interval(time.mean / 1e3, time.low / 1e3, time.high / 1e3),
        batch_rates(inside, load.begin_ns, load.end_ns),
    )
