"""Whether two figures differ: Student's t-test, as Welch has it for unequal variances."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.statistics.intervals import Interval, student_t

if TYPE_CHECKING:
    from collections.abc import Sequence


def difference(values: Sequence[float], base: Sequence[float]) -> Interval:
    """Give the difference of two means of independent values, with Welch's 95% interval.

    The interval has no width where neither can have one: with one value on either side.
    """
    means = [math.fsum(each) / len(each) for each in (values, base)]
    mean = means[0] - means[1]
    known = _welch(values, base)
    half = student_t(known[1]) * known[0] if known else 0.0
    return Interval(mean, mean - half, mean + half)


def welch_p(values: Sequence[float], base: Sequence[float]) -> float | None:
    """Give the probability of such a difference, or a larger one, where there is none in truth.

    Returns:
        The two-sided p of Welch's t-test; None where either side has fewer than two values, or all values
        of both are equal.
    """
    from scipy.special import stdtr

    known = _welch(values, base)
    if known is None or not known[0]:
        return None
    t = abs(difference(values, base).mean) / known[0]
    return float(2 * stdtr(known[1], -t))


def _welch(values: Sequence[float], base: Sequence[float]) -> tuple[float, float] | None:
    """Give the standard error of a difference of means, and its degrees of freedom."""
    if min(len(values), len(base)) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    parts = [_variance(each) / len(each) for each in (values, base)]
    total = sum(parts)
    if not total:
        return 0.0, 1.0
    freedom = sum(part**2 / (len(each) - 1) for part, each in zip(parts, (values, base), strict=True))
    return math.sqrt(total), total**2 / freedom


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
