"""What other cuts than the run's own would give: how far figures hang on where the warm-up is said to end."""

from __future__ import annotations

from statistics import fmean, median
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.store.raw import COOL_DOWN, RoundTrips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition

PARTS = (0.0, 0.1, 0.25, 0.5)
"""What part of each pair's round trips is left out, of those before its cool-down."""


class OtherCut(msgspec.Struct, frozen=True):
    """What a cut gives.

    Attributes:
        part: What part of the round trips before the cool-down is left out.
        median_us: The median over the repetitions of their medians, in microseconds.
        mean_us: The mean of their means.
    """

    part: float
    median_us: float
    mean_us: float


def other_cuts(run: RunFolder, repetitions: Sequence[Repetition]) -> list[OtherCut]:
    """Return what other cuts give, of repetitions that exchanged messages; empty where nothing was measured.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    found = [figures for one in repetitions if (figures := _figures(run.raw(one, RoundTrips)))]
    return [
        OtherCut(part, median(one[place][0] for one in found), fmean(one[place][1] for one in found))
        for place, part in enumerate(PARTS if found else ())
    ]


def _figures(data: RoundTrips) -> list[tuple[float, float]]:
    """Return median and mean in microseconds for each cut of a repetition; empty where one leaves nothing.

    Of the values, of which there may be many millions, it holds one copy at a time: those that a cut keeps.
    """
    import numpy as np

    counts = data.phase != COOL_DOWN
    if not counts.any():
        return []
    bounds = np.iinfo(data.index.dtype)
    first = int(data.index.min(where=counts, initial=bounds.max))
    many = int(data.index.max(where=counts, initial=bounds.min)) - first + 1
    found = []
    for part in PARTS:
        kept = data.rtt_ns[counts & (data.index >= first + part * many)]
        if not len(kept):
            return []
        mean = float(kept.mean())
        found.append((float(np.median(kept, overwrite_input=True)) / 1e3, mean / 1e3))
        del kept  # before the next one is made
    return found
