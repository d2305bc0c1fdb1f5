"""Whether repetitions depend on each other in their order, and how much too narrow intervals are then.

What disturbs a machine for longer than a repetition takes disturbs neighbours alike. Student's intervals take
values for independent: of those of which each is half like the one before they hold the truth in 75 of 100.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST = 10
"""Values below which nothing is said of it: of fewer, what depends is seldom seen."""

_BELIEVED = 1.645  # standard errors: 5%, one-sided; to be wrong only makes an interval wider than need be
_MOST = 0.9  # few values do not tell a correlation near 1, at which an interval would have no end


class Dependence(msgspec.Struct, frozen=True):
    """What was seen of values that depend on each other.

    Attributes:
        correlation: Of each value with the next one, corrected for how few there are.
        widening: How many times as wide the interval of their mean has to be.
    """

    correlation: float
    widening: float


def dependence(values: Sequence[float]) -> Dependence | None:
    """Return how much neighbours are alike; None where chance may do that, or values are fewer than ten.

    By the rank version of von Neumann's ratio (Bartels 1982): the sum of the squared steps from each rank to
    the next, over that of their squared distances from the mean, which is about 2 where nothing depends.
    """
    n = len(values)
    if n < FEWEST or min(values) == max(values):
        return None
    ranks = _ranks(values)
    steps = sum((after - before) ** 2 for before, after in pairwise(ranks))
    variance = 4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
    if (2 - steps / _squares(ranks)) / math.sqrt(variance) <= _BELIEVED:
        return None
    found = _correlation(values)
    corrected = min(max(found + (1 + 3 * found) / n, 0.0), _MOST)  # Kendall 1954: that of few is too small
    return Dependence(corrected, math.sqrt((1 + corrected) / (1 - corrected)))


def widening(*samples: Sequence[float]) -> float:
    """Return how many times as wide an interval of some samples has to be: by what depends most."""
    return max((found.widening for one in samples if (found := dependence(one))), default=1.0)


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the place of each value in their order by size; equal ones share the mean of their places."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]


def _correlation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    apart = [value - mean for value in values]
    return sum(one * other for one, other in pairwise(apart)) / _squares(values)


def _squares(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)
