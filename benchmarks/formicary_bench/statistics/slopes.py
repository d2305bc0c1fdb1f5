"""Whether values rise: a slope with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.statistics.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def median_slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> Interval | None:
    """Give the median of the slopes between any two points (Theil and Sen), with its 95% interval.

    Returns:
        The slope, or None where there are fewer than three points, or all of them at one place.
    """
    if len(x) < 3 or x.min() == x.max():  # noqa: PLR2004 - two points have no spread
        return None
    from scipy.stats import theilslopes

    slope, _, low, high = theilslopes(y, x)
    return Interval(float(slope), float(low), float(high))
