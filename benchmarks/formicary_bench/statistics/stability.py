"""How reliable a figure is, and the next step if it is not."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.intervals import Dependence, Interval, dependence, mean_interval, student_t

if TYPE_CHECKING:
    from collections.abc import Sequence

WANTED = 0.01
"""The relative half width of the interval at which a figure counts as known."""

FEWEST = 3
"""Repetitions below which there is nothing to say."""

FEWEST_STABLE = 5
"""Repetitions below which nothing is called stable: fewer may agree by chance."""

_FEWEST_FOR_DRIFT = 6  # chance puts five values in order too often
_BELIEVED = 0.01  # each figure of a report is tested: at 0.05, some would always drift
_MOST = 1_000_000
_MOST_ADVISED = 100  # with more scatter, repetitions are not the remedy


class Stability(StrEnum):
    """The reliability of a figure, in a word."""

    STABLE = "stable"
    WIDE = "more repetitions"
    DRIFTS = "drifts"
    DEPENDS = "depend on each other"
    TOO_FEW = "too few repetitions"


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """The reliability of a figure.

    Attributes:
        stability: In a word.
        sentence: With the figures, and with the next step.
        half_width: That of the 95% interval of its mean, relative to the mean; None if there is none. It is
            widened if repetitions are correlated.
        drift: Its change from the first repetition to the last, relative to its median; None if it may be
            chance.
        repetitions: About how many give a half width of 1%; None if unknown.
        depends: The dependence of neighbouring repetitions; None if it may be chance, or with fewer than ten.
    """

    stability: Stability
    sentence: str
    half_width: float | None = None
    drift: float | None = None
    repetitions: int | None = None
    depends: Dependence | None = None


def assess(values: Sequence[float], wanted: float = WANTED) -> Assessment:
    """Judge a figure by its repetitions.

    Args:
        values: One per repetition, in the order of measurement; all finite.
        wanted: The relative half width at which it counts as known.
    """
    interval = mean_interval(values)
    if len(values) < FEWEST or interval is None:
        sentence = f"{Stability.TOO_FEW}: {len(values)} are too few to show scatter; use 5 or more"
        return Assessment(stability=Stability.TOO_FEW, sentence=sentence)
    if not interval.mean and interval.half_width:
        sentence = (
            f"{Stability.WIDE}: the mean of {len(values)} repetitions cannot be distinguished from zero"
        )
        return Assessment(stability=Stability.WIDE, sentence=sentence)
    depends = dependence(values)
    half = interval.half_width / abs(interval.mean) if interval.mean else 0.0
    half *= depends.widening if depends else 1.0
    needed = repetitions_for(interval, len(values), wanted)
    known = f"the mean of {len(values)} repetitions is known to {half:.1%}"
    moved = drift(values)
    if moved is not None:
        stability = Stability.DRIFTS
        rest = (
            f"; from the first to the last it changes by {moved:+.1%}, so more of them will not help: use "
            "a quieter machine, and see what else runs"
        )
    elif depends:
        stability, needed = Stability.DEPENDS, None
        rest = (
            f", {depends.widening:.1f} times what their scatter says, as each is close to the one before "
            f"(correlation {depends.correlation:.1f}); use a quieter machine, and see what else "
            "runs on it"
        )
    elif half <= wanted and len(values) < FEWEST_STABLE:
        stability, rest = Stability.TOO_FEW, "; that so few agree may be chance: use 5 or more"
    elif half <= wanted:
        stability, rest = Stability.STABLE, ""
    else:
        stability, rest = Stability.WIDE, f"; {_needed(needed, wanted)}"
    return Assessment(
        stability=stability,
        sentence=f"{stability}: {known}{rest}",
        half_width=half,
        drift=moved,
        repetitions=needed,
        depends=depends,
    )


def is_advice(needed: int | None) -> bool:
    """Return whether so many repetitions can be recommended."""
    return needed is not None and needed <= _MOST_ADVISED


def _needed(needed: int | None, wanted: float) -> str:
    if is_advice(needed):
        return f"about {needed} would make it {wanted:.0%}"
    return "use a quieter machine or longer --rounds before more repetitions"


def repetitions_for(interval: Interval, count: int, wanted: float) -> int | None:
    """Return how many repetitions narrow the interval of a mean to a width, if they scatter as these do.

    Args:
        interval: That of the mean of the existing repetitions.
        count: Their number, at least 2.
        wanted: The wanted relative half width.

    Returns:
        At least 2; None if more than a million would be needed.
    """
    if not interval.half_width:
        return 2
    deviation = interval.half_width / student_t(count - 1) * math.sqrt(count) / abs(interval.mean)

    def is_enough(n: int) -> bool:
        return student_t(n - 1) * deviation / math.sqrt(n) <= wanted

    low, high = 1, 2
    while not is_enough(high):
        low, high = high, high * 2
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def drift(values: Sequence[float]) -> float | None:
    """Return the change of values from the first to the last, relative to their median.

    Returns:
        None if it may be chance (by Kendall's test), or with fewer than six values.
    """
    if len(values) < _FEWEST_FOR_DRIFT or min(values) == max(values) or trend_p(values) > _BELIEVED:
        return None
    import numpy as np
    from scipy.stats import theilslopes

    middle, slope = float(np.median(values)), float(theilslopes(values)[0])
    return slope * (len(values) - 1) / abs(middle) if middle else None


def trend_p(values: Sequence[float]) -> float:
    """Return the p of Kendall's test for a trend in values that are not all equal."""
    from scipy.stats import kendalltau

    return float(kendalltau(range(len(values)), values).pvalue)
