"""Means and slopes with their 95% intervals.

Three ways, and a report names the one that was used. Over repetitions: each repetition is a fresh set of
processes, so their means are independent, and Student's t applies. Within one run: successive round trips
are correlated, and a plain standard error would be far too small; so the run is cut into batches that are
long enough to be nearly independent (the method of batch means). And the papers' way, to be shown beside
these: over all round trips, as if they were independent.

A disturbance longer than a repetition affects neighbouring repetitions alike. Student's intervals assume
independence: with a correlation of one half between neighbours, they contain the truth in 75 of 100 cases.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray


BATCHES = 20
"""The batches that a single run is cut into: few enough to be long, enough for a usable t quantile."""

_TWO_SIDED_95 = 0.975


class Interval(msgspec.Struct, frozen=True):
    """A mean and the bounds of its 95% interval, in the unit of the values."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def student_t(degrees: float) -> float:
    """Return the two-sided 95% quantile of Student's t.

    Args:
        degrees: Degrees of freedom, at least 1.
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, _TWO_SIDED_95))


def mean_interval(values: Sequence[float]) -> Interval | None:
    """Return the mean of independent values with Student's 95% interval; None with fewer than two values."""
    n = len(values)
    if n < 2:  # noqa: PLR2004 - one value has no spread
        return None
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    return _around(mean, math.sqrt(variance / n), n)


def ratio_interval(sums: Sequence[float], counts: Sequence[float]) -> Interval | None:
    """Return sum over count of batches with a 95% interval.

    Batches need not be equally large: the interval is that of the ratio estimator, which for equal counts is
    that of batch means.

    Args:
        sums: The sum of the values of each batch.
        counts: The size of each batch (round trips, seconds, agents). Empty batches are left out.

    Returns:
        The mean over all batches with its interval, or None with fewer than two non-empty batches.
    """
    batches = [(s, n) for s, n in zip(sums, counts, strict=True) if n > 0]
    k = len(batches)
    if k < 2:  # noqa: PLR2004 - one batch has no spread
        return None
    total = math.fsum(n for _, n in batches)
    mean = math.fsum(s for s, _ in batches) / total
    residual = math.fsum((s - mean * n) ** 2 for s, n in batches)
    return _around(mean, math.sqrt(residual * k / (k - 1)) / total, k)


def batch_means(
    parts: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]], begin: int, end: int
) -> Interval | None:
    """Return the mean of correlated values of one run, by means of batches of equal duration.

    Args:
        parts: The times of values, in any unit and order, with the values, in any number of parts.
        begin: The time of the first value.
        end: That of the last one.
    """
    import numpy as np

    sums, counts = np.zeros(BATCHES), np.zeros(BATCHES)
    for times, values in parts:
        batch = batch_of(times, begin, end)
        sums += np.bincount(batch, weights=values, minlength=BATCHES)
        counts += np.bincount(batch, minlength=BATCHES)
    return ratio_interval(sums.tolist(), counts.tolist())


def batch_rates(parts: Iterable[NDArray[np.int64]], begin: int, end: int) -> Interval | None:
    """Return the rate of events with its interval, by the counts of batches of equal duration.

    Args:
        parts: The times of events in nanoseconds, all within the window, in any number of parts.
        begin: The start of the window, in nanoseconds.
        end: Its end.

    Returns:
        Events per second, or None for a window without duration or with too few events.
    """
    import numpy as np

    if end <= begin:
        return None
    counts = np.zeros(BATCHES)
    for times in parts:
        counts += np.bincount(batch_of(times, begin, end), minlength=BATCHES)
    if counts.sum() < BATCHES:
        return None
    seconds = (end - begin) / 1e9 / BATCHES
    return ratio_interval(counts.tolist(), [seconds] * BATCHES)


def papers_interval(values: NDArray[np.int64]) -> Interval | None:
    """Return the mean of all round trips with its 95% interval, as the papers do.

    It takes them for independent, which they are not: the interval is too narrow, often by several times, and
    says nothing of how much another repetition would differ. It is for comparison with the papers'.

    Returns:
        The interval, or None with fewer than two values.
    """
    if len(values) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    return _around(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values)), len(values))


def batch_of(times: NDArray[np.int64], begin: int, end: int) -> NDArray[np.int64]:
    """Return the number of the batch, 0 to BATCHES - 1, that each time of a window falls into."""
    import numpy as np

    span = max(end - begin, 1)
    # In floating point: nanoseconds times BATCHES would leave 64 bits after 15 years, and this is faster.
    batch = ((times - begin) * (BATCHES / span)).astype(np.int64)
    return np.clip(batch, 0, BATCHES - 1)


def _around(mean: float, error: float, n: int) -> Interval:
    half = student_t(n - 1) * error
    return Interval(mean, mean - half, mean + half)


def median_slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> Interval | None:
    """Return the median of the slopes between any two points (Theil and Sen), with its 95% interval.

    Returns:
        The slope, or None where there are fewer than three points, or all of them at one place.
    """
    if len(x) < 3 or x.min() == x.max():  # noqa: PLR2004 - two points have no spread
        return None
    from scipy.stats import theilslopes

    slope, _, low, high = theilslopes(y, x)
    return Interval(float(slope), float(low), float(high))


FEWEST = 10
"""The fewest values that are tested for dependence; fewer would rarely show it."""

_BELIEVED = 1.645  # standard errors: 5%, one-sided; to be wrong only makes an interval wider than need be
_MOST = 0.9  # few values do not tell a correlation near 1, at which an interval would have no end


class Dependence(msgspec.Struct, frozen=True):
    """The observed dependence of values on each other.

    Attributes:
        correlation: That of neighbouring values, corrected for their small number.
        widening: The factor by which the interval of their mean must be widened.
    """

    correlation: float
    widening: float


def dependence(values: Sequence[float]) -> Dependence | None:
    """Return the dependence of neighbouring values; None if it may be chance, or with fewer than ten values.

    By the rank version of von Neumann's ratio (Bartels 1982): the sum of the squared steps from each rank to
    the next, over that of their squared distances from the mean, which is about 2 where nothing depends.
    """
    n = len(values)
    if n < FEWEST or min(values) == max(values):
        return None
    ranks = _ranks(values)
    steps = sum((after - before) ** 2 for before, after in pairwise(ranks))
    variance = 4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
    if (2 - steps / _squares(ranks)) / math.sqrt(variance) <= _BELIEVED:
        return None
    found = _correlation(values)
    corrected = min(max(found + (1 + 3 * found) / n, 0.0), _MOST)  # Kendall 1954: that of few is too small
    return Dependence(corrected, math.sqrt((1 + corrected) / (1 - corrected)))


def widening(*samples: Sequence[float]) -> float:
    """Return the factor by which an interval of samples must be widened: that of the most dependent one."""
    return max((found.widening for one in samples if (found := dependence(one))), default=1.0)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value; equal ones share the mean of their ranks."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def _correlation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    apart = [value - mean for value in values]
    return sum(one * other for one, other in pairwise(apart)) / _squares(values)


def _squares(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)
