"""Percentiles, and the curve of them that shows the tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_STEPS_PER_DECADE = 16
_DECADES = 7
_ROUNDING = 1e-9


def tail_probabilities(count: int) -> list[float]:
    """Give the probabilities at which a plot of the tail takes its points: evenly spaced in log(1 - p).

    The median is among them, and every 90%, 99%, 99.9%.

    Args:
        count: How many values there are; beyond 1 - 1/count nothing is known, so no point is there.
    """
    steps = range(_STEPS_PER_DECADE * _DECADES + 1)
    everything = sorted({0.5, *(1 - 10 ** (-step / _STEPS_PER_DECADE) for step in steps)})
    return [p for p in everything if count * (1 - p) >= 1 - _ROUNDING]


def percentiles(values: NDArray[np.int64], probabilities: Sequence[float]) -> list[float]:
    """Give the values below which the given parts (0 to 1) of all values lie, linearly interpolated.

    Args:
        values: At least one value, in any order.
        probabilities: What part of the values is to lie below, 0 to 1, in any order.
    """
    import numpy as np

    return of_ordered(np.sort(values), probabilities)


def of_ordered(values: NDArray[np.int64], probabilities: Sequence[float]) -> list[float]:
    """Give the same of values in ascending order, without a copy of them."""
    import numpy as np

    places = np.asarray(probabilities) * (len(values) - 1)
    below = np.floor(places).astype(np.int64)
    low, high = values[below], values[np.minimum(below + 1, len(values) - 1)]
    return [float(value) for value in low + (high - low) * (places - below)]
