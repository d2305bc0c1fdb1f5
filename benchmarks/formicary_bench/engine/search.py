"""Which rate to try next, to find the highest one that is kept: pure, told verdicts, telling rates.

The rate is doubled while it is kept (or halved until it is), and then the gap between the highest one that
was kept and the lowest one that was not is cut in two, in proportion, until it is narrow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt

FIRST = 1000
"""The rate that is tried first, in messages per second."""

MOST_RUNS = 16
"""How many rates are tried at most."""

NARROW = 1.1
"""A gap whose end is so many times its begin is not cut again."""

HIGHEST = 1_000_000
"""No rate above is tried."""


@dataclass
class Search:
    """The search for the highest rate that is kept.

    Attributes:
        verdicts: which rates have been tried, and whether they were kept.
    """

    verdicts: dict[int, bool] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """The highest rate that was kept below all that were not; 0 if there is none."""
        rates = (rate for rate, kept in self.verdicts.items() if kept)
        return max((rate for rate in rates if not self.missed or rate < self.missed), default=0)

    @property
    def missed(self) -> int:
        """The lowest rate that was not kept; 0 if all were."""
        return min((rate for rate, kept in self.verdicts.items() if not kept), default=0)

    def next(self) -> int | None:
        """Return the rate to try next; None if the search is over."""
        if len(self.verdicts) >= MOST_RUNS:
            return None
        if not self.verdicts:
            return FIRST
        low, high = self.kept, self.missed
        if not high:
            return min(low * 2, HIGHEST) if low < HIGHEST else None
        wanted = max(isqrt(low * high), low + 1) if low else high // 2
        is_narrow = low and high <= low * NARROW
        return None if is_narrow or not low < wanted < high else wanted

    def tell(self, rate: int, *, kept: bool) -> None:
        """Take the verdict about a rate."""
        self.verdicts[rate] = kept
