"""What the figures of `memory` are: what a state holds, and whether it grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import GREW, HOLDS, TRACED
from formicary_bench.results.summary.estimates import MemoryEstimates
from formicary_bench.statistics.estimates import Estimate, mean_estimate
from formicary_bench.statistics.intervals import Interval, mean_interval
from formicary_bench.statistics.slopes import median_slope
from formicary_bench.statistics.tests import difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.store.raw import Holdings
    from formicary_bench.results.summary.row import Row

SETTLING = 0.2
"""Part of the time in which buffers and arenas find their size: it counts for no slope."""

_POINTS = 60  # of a picture
_SEGMENTS = 10  # of the rest: few enough to be long, enough for a usable t quantile


def memory_estimates(repetitions: Sequence[Holdings]) -> MemoryEstimates | None:
    """Compute the figures of a configuration of `memory`; None where nothing was measured."""
    repetitions = [data for data in repetitions if len(data.seconds)]
    if not repetitions:
        return None
    uss = tuple(float(data.uss_bytes[-1]) for data in repetitions)
    if len(repetitions[0].seconds) == 1:
        traced = tuple(float(data.traced_bytes[-1]) for data in repetitions)
        return MemoryEstimates(
            uss=mean_estimate(uss), traced=mean_estimate(traced), uss_values=uss, traced_values=traced
        )
    per_s, per_message = zip(*(_growth(data) for data in repetitions), strict=True)
    return MemoryEstimates(
        uss=mean_estimate(uss),
        uss_values=uss,
        growth_per_s=_over(per_s),
        growth_values=tuple(slope.mean for slope in per_s if slope is not None),
        growth_per_message=_over(per_message),
        messages=sum(int(data.messages[-1]) for data in repetitions),
        over_time=tuple(_over_time(data) for data in repetitions),
    )


def judged(memory: MemoryEstimates, seconds: float) -> dict[str, Sequence[float]]:
    """Return what a row of `memory` is judged by, as values of the repetitions.

    Growth may be of either sign and next to nothing, so it is judged by what it makes of what is held.

    Args:
        memory: The figures of the row.
        seconds: How long the load lasted; 0 where there was none.
    """
    grew = [1 + slope * seconds / memory.uss.mean for slope in memory.growth_values if memory.uss.mean]
    return {HOLDS: memory.uss_values, TRACED: memory.traced_values, GREW: grew}


def each(row: Row, rows: Iterable[Row], *, traced: bool = False) -> Interval | None:
    """Return what each agent of a row holds: what it holds more than an open container, by the agents.

    Args:
        row: The row.
        rows: All rows of the run, with that of the container.
        traced: As Python traces its objects, and not as the operating system gives them.

    Returns:
        Bytes, with a 95% interval where both were measured more than once (without width elsewhere); None
        where there are no agents, or nothing that they are held against.
    """
    base = next((other for other in rows if other.memory and other.kind == "container"), None)
    if not row.agents or row.memory is None or base is None or base.memory is None:
        return None
    ours, theirs = (_values(one, traced=traced) for one in (row.memory, base.memory))
    if not ours or not theirs:
        return None
    more = difference(ours, theirs)
    return Interval(more.mean / row.agents, more.low / row.agents, more.high / row.agents)


def _values(memory: MemoryEstimates, *, traced: bool) -> tuple[float, ...]:
    return memory.traced_values if traced else memory.uss_values


def _over(slopes: Sequence[Interval | None]) -> Estimate | None:
    """Return the mean of the repetitions' slopes: over them, or, if there is one, with its own interval."""
    known = [slope for slope in slopes if slope is not None]
    if not known:
        return None
    interval = mean_interval([slope.mean for slope in known]) or known[0]
    return Estimate(interval.mean, (interval.low, interval.high))


def _over_time(data: Holdings) -> tuple[tuple[float, float], ...]:
    import numpy as np

    parts = np.array_split(np.arange(len(data.seconds)), min(_POINTS, len(data.seconds)))
    return tuple(
        (float(np.median(data.seconds[part])), float(np.median(data.uss_bytes[part]))) for part in parts
    )


def _growth(data: Holdings) -> tuple[Interval | None, Interval | None]:
    """Return by how much a process grows in a second, and with a message.

    The time after it has settled is cut into segments, as single looks depend on each other. The slope is the
    median of those between any two of the segments' medians (Theil and Sen): memory comes and goes in large
    pieces, and one such piece must not count as growth.
    """
    import numpy as np

    settled = data.seconds >= data.seconds[-1] * SETTLING
    parts = np.array_split(np.flatnonzero(settled), _SEGMENTS)
    if any(len(part) == 0 for part in parts):
        return None, None
    held, seconds, messages = (
        np.array([float(np.median(column[part])) for part in parts])
        for column in (data.uss_bytes, data.seconds, data.messages)
    )
    return median_slope(seconds, held), median_slope(messages, held)
