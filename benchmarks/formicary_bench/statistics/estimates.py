"""Estimates: a mean over repetitions with its interval, and two modes if repetitions have them."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.intervals import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence


class Estimate(msgspec.Struct, frozen=True):
    """A mean, and the bounds of its 95% interval, if it has one."""

    mean: float
    ci95: tuple[float, float] | None = None


def mean_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of the repetitions' values, with its interval over them."""
    interval = mean_interval(values)
    mean = math.fsum(values) / len(values)
    return Estimate(mean, (interval.low, interval.high) if interval else None)


_TOO_FEW = 2  # for an interval that says anything: it reaches over decades
_FEWEST = 6  # of fewer, chance leaves a gap in the middle too often
_FEWEST_OF_A_MODE = 2
_APART = 3.0  # times the wider mode's own width that lies between two modes, from the one to the other
_MATTERS = math.log(1.1)  # modes that differ by less are one to a reader


class Typical(msgspec.Struct, frozen=True):
    """The typical value of a figure.

    Attributes:
        value: Its estimate.
        bounds: Its 95% interval; None without one, or with only two repetitions.
        values: The repetitions' values, in order.
        modes: The medians of the two groups that they fall into; empty if it is one.
    """

    value: float
    bounds: tuple[float, float] | None
    values: tuple[float, ...]
    modes: tuple[float, ...] = ()


def typical(values: Sequence[float], known: Estimate | None = None) -> Typical | None:
    """Return the typical value of repetitions; None if there are none.

    Args:
        values: One figure of each repetition, in order.
        known: Their estimate; that of their mean if None.
    """
    if known is None:
        if not values:
            return None
        known = mean_estimate(values)
    bounds = known.ci95
    if bounds and len(values) == _TOO_FEW:
        bounds = None
    if bounds:  # of few repetitions it may reach below zero, where no time and no rate is
        bounds = max(bounds[0], min(known.mean, 0.0)), bounds[1]
    return Typical(known.mean, bounds, tuple(values), modes(values))


def modes(values: Sequence[float]) -> tuple[float, ...]:
    """Return the medians of two groups of values, the lower first; empty if they form one group.

    Two groups have at least two values each, and a gap between them far wider than either.
    """
    if len(values) < _FEWEST or min(values) <= 0:
        return ()
    logs = sorted(map(math.log, values))
    splits = range(_FEWEST_OF_A_MODE, len(logs) - _FEWEST_OF_A_MODE + 1)
    at = max(splits, key=lambda place: logs[place] - logs[place - 1])
    low, high = logs[:at], logs[at:]
    gap = high[0] - low[-1]
    if gap < _MATTERS or gap < _APART * max(low[-1] - low[0], high[-1] - high[0]):
        return ()
    return math.exp(median(low)), math.exp(median(high))
