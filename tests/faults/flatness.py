"""Checks whether memory levels off, from samples over time."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST = 12
"""Samples from which on something can be said."""

_WARM_UP = 4  # the first of so many parts does not count
_PARTS = 3  # of the rest, of which the medians are compared
_ALLOWED = 1 << 20  # bytes from one part to the next that are nothing
_LEVELS_OFF = 0.6  # of the growth before, at most, where it does


def growth(samples: Sequence[int]) -> str | None:
    """Return how memory grows without limit, as a sentence; None if it levels off, or is unknown.

    The first quarter is warm-up. The rest has three parts: memory grows where the last part's median lies
    more than 1 MiB over that of the middle one, and that is no less than 0.6 of the step before it.

    Args:
        samples: bytes, at equal intervals.
    """
    if len(samples) < FEWEST:
        return None
    rest = samples[len(samples) // _WARM_UP :]
    size = len(rest) // _PARTS
    one, two, three = (median(rest[size * part : size * (part + 1)]) for part in range(_PARTS))
    if three - two > _ALLOWED and three - two > _LEVELS_OFF * (two - one):
        return "memory grows: " + ", ".join(f"{each / (1 << 20):.1f}" for each in (one, two, three)) + " MB"
    return None
