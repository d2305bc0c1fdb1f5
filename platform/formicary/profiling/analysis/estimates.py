"""Shares that are known from samples, and how far they may be off."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

TICK_S = 0.01
"""How coarse the clocks of threads are at worst."""
_NORMAL = 1.959964  # standard deviations on each side
# The same of Student's t, from 1 degree of freedom on.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160)
_FEWEST_BLOCKS = 8
_DEPEND = 1.1  # neighbouring blocks of few samples have some work in common, and so differ too little
_RARE = 5  # samples of a kind, or of all others: too few to show how they scatter


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


def of_samples(
    seconds: float, count: int, total: int, expected: float, blocks: Sequence[tuple[int, int]] = ()
) -> Estimate:
    """Return which part of some seconds a kind of samples stands for.

    Samples that follow each other depend on each other, as work takes its time, and waits for a processor in
    the midst of it. So the variance is that of blocks of samples that follow each other in time, from the
    differences of neighbours (von Neumann 1941): it holds for the share that the program has if it goes on
    like that, and what changes once, such as after a start, widens it little. Where there are too few samples
    for blocks it is binomial, by Agresti and Coull.

    Args:
        seconds: what all the samples stand for.
        count: how many are of the kind.
        total: how many there are; not 0.
        expected: how many there should be for so many seconds. Where there are more, the thread was sometimes
            seen while it waited for a processor: they are no more certain than the expected ones.
        blocks: of each block of time in which there are samples, how many are of the kind, and how many there
            are; none if that is not known.
    """
    share = count / total
    of_share = _of_blocks(share, total, blocks) if len(blocks) >= _FEWEST_BLOCKS else 0.0
    if len(blocks) < _FEWEST_BLOCKS or min(count, total - count) < _RARE:
        worth = min(total, max(1.0, expected))
        careful = (share * worth + 2) / (worth + 4)
        of_share = max(of_share, careful * (1 - careful) / (worth + 4))
    # Two readings, each of which leaves out anything up to a tick.
    return Estimate(seconds * share, seconds**2 * of_share + share**2 * TICK_S**2 / 6)


def _of_blocks(share: float, total: int, blocks: Sequence[tuple[int, int]]) -> float:
    """Return the variance of a share, larger by what Student's t is wider than the normal distribution."""
    number = len(blocks)
    off = [count - share * size for count, size in blocks]
    differences = sum((after - before) ** 2 for before, after in pairwise(off))
    variance = _DEPEND * differences / (2 * (number - 1)) * number / total**2
    freedom = 2 * (number - 1) ** 2 // (3 * number - 4)
    return variance * (_STUDENT[min(freedom, len(_STUDENT)) - 1] / _NORMAL) ** 2
