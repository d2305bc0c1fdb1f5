"""Shares that are known from samples, and how far they may be off."""

from __future__ import annotations

import math
from typing import NamedTuple

TICK_S = 0.01
"""How coarse the clocks of threads are at worst."""
_NORMAL = 1.959964  # standard deviations on each side


class Estimate(NamedTuple):
    """A number of seconds and its variance."""

    seconds: float
    variance: float = 0.0

    def __add__(self, other: object) -> Estimate:
        """Return the sum of two that do not depend on each other."""
        assert isinstance(other, Estimate)
        return Estimate(self.seconds + other.seconds, self.variance + other.variance)

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval, in seconds."""
        return _NORMAL * math.sqrt(self.variance)


NOTHING = Estimate(0.0)


def of_samples(seconds: float, count: int, total: int, expected: float) -> Estimate:
    """Return which part of some seconds a kind of samples stands for.

    The sampler looks at random moments, so the counts are binomial; the variance is Agresti's and Coull's,
    which holds for few samples too, and for none.

    Args:
        seconds: what all the samples stand for.
        count: how many are of the kind.
        total: how many there are; not 0.
        expected: how many there should be for so many seconds. Where there are more, the thread was sometimes
            seen while it waited for the interpreter's lock: they are no more certain than the expected ones.
    """
    share = count / total
    worth = min(total, max(1.0, expected))
    careful = (share * worth + 2) / (worth + 4)
    of_share = careful * (1 - careful) / (worth + 4)
    # Two readings, each of which leaves out anything up to a tick.
    return Estimate(seconds * share, seconds**2 * of_share + share**2 * TICK_S**2 / 6)
