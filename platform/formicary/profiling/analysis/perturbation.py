"""What profiling costs the profiled: the same work with and without it, turn about."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary.profiling.analysis.estimates import of_repetitions

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager


class Perturbation(NamedTuple):
    """By how much something is slower while it is profiled.

    Attributes:
        cost: as a share of its rate without.
        margin: half the width of the 95% interval of that.
    """

    cost: float
    margin: float

    def __str__(self) -> str:
        return f"profiling costs {self.cost:.1%} ± {self.margin:.1%} of the rate"


def perturbation(
    rate: Callable[[], float], profiling: Callable[[], AbstractContextManager[object]], rounds: int = 10
) -> Perturbation:
    """Measure a rate with and without profiling, next to each other, in changing order.

    Args:
        rate: does some work and returns how fast it went.
        profiling: makes what profiles as long as its block lasts, such as a `Window`.
        rounds: how many pairs; at least two.
    """
    losses = []
    for number in range(rounds):
        both = {}
        for is_profiled in (number % 2 == 0, number % 2 == 1):
            if is_profiled:
                with profiling():
                    both[True] = rate()
            else:
                both[False] = rate()
        losses.append(1 - both[True] / both[False])
    return Perturbation(*of_repetitions(losses))
