"""Percentiles, and the curve of them that shows the tail.

Whole repetitions are resampled, as round trips within one are correlated. The intervals are Efron's BCa ones,
widened by the ratio of Student's t to the normal distribution: those of few repetitions would otherwise be
too narrow (Hesterberg, What Teachers Should Know about the Bootstrap, 2015).
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary_bench.statistics.intervals import Interval, student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray


_STEPS_PER_DECADE = 16
_DECADES = 7
_ROUNDING = 1e-9


def tail_probabilities(count: int) -> list[float]:
    """Return the probabilities at which a plot of the tail takes its points: evenly spaced in log(1 - p).

    The median is among them, and every 90%, 99%, 99.9%.

    Args:
        count: The number of values; beyond 1 - 1/count nothing is known, so there is no point.
    """
    steps = range(_STEPS_PER_DECADE * _DECADES + 1)
    everything = sorted({0.5, *(1 - 10 ** (-step / _STEPS_PER_DECADE) for step in steps)})
    return [p for p in everything if count * (1 - p) >= 1 - _ROUNDING]


def percentiles(values: NDArray[np.int64], probabilities: Sequence[float]) -> list[float]:
    """Return the values below which the given parts (0 to 1) of all values lie, linearly interpolated.

    Args:
        values: At least one value, in any order.
        probabilities: The parts of values below, 0 to 1, in any order.
    """
    import numpy as np

    return of_ordered(np.sort(values), probabilities)


def of_ordered(values: NDArray[np.int64], probabilities: Sequence[float]) -> list[float]:
    """Return the same of values in ascending order, without a copy of them."""
    import numpy as np

    places = np.asarray(probabilities) * (len(values) - 1)
    below = np.floor(places).astype(np.int64)
    low, high = values[below], values[np.minimum(below + 1, len(values) - 1)]
    return [float(value) for value in low + (high - low) * (places - below)]


FEWEST = 5
"""Repetitions below which there is no interval, as there are too few ways to resample them."""

_RESAMPLES = 2000
_AT_ONCE = 100  # resamples that are in memory together
_SEED = 20_10
_STEP = 0.001  # relative width of the bins into which values go


def percentile_intervals(
    repetitions: Sequence[NDArray[np.int64]], known: Mapping[float, float], seed: int = _SEED
) -> list[Interval] | None:
    """Return percentiles of the values of all repetitions together, with their 95% intervals.

    Args:
        repetitions: The values of each. The intervals' bounds are exact to 0.1%.
        known: The percentiles themselves, by the part of all values below (0 to 1).
        seed: The seed of the resampling; equal seeds give equal intervals.

    Returns:
        The percentiles as the intervals' `mean`; None with fewer than five repetitions.
    """
    import numpy as np

    many = len(repetitions)
    if many < FEWEST:
        return None
    counts, middles = _binned(repetitions)
    below = np.cumsum(counts, axis=1).T.copy()

    def drawn_percentile(probability: float, drawn: NDArray[np.int64], axis: int = -1) -> Any:
        del axis  # the last one, as scipy is told
        flat = drawn.reshape(-1, drawn.shape[-1])
        rows = np.repeat(np.arange(len(flat)), flat.shape[1])
        times = np.bincount(rows * many + flat.ravel().astype(int), minlength=len(flat) * many)
        return middles[_places(times.reshape(-1, many), below, probability)].reshape(drawn.shape[:-1])

    intervals = []
    for probability, exact in known.items():
        found = interval(np.arange(many), partial(drawn_percentile, probability), seed, widened(many))
        assert found is not None
        intervals.append(Interval(exact, min(found.low, exact), max(found.high, exact)))
    return intervals


def widened(n: int) -> float:
    """Return the nominal level at which the bootstrap of `n` values comes to 95%."""
    from scipy.special import ndtr

    return 0.95 if n < FEWEST else float(1 - 2 * ndtr(-math.sqrt(n / (n - 1)) * student_t(n - 1)))


def interval(values: NDArray[Any], statistic: Callable[..., Any], seed: int, level: float) -> Interval | None:
    """Return a statistic with its interval.

    Args:
        values: The values to resample.
        statistic: Takes an array and an `axis`, as numpy's functions do.
        seed: The seed of the resampling.
        level: The level of the interval, such as 0.95.

    Returns:
        The statistic as the interval's `mean`; None with fewer than five values.
    """
    if len(values) < FEWEST:
        return None
    point = float(statistic(values, axis=-1))
    if (values == values[0]).all():
        return Interval(point, point, point)
    # BCa knows no answer where leaving out any single value changes nothing; the plain percentiles do.
    low, high = map(float, bounds(values, statistic, seed, level))
    if not math.isfinite(low + high):
        low, high = map(float, bounds(values, statistic, seed, level, method="percentile"))
    return Interval(point, low, high)


def bounds(
    values: NDArray[Any], statistic: Callable[..., Any], seed: int, level: float, *, method: str = "BCa"
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the bounds of `interval`, for each row where there are several; not finite where unknown."""
    import warnings

    import numpy as np
    from scipy.stats import DegenerateDataWarning, bootstrap

    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", DegenerateDataWarning)
        found = bootstrap(
            (values,),
            statistic,
            n_resamples=_RESAMPLES,
            batch=_AT_ONCE,
            vectorized=True,
            axis=-1,
            confidence_level=level,
            method=method,
            rng=np.random.default_rng(seed),
        ).confidence_interval
    return found.low, found.high


def _places(times: NDArray[np.int64], below: NDArray[np.int64], probability: float) -> NDArray[np.int64]:
    """Find in which bin a percentile lies, for each row of how many times the repetitions were drawn.

    Args:
        times: How often each repetition was drawn: a row per draw, a column per repetition.
        below: The values up to the end of each bin (rows), by repetition (columns).
        probability: The part of all values below.
    """
    import numpy as np

    wanted = probability * (times @ below[-1])
    low = np.zeros(len(times), dtype=np.int64)
    high = np.full(len(times), len(below) - 1)
    while (low < high).any():
        middle = (low + high) // 2
        is_enough = (times * below[middle]).sum(axis=1) >= wanted
        high = np.where(is_enough, middle, high)
        low = np.where(is_enough, low, middle + 1)
    return low


def _binned(repetitions: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the values of each repetition in bins of equal relative width, and give the bins' middles."""
    import numpy as np

    places = [np.floor(np.log(np.maximum(values, 1)) / _STEP).astype(int) for values in repetitions]
    first = min(int(each.min()) for each in places)
    size = max(int(each.max()) for each in places) - first + 1
    counts = np.stack([np.bincount(each - first, minlength=size) for each in places])
    used = counts.any(axis=0)
    middles = np.exp((np.arange(size) + first + 0.5) * _STEP)
    return counts[:, used], middles[used]
