"""The typical repetition: the median of what they gave, with its interval, or two where there are two modes.

Times and rates are disturbed in proportion, so the interval is Student's on the logarithms: never below zero,
and not the same way up as down.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.intervals import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST = 3  # of two, the interval reaches over decades and says nothing
_FEWEST_FOR_MODES = 6  # of fewer, chance leaves a gap in the middle too often
_FEWEST_OF_A_MODE = 2
_APART = 3.0  # times the wider mode's own width that lies between two modes, from the one to the other
_MATTERS = math.log(1.1)  # modes that differ by less are one to a reader


class Typical(msgspec.Struct, frozen=True):
    """What a figure typically is.

    Attributes:
        value: The median of the repetitions.
        bounds: Its 95% interval; None where there are fewer than three repetitions, or one is not
            above zero.
        values: What each repetition gave, in their order.
        modes: The medians of the two groups that they fall into; empty where it is one.
    """

    value: float
    bounds: tuple[float, float] | None
    values: tuple[float, ...]
    modes: tuple[float, ...] = ()


def typical(values: Sequence[float]) -> Typical | None:
    """Return what repetitions typically gave; None where there are none.

    Args:
        values: One figure of each repetition, in their order.
    """
    if not values:
        return None
    return Typical(median(values), _bounds(values), tuple(values), modes(values))


def modes(values: Sequence[float]) -> tuple[float, ...]:
    """Return the medians of two groups into which values fall, the lower first; empty where it is one group.

    Two groups have at least two values each, and far more lies between them than within either.
    """
    if len(values) < _FEWEST_FOR_MODES or min(values) <= 0:
        return ()
    logs = sorted(map(math.log, values))
    splits = range(_FEWEST_OF_A_MODE, len(logs) - _FEWEST_OF_A_MODE + 1)
    at = max(splits, key=lambda place: logs[place] - logs[place - 1])
    low, high = logs[:at], logs[at:]
    gap = high[0] - low[-1]
    if gap < _MATTERS or gap < _APART * max(low[-1] - low[0], high[-1] - high[0]):
        return ()
    return math.exp(median(low)), math.exp(median(high))


def skewed(value: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return an interval that is symmetric around a figure as one that is so on a logarithmic axis.

    It is the first order of the same error on the logarithm, and never reaches zero.
    """
    if value <= 0:
        return bounds
    factor = math.exp((bounds[1] - bounds[0]) / 2 / value)
    return value / factor, value * factor


def _bounds(values: Sequence[float]) -> tuple[float, float] | None:
    if len(values) < _FEWEST or min(values) <= 0:
        return None
    found = mean_interval([math.log(value) for value in values])
    if found is None:
        return None
    middle = median(values)  # the mean of the logarithms may be elsewhere: the median is what is shown
    low, high = math.exp(found.low), math.exp(found.high)
    return min(low, middle), max(high, middle)
