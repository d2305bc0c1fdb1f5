"""Estimates with bounds, and straight lines through measured points. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

import msgspec

from formicary_bench.statistics.intervals import student_t

if TYPE_CHECKING:
    from collections.abc import Sequence


class Prediction(msgspec.Struct, frozen=True):
    """A value with the bounds of its 95% interval.

    What is computed from several keeps the outermost bounds: no narrower than it is, and often wider.
    """

    mean: float
    low: float
    high: float

    @classmethod
    def exactly(cls, value: float) -> Self:
        """Return a value without any doubt."""
        return cls(value, value, value)

    def __add__(self, other: Prediction) -> Prediction:
        return Prediction(self.mean + other.mean, self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> Prediction:
        """Return so many times as much; `factor` is not negative."""
        return Prediction(self.mean * factor, self.low * factor, self.high * factor)

    def at_least(self, least: float) -> Prediction:
        """Return the same where nothing can be less."""
        return Prediction(max(self.mean, least), max(self.low, least), max(self.high, least))


class Line(msgspec.Struct, frozen=True):
    """A straight line through points, by least squares.

    Attributes:
        intercept: its value at 0.
        slope: by how much it rises.
        centre: the mean of the points' places.
        spread: the sum of the squares of their distances from there; 0 where all are at one place.
        points: how many there are.
        scatter: the standard deviation of the points around it.
    """

    intercept: float
    slope: float
    centre: float
    spread: float
    points: int
    scatter: float

    def at(self, x: float) -> Prediction:
        """Predict the mean at a place; the farther from the points, the less is known."""
        mean = self.intercept + self.slope * x
        freedom = self.points - (2 if self.spread else 1)
        if freedom < 1:
            return Prediction(mean, -math.inf, math.inf)
        away = (x - self.centre) ** 2 / self.spread if self.spread else 0.0
        half = student_t(freedom) * self.scatter * math.sqrt(1 / self.points + away)
        return Prediction(mean, mean - half, mean + half)

    @property
    def rise(self) -> Prediction:
        """How much it rises from each place to the next, with its interval."""
        freedom = self.points - 2
        if freedom < 1 or not self.spread:
            return Prediction(self.slope, -math.inf, math.inf)
        half = student_t(freedom) * self.scatter / math.sqrt(self.spread)
        return Prediction(self.slope, self.slope - half, self.slope + half)


def line_through(points: Sequence[tuple[float, float]]) -> Line | None:
    """Fit a line to points; a level one where all are at one place, None without any."""
    n = len(points)
    if not n:
        return None
    centre = math.fsum(x for x, _ in points) / n
    height = math.fsum(y for _, y in points) / n
    spread = math.fsum((x - centre) ** 2 for x, _ in points)
    slope = math.fsum((x - centre) * (y - height) for x, y in points) / spread if spread else 0.0
    intercept = height - slope * centre
    left = math.fsum((y - intercept - slope * x) ** 2 for x, y in points)
    freedom = n - (2 if spread else 1)
    return Line(intercept, slope, centre, spread, n, math.sqrt(left / freedom) if freedom > 0 else 0.0)
