"""Intervals of medians and percentiles, by drawing repetitions again and again (the bootstrap).

What is drawn are whole repetitions: round trips within one are correlated. The intervals are Efron's BCa
ones, made wider by as much as Student's t is wider than the normal distribution: those of few repetitions
would be too narrow otherwise (Hesterberg, What Teachers Should Know about the Bootstrap, 2015).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from formicary_bench.statistics.intervals import Interval, student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

FEWEST = 5
"""Repetitions below which there is no interval: there are too few ways to draw them."""

_RESAMPLES = 2000
_AT_ONCE = 100  # resamples that are in memory together
_SEED = 20_10
_STEP = 0.001  # relative width of the bins into which values go


def median_interval(values: Sequence[float], seed: int = _SEED) -> Interval | None:
    """Give the median of one figure of each repetition, with its 95% interval.

    Args:
        values: Independent figures.
        seed: Of the draws; the same one gives the same interval.

    Returns:
        The median as the interval's `mean`; None with fewer than five values.
    """
    import numpy as np

    return interval(np.asarray(values, dtype=float), np.median, seed, widened(len(values)))


def percentile_interval(
    repetitions: Sequence[NDArray[np.int64]], probability: float, seed: int = _SEED
) -> Interval | None:
    """Give a percentile of the values of all repetitions together, with its 95% interval.

    Args:
        repetitions: The values of each, all above zero. The interval's bounds are exact to 0.1%.
        probability: What part of all values is to lie below, 0 to 1.
        seed: Of the draws; the same one gives the same interval.

    Returns:
        The percentile as the interval's `mean`; None with fewer than five repetitions.
    """
    import numpy as np

    if len(repetitions) < FEWEST:
        return None
    counts, upper = _binned(repetitions)

    def of_drawn(drawn: NDArray[np.int64], axis: int = -1) -> Any:
        del axis  # the last one, as scipy is told
        many = len(repetitions)
        flat = drawn.reshape(-1, drawn.shape[-1])
        rows = np.repeat(np.arange(len(flat)), flat.shape[1])
        times = np.bincount(rows * many + flat.ravel().astype(int), minlength=len(flat) * many)
        below = np.cumsum(times.reshape(-1, many) @ counts, axis=1)
        place = (below < probability * below[:, -1:]).sum(axis=1)
        return upper[np.minimum(place, len(upper) - 1)].reshape(drawn.shape[:-1])

    found = interval(np.arange(len(repetitions)), of_drawn, seed, widened(len(repetitions)))
    exact = float(np.quantile(np.concatenate(repetitions), probability))
    return found and Interval(exact, min(found.low, exact), max(found.high, exact))


def widened(n: int) -> float:
    """Give the level to ask the bootstrap of `n` values for, so that it comes to 95%."""
    from scipy.special import ndtr

    return 0.95 if n < FEWEST else float(1 - 2 * ndtr(-math.sqrt(n / (n - 1)) * student_t(n - 1)))


def interval(values: NDArray[Any], statistic: Callable[..., Any], seed: int, level: float) -> Interval | None:
    """Give a statistic with its interval.

    Args:
        values: What is drawn from.
        statistic: Takes an array and an `axis`, as numpy's functions do.
        seed: Of the draws.
        level: Of the interval, such as 0.95.

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
    """Give the bounds of `interval`, for each row where there are several; not finite where unknown."""
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


def _binned(repetitions: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the values of each repetition in bins of equal relative width, and give the bins' middles."""
    import numpy as np

    places = [np.floor(np.log(values) / _STEP).astype(int) for values in repetitions]
    first = min(int(each.min()) for each in places)
    size = max(int(each.max()) for each in places) - first + 1
    counts = np.stack([np.bincount(each - first, minlength=size) for each in places])
    used = counts.any(axis=0)
    middles = np.exp((np.arange(size) + first + 0.5) * _STEP)
    return counts[:, used], middles[used]
