"""Which rate to try next, to find the highest one that is kept: pure, told verdicts, telling rates.

The rate is multiplied while it is kept (or divided until it is), and then the gap between the highest one
that was kept and the lowest one that was not is cut in two, in proportion, until it is narrow. Then the
latter is tried once more, since a moment's disturbance may have misled the search: where it is kept now, the
search goes on above it.

Searches that all began at the same rate would try the same rates and find the same one, and so seem to agree
to the last message. Each begins at a rate of its own, drawn from as wide a gap as the last one will be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from math import isqrt
from random import Random

FIRST = 5000
"""The lowest rate that may be tried first, in messages per second."""

STEP = 3
"""By how much it is multiplied or divided at first."""

NARROW = 1.15
"""A gap whose end is so many times its begin is not cut again; that of a step is cut three times."""

MOST_TRIES = 24
"""How many tries there are at most."""

HIGHEST = 1_000_000
"""No rate above is tried."""


def drawn_first(seed: int) -> int:
    """Draw the rate at which a search begins."""
    part: float = Random(seed).random()
    return round(FIRST * math.pow(NARROW, part))


@dataclass
class Search:
    """The search for the highest rate that is kept.

    Attributes:
        first: the rate that is tried first.
        tries: which rates have been tried, and whether they were kept, each time.
    """

    first: int = FIRST
    tries: dict[int, list[bool]] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """The highest rate that was kept below all that were missed; 0 if there is none."""
        rates = (rate for rate, verdicts in self.tries.items() if any(verdicts))
        return max((rate for rate in rates if not self.missed or rate < self.missed), default=0)

    @property
    def missed(self) -> int:
        """The lowest rate that was not kept, however often it was tried; 0 if all were."""
        return min((rate for rate, verdicts in self.tries.items() if not any(verdicts)), default=0)

    def next(self) -> int | None:
        """Return the rate to try next; None if the search is over."""
        if sum(map(len, self.tries.values())) >= MOST_TRIES:
            return None
        if not self.tries:
            return self.first
        return self._further() or self._doubtful()

    def tell(self, rate: int, *, kept: bool) -> None:
        """Take the verdict about a rate."""
        self.tries.setdefault(rate, []).append(kept)

    def _doubtful(self) -> int | None:
        """Return the rate at which the search would end, if it was missed only once."""
        return self.missed if len(self.tries.get(self.missed, ())) == 1 else None

    def _further(self) -> int | None:
        low, high = self.kept, self.missed
        if not high:
            return min(low * STEP, HIGHEST) if low < HIGHEST else None
        wanted = max(isqrt(low * high), low + 1) if low else max(high // STEP, 1)
        is_narrow = low and high <= low * NARROW
        return None if is_narrow or not low < wanted < high else wanted
