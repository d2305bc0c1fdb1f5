"""Finds the end of a warm-up in the values.

The method is MSER-5 (White, Cobb and Spratt, A Comparison of Five Steady-State Truncation Heuristics for
Simulation, 2000): of all places to cut at, the one after which the mean is known best. In the place of means
of five values there are their medians, because a single late round trip would otherwise look like a warm-up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.statistics.intervals import median_slope

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

PAPERS = 500
"""The round trips of each pair that the papers leave out."""

FEWEST = 100
"""Values below which nothing is looked for."""

_BATCH = 5
_LAST = 5  # batches: what comes after a cut has to be more than these, whose variance would be an accident
_TREND_BATCHES = 20
_TREND = 0.05  # the relative change that is one


class WarmUp(msgspec.Struct, frozen=True):
    """The end of a warm-up.

    Attributes:
        index: The number of values before the first that counts; None if the series never settles.
        sentence: The same for a reader, with the next step if it never settles.
    """

    index: int | None
    sentence: str


def fixed(count: int = PAPERS) -> WarmUp:
    """Leave out a given number of values, such as the papers' 500."""
    return WarmUp(count, f"the first {count} are always discarded")


def across(pairs: NDArray[Any]) -> NDArray[Any]:
    """Combine the series of many pairs into one: the median at each index.

    Args:
        pairs: A row for each pair, a column for each index.
    """
    import numpy as np

    return np.asarray(np.median(pairs, axis=0))


def detect(series: ArrayLike) -> WarmUp:
    """Find where a series has settled.

    Args:
        series: Values in the order of measurement, of one pair or from `across`.

    Returns:
        The index is a multiple of five and at most half of the series. The series never settles if it would
        be more, or if the rest still rises or falls by more than 5%.
    """
    import numpy as np

    values = np.asarray(series, dtype=float)
    if len(values) < FEWEST:
        return WarmUp(
            None, f"{len(values)} values are too few to detect the end of warm-up: use at least {FEWEST}"
        )
    batches = np.median(values[: len(values) // _BATCH * _BATCH].reshape(-1, _BATCH), axis=1)
    cut = int(np.argmin(_mser(batches)[: len(batches) - _LAST]))
    if cut > len(batches) / 2:
        more = 2 * len(values)
        return WarmUp(None, f"it does not settle within {len(values)} values: use {more} or more")
    moved = _moved(batches[cut:])
    if abs(moved) > _TREND:
        said = f"after {cut * _BATCH} it still changes by {moved:+.0%}"
        return WarmUp(None, f"it does not settle: {said}; use more, or look for what grows")
    return WarmUp(cut * _BATCH, f"it has settled after {cut * _BATCH} of {len(values)}")


def _mser(batches: NDArray[Any]) -> NDArray[Any]:
    """Return the squared standard error of the mean of what remains, for a cut before each batch."""
    import numpy as np

    # From the end on, and around the mean: differences of large sums would be mere rounding.
    backwards = (batches - batches.mean())[::-1]
    count = np.arange(1, len(batches) + 1)
    squares = np.cumsum(backwards**2) - np.cumsum(backwards) ** 2 / count
    return np.asarray((squares / count**2)[::-1])


def _moved(batches: NDArray[Any]) -> float:
    """Return the relative change from start to end; 0 if it may be chance."""
    import numpy as np

    means = np.array([part.mean() for part in np.array_split(batches, min(_TREND_BATCHES, len(batches)))])
    slope = median_slope(np.arange(len(means), dtype=float), means)
    if slope is None or slope.low <= 0 <= slope.high:
        return 0.0
    return float(slope.mean * (len(means) - 1) / means.mean())
