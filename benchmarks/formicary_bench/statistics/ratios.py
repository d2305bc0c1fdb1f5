"""How many times as much: the ratio of two figures, with its interval."""

from __future__ import annotations

import math

from formicary_bench.statistics.intervals import Interval


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
