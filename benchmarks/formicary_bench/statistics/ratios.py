"""Ratios of two figures with their intervals, and changes in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.statistics.intervals import Interval, widening

if TYPE_CHECKING:
    from collections.abc import Sequence


def ratio(value: Interval, base: Interval) -> Interval | None:
    """Divide one figure by another, measured independently of it.

    The squares of relative errors add up (first-order delta method), which is accurate while both intervals
    are narrow relative to their means, as those of figures worth comparing are. With few values, the interval
    is somewhat wider than necessary.

    Returns:
        The ratio with its 95% interval, or None where the base is not positive.
    """
    if base.mean <= 0:
        return None
    mean = value.mean / base.mean
    relative = math.hypot(
        value.half_width / value.mean if value.mean else 0.0,
        base.half_width / base.mean,
    )
    return Interval(mean, mean * (1 - relative), mean * (1 + relative))


def less(value: Interval, base: Interval) -> Interval:
    """Subtract one figure from another, measured independently of it.

    The bounds are those of MOVER (Zou and Donner 2008), which needs no more than the bounds of both figures.
    """
    mean = value.mean - base.mean
    low = mean - math.hypot(value.mean - value.low, base.high - base.mean)
    return Interval(mean, low, mean + math.hypot(value.high - value.mean, base.mean - base.low))


def ratio_of_values(values: Sequence[float], base: Sequence[float]) -> Interval | None:
    """Divide the figures of one set of repetitions by those of another: Welch's interval on the logarithms.

    Disturbances of times and rates are proportional, so their logarithms are closer to a normal distribution,
    and the interval never reaches zero. It is that of the ratio of geometric means, which for figures that
    scatter by a few percent equals that of the means. It is widened if the figures of either side are
    correlated.

    Returns:
        The ratio with its 95% interval; None where either side has fewer than two figures, or one that is not
        above zero.
    """
    from formicary_bench.statistics.tests import difference

    if min(len(values), len(base)) < 2 or min(*values, *base) <= 0:  # noqa: PLR2004 - one value has no spread
        return None
    logs = [math.log(value) for value in values], [math.log(value) for value in base]
    found = difference(*logs)
    half = found.half_width * widening(*logs)
    return Interval(math.exp(found.mean), math.exp(found.mean - half), math.exp(found.mean + half))


def speed(ratio: Interval, *, is_rate: bool) -> Interval:
    """Return the ratio of two rates, or of two times, as one of speeds: above 1 where the first is faster."""
    return ratio if is_rate else Interval(1 / ratio.mean, 1 / ratio.high, 1 / ratio.low)


def product_of_values(powers: Sequence[tuple[int, Sequence[float]]], family: int = 1) -> Interval | None:
    """Multiply and divide the figures of several sets of repetitions: a ratio, or one of two ratios.

    As `ratio_of_values`, for any number of them.

    Args:
        powers: For each set, 1 to multiply by it or -1 to divide by it, and its figures.
        family: The number of such intervals judged together, for simultaneous 95% coverage (Bonferroni).

    Returns:
        The result with its interval; None if a set has fewer than two figures, or one that is not above zero.
    """
    from scipy.special import stdtrit

    from formicary_bench.statistics.tests import variance

    if any(len(values) < 2 or min(values) <= 0 for _, values in powers):  # noqa: PLR2004 - no spread
        return None
    logs = [(power, [math.log(value) for value in values]) for power, values in powers]
    mean = math.fsum(power * math.fsum(values) / len(values) for power, values in logs)
    parts = [(power**2 * variance(values) / len(values), len(values) - 1) for power, values in logs]
    total = math.fsum(part for part, _ in parts)
    half = 0.0
    if total > 0:
        freedom = total**2 / math.fsum(part**2 / degrees for part, degrees in parts)
        half = math.sqrt(total) * float(stdtrit(freedom, 1 - 0.025 / family))
        half *= widening(*(values for _, values in logs))
    return Interval(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


_TWICE = 2
_DIGITS = 3


def change(what: str, ratio: Interval) -> str:
    """Return the change of something, in percent or as a factor, with its interval."""
    if not is_manifold(ratio.mean):
        bounds = f"{percent(ratio.low)} to {percent(ratio.high)}"
        return f"the {what} changed by {percent(ratio.mean)} (95% interval {bounds})"
    mean, low, high = (_factor(one) for one in (ratio.mean, ratio.low, ratio.high))
    other = "times the other" if ratio.mean >= 1 else "of the other"
    return f"the {what} is {mean} {other} (95% interval {low} to {high})"


def between(what: str, ratio: Interval) -> str:
    """Return the interval of a change that is uncertain, without a figure of its own."""
    if not is_manifold(ratio.low) and not is_manifold(ratio.high):
        return f"the {what} changed by {percent(ratio.low)} to {percent(ratio.high)} (95% interval)"
    low, high = (_factor(one) for one in (ratio.low, ratio.high))
    return f"the {what} is {low} to {high} times the other (95% interval)"


def percent(ratio: float) -> str:
    """Return a ratio as a change, such as -12.0%."""
    return f"{(ratio - 1) * 100:+.1f}%"


def is_manifold(ratio: float) -> bool:
    """Whether a change is too large for percent: to a half, or to twice."""
    return not 1 / _TWICE < ratio < _TWICE


def _factor(ratio: float) -> str:
    """Write a factor with a few digits, but all of its integer part."""
    if ratio <= 0 or not math.isfinite(ratio):
        return f"{ratio:g}"
    places = max(_DIGITS - 1 - math.floor(math.log10(ratio)), 0)
    return f"{ratio:.{places}f}"
