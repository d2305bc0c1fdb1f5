"""Shares estimated from samples, and their uncertainty."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

TICK_S = 0.01
"""The coarsest resolution of threads' clocks."""
_NORMAL = 1.959964  # standard deviations on each side
# The same for Student's t, from 1 degree of freedom on.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160)
_FEWEST_BLOCKS = 8
_DEPEND = 1.1  # neighbouring blocks of few samples share some work, and so differ too little
_RARE = 5  # samples of a kind, or of all others: too few to show their spread


class Estimate(NamedTuple):
    """A number of seconds and its variance."""

    seconds: float
    variance: float = 0.0

    def __add__(self, other: object) -> Estimate:
        """Return the sum of two independent estimates."""
        assert isinstance(other, Estimate)
        return Estimate(self.seconds + other.seconds, self.variance + other.variance)

    @property
    def margin(self) -> float:
        """Half the width of the 95% interval, in seconds."""
        return _NORMAL * math.sqrt(self.variance)


NOTHING = Estimate(0.0)


def of_samples(
    seconds: float, count: int, total: int, expected: float, blocks: Sequence[tuple[int, int]] = ()
) -> Estimate:
    """Estimate the part of some seconds that a kind of samples represents.

    Successive samples are correlated, since work takes time and waits for a processor in between. So the
    variance is that of successive blocks of samples, from the differences of neighbours (von Neumann 1941):
    it holds for the share that the program has if it continues in the same way, and a single change, such as
    after a start, widens it little. With too few samples for blocks it is binomial, by Agresti and Coull.

    Args:
        seconds: the seconds that all samples represent.
        count: number of samples of the kind.
        total: number of all samples; not 0.
        expected: the number expected for these seconds. If there are more, the thread was sometimes sampled
            while it waited for a processor; the surplus adds no certainty.
        blocks: for each block of time with samples, the number of the kind and of all; empty if unknown.
    """
    share = count / total
    of_share = _of_blocks(share, total, blocks) if len(blocks) >= _FEWEST_BLOCKS else 0.0
    if len(blocks) < _FEWEST_BLOCKS or min(count, total - count) < _RARE:
        worth = min(total, max(1.0, expected))
        careful = (share * worth + 2) / (worth + 4)
        of_share = max(of_share, careful * (1 - careful) / (worth + 4))
    # Two readings, each of which misses up to a tick.
    return Estimate(seconds * share, seconds**2 * of_share + share**2 * TICK_S**2 / 6)


def _of_blocks(share: float, total: int, blocks: Sequence[tuple[int, int]]) -> float:
    """Return the variance of a share, widened from the normal distribution to Student's t."""
    number = len(blocks)
    off = [count - share * size for count, size in blocks]
    differences = sum((after - before) ** 2 for before, after in pairwise(off))
    variance = _DEPEND * differences / (2 * (number - 1)) * number / total**2
    freedom = 2 * (number - 1) ** 2 // (3 * number - 4)
    return variance * (_STUDENT[min(freedom, len(_STUDENT)) - 1] / _NORMAL) ** 2
