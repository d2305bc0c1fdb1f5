"""Metrics: a name for files and programs, a title and a unit for readers.

The metrics of several experiments are here; an experiment declares its own in its module.
"""

from __future__ import annotations

from dataclasses import dataclass

MICROSECONDS, SECONDS, BYTES, BITS, PER_SECOND, PART, TIMES, NUMBER = (
    "µs",
    "s",
    "B",
    "bit/s",
    "/s",
    "%",
    "times",
    "",
)
"""Units: `PART` is a part of a whole, from 0 to 1; `TIMES` a ratio; `NUMBER` a plain number."""


@dataclass(frozen=True)
class Metric:
    """A figure of repetitions or configurations.

    Attributes:
        name: its name in files and programs.
        title: its title, which may follow a value.
        unit: one of the units above.
        column: its heading in tables; the title if empty.
        more_is_better: whether more is better or faster; None if neither more nor less is.
        has_spread: whether tables show its interval.
        minor: whether it may be left out for lack of room.
        is_compared: whether platforms and runs are compared by it.
        is_judged: whether its stability is judged; false for metrics derived from others.
    """

    name: str
    title: str
    unit: str = NUMBER
    column: str = ""
    more_is_better: bool | None = None
    has_spread: bool = False
    minor: bool = False
    is_compared: bool = False
    is_judged: bool = True

    @property
    def heading(self) -> str:
        return self.column or self.title


def _time(name: str, title: str, column: str, *, is_compared: bool = False) -> Metric:
    return Metric(name, title, MICROSECONDS, column, more_is_better=False, is_compared=is_compared)


MEAN = Metric("rtt_mean_us", "mean round trip", MICROSECONDS, "mean", more_is_better=False, has_spread=True)
PAPERS_MEAN = _time("rtt_mean_papers_us", "mean round trip, the papers' way", "mean, the papers' way")
LEAST = _time("rtt_min_us", "fastest round trip", "fastest")
TIME = _time("rtt_p50_us", "median round trip", "median", is_compared=True)
P90 = _time("rtt_p90_us", "90th percentile", "p90")
P99 = _time("rtt_p99_us", "99th percentile", "p99", is_compared=True)
P999 = _time("rtt_p999_us", "99.9th percentile", "p99.9")
SLOWEST = _time("rtt_max_us", "slowest round trip", "slowest")
RATE = Metric(
    "round_trips_per_s",
    "round trips per second",
    PER_SECOND,
    "trips/s",
    more_is_better=True,
    is_compared=True,
)
CREATION = Metric(
    "agents_per_s",
    "agents per second",
    PER_SECOND,
    "agents/s",
    more_is_better=True,
    has_spread=True,
    is_compared=True,
)
EACH_HOLDS = Metric(
    "bytes_per_agent", "memory of each", BYTES, "memory each", more_is_better=False, is_judged=False
)
TOTAL = Metric("total_s", "total time", SECONDS, more_is_better=False, has_spread=True, is_compared=True)
HOLDS = Metric("held_bytes", "memory held", BYTES, "memory", more_is_better=False)

ROUND_TRIPS = (MEAN, TIME, P99, RATE)
"""The columns of round trips in tables."""

CREATED = (CREATION, EACH_HOLDS)
"""Those of created agents."""
