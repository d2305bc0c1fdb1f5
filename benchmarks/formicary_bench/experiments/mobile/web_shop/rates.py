"""The rates of visits, by the names that Dikaiakos 2001 has for them: peak and sustained. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PARTS = 10  # of all visits, as many as one of so many parts has come one after the other for a peak


def total_s(starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> float:
    """Return the time from when the first visit began until the last one had ended."""
    return float(ends_ns.max() - starts_ns.min()) / 1e9


def sustained(starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> float | None:
    """Return how many visits there were per second, over all of them."""
    seconds = total_s(starts_ns, ends_ns)
    return len(ends_ns) / seconds if seconds > 0 else None


def peak(starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> float | None:
    """Return how many visits there were per second where they followed each other fastest.

    That is over a tenth of them, one after the other: a single one would be the luck of a moment.
    """
    import numpy as np

    ends = np.sort(np.append(ends_ns, starts_ns.min()))
    many = max(len(ends_ns) // _PARTS, 1)
    shortest = (ends[many:] - ends[:-many]).min()
    return float(many * 1e9 / shortest) if shortest > 0 else None
