"""How much something has changed, in words: a few percent as percent, half or twice as a factor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary_bench.statistics.intervals import Interval

_TWICE = 2
_DIGITS = 3


def change(what: str, ratio: Interval) -> str:
    """Say by how much something changed, or how many times as much it is, with the interval of that."""
    if not is_manifold(ratio.mean):
        bounds = f"{percent(ratio.low)} to {percent(ratio.high)}"
        return f"the {what} changed by {percent(ratio.mean)} (95% interval {bounds})"
    mean, low, high = (_factor(one) for one in (ratio.mean, ratio.low, ratio.high))
    other = "times the other" if ratio.mean >= 1 else "of the other"
    return f"the {what} is {mean} {other} (95% interval {low} to {high})"


def between(what: str, ratio: Interval) -> str:
    """Say within what something changed, where nobody can tell whether it did: no figure of its own."""
    if not is_manifold(ratio.low) and not is_manifold(ratio.high):
        return f"the {what} changed by {percent(ratio.low)} to {percent(ratio.high)} (95% interval)"
    low, high = (_factor(one) for one in (ratio.low, ratio.high))
    return f"the {what} is {low} to {high} times the other (95% interval)"


def percent(ratio: float) -> str:
    """Give a ratio as a change, such as -12.0%."""
    return f"{(ratio - 1) * 100:+.1f}%"


def is_manifold(ratio: float) -> bool:
    """Whether a change is so large that percent say little: to half, or to twice."""
    return not 1 / _TWICE < ratio < _TWICE


def _factor(ratio: float) -> str:
    """Write a factor with some digits, but all of its whole part."""
    if ratio <= 0 or not math.isfinite(ratio):
        return f"{ratio:g}"
    places = max(_DIGITS - 1 - math.floor(math.log10(ratio)), 0)
    return f"{ratio:.{places}f}"
