"""Whether a platform with a driver was warm when it was measured, and its figures while it was cold."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.vocabulary import values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.model import Repetition


class Warmth(msgspec.Struct, frozen=True, kw_only=True):
    """How warm a platform with a driver was, as means over its repetitions. What is not known is None.

    Attributes:
        settled: Whether it had settled in every repetition before it was measured.
        warm_up_s: How long it made rounds to warm up; 0 where what was measured is the first round of a fresh
            process.
        cpu_us: Microseconds of CPU time for a round trip, in the process that asks.
        cold_per_s: Round trips per second in the first round of its process.
        cold_mean_us: Mean round-trip time there, in microseconds.
        cold_cpu_us: As `cpu_us`, there.
    """

    settled: bool
    warm_up_s: float
    cpu_us: float | None = None
    cold_per_s: float | None = None
    cold_mean_us: float | None = None
    cold_cpu_us: float | None = None

    @property
    def word(self) -> str:
        """It in a word or two."""
        if self.settled:
            return "warm"
        return "not settled" if self.warm_up_s else "cold"


def warmth_of(repetitions: Sequence[Repetition]) -> Warmth | None:
    """Return how warm what was measured was; None where that is no question."""
    counted = [one.counters for one in repetitions if values.SETTLED in one.counters]
    if not counted:
        return None

    def mean(name: str) -> float | None:
        values = [counters[name] for counters in counted if name in counters]
        return fmean(values) if values else None

    return Warmth(
        settled=all(counters[values.SETTLED] for counters in counted),
        warm_up_s=mean(values.WARM_UP_SECONDS) or 0.0,
        cpu_us=mean(values.CPU_US),
        cold_per_s=mean(values.COLD_RATE),
        cold_mean_us=mean(values.COLD_MEAN_US),
        cold_cpu_us=mean(values.COLD_CPU_US),
    )
