"""How large a difference is beside the scatter: Hedges' g."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from formicary_bench.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAILS = (0.975, 0.025)


def hedges_g(values: Sequence[float], base: Sequence[float]) -> Interval | None:
    """Give the difference of two means in standard deviations, with its 95% interval.

    It is Cohen's d with the pooled standard deviation, freed of its bias for few values; the interval is the
    exact one for normal values of equal variance, by the noncentral t distribution.

    Args:
        values: Independent figures.
        base: Those that they are held against.

    Returns:
        Positive where `values` are larger; None where either side has fewer than two, or none scatter.
    """
    from scipy.special import gammaln, nctdtrinc

    n, m = len(values), len(base)
    if min(n, m) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    means = [math.fsum(each) / len(each) for each in (values, base)]
    squares = math.fsum(
        (value - mean) ** 2 for each, mean in zip((values, base), means, strict=True) for value in each
    )
    freedom = n + m - 2
    if not squares:
        return None
    unbiased = math.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / math.sqrt(freedom / 2)
    d = (means[0] - means[1]) / math.sqrt(squares / freedom)
    root = math.sqrt(n * m / (n + m))  # d times this is Student's t
    low, high = (float(nctdtrinc(freedom, tail, d * root)) / root for tail in _TAILS)
    return Interval(d * unbiased, low * unbiased, high * unbiased)
