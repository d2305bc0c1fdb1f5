"""An estimate: a mean over repetitions, with its interval where it has one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.intervals import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence


class Estimate(msgspec.Struct, frozen=True):
    """A mean, and the bounds of its 95% interval where it has one."""

    mean: float
    ci95: tuple[float, float] | None = None


def mean_estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of the repetitions' values, with its interval over them."""
    interval = mean_interval(values)
    mean = math.fsum(values) / len(values)
    return Estimate(mean, (interval.low, interval.high) if interval else None)
