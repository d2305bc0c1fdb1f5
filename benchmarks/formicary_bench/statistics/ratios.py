"""How many times as much: the ratio of two figures, with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence


def ratio(value: Interval, base: Interval) -> Interval | None:
    """Divide one figure by another, measured independently of it.

    The relative errors add as squares (the first order of the delta method): good while both intervals are
    narrow beside their means, which a figure that is worth comparing has. With few values behind either, the
    interval is somewhat wider than it need be.

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


def ratio_of_values(values: Sequence[float], base: Sequence[float]) -> Interval | None:
    """Divide the figures of one set of repetitions by those of another: Welch's interval on the logarithms.

    What disturbs times and rates does so in proportion, so their logarithms are nearer to a normal
    distribution than they are themselves, and the interval never reaches zero. It is that of the ratio of the
    geometric means, which for figures that scatter by a few percent is that of the means.

    Args:
        values: One figure of each repetition, independent of each other.
        base: The same of what they are divided by.

    Returns:
        The ratio with its 95% interval; None where either side has fewer than two figures, or one that is not
        above zero.
    """
    from formicary_bench.statistics.tests import difference

    if min(len(values), len(base)) < 2 or min(*values, *base) <= 0:  # noqa: PLR2004 - one value has no spread
        return None
    found = difference([math.log(value) for value in values], [math.log(value) for value in base])
    return Interval(math.exp(found.mean), math.exp(found.low), math.exp(found.high))
