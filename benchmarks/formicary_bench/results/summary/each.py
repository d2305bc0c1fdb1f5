"""The figures of one repetition: all that rows, verdicts and comparisons are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MEAN = "mean round trip (µs)"
TIME = "median round trip (µs)"
P99 = "99th percentile (µs)"
RATE = "round trips per second"
HIGHEST = "highest rate kept (messages/s)"
CREATION = "agents per second"
TOTAL = "total time (s)"
AGENTS_CPU = "agents' CPU per message (µs)"
SERVERS_CPU = "servers' CPU per message (µs)"
WIRE = "bytes on the wire per message"
SUSTAINED = "sustained rate (operations/s)"
PEAK = "peak rate (operations/s)"
SPEED_UP = "speed-up (CPU time over elapsed time)"
SMALLEST = "rate of the smallest loop (operations/s)"
DEVIATION = "standard deviation of swaps"
BY_CHANCE = "standard deviation of swaps, by the root of their mean"
UNFAIRNESS = "relative difference of most and fewest swaps"
HOLDS = "memory held (bytes)"
TRACED = "memory traced (bytes)"
GREW = "memory after the load, times that before"
"""What the figures are called, with their units."""

TIMES = (TIME, TOTAL, P99)
"""Those of which less is faster; of the other ones that are compared, more is."""

_COMPARED = (TIME, P99, TOTAL, RATE, HIGHEST, CREATION, SUSTAINED, SPEED_UP)


class Named(msgspec.Struct, frozen=True):
    """A figure that only some experiments have: its name, with its unit, and its value."""

    figure: str
    value: float


class Each(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one repetition.

    Attributes:
        mean_us: Mean round-trip time in microseconds, or that of a use of the directory.
        median_us: Its median.
        per_s: Round trips per second of all pairs together; None where that is no figure of its row.
        agents_per_s: Agents created or registered per second.
        others: What its experiment is about besides.
        full_load: Whether it held full load; where that is no question, it did.
    """

    mean_us: float | None = None
    median_us: float | None = None
    per_s: float | None = None
    agents_per_s: float | None = None
    others: tuple[Named, ...] = ()
    full_load: bool = True


def named(figures: Mapping[str, float | None]) -> tuple[Named, ...]:
    """Return figures as `Each.others` has them; those that are None are left out."""
    return tuple(Named(figure, value) for figure, value in figures.items() if value is not None)


def samples_of(each: Sequence[Each]) -> dict[str, list[float]]:
    """Return the values of each figure that repetitions have, in their order."""
    found: dict[str, list[float]] = {}
    for one in each:
        for figure, value in _figures(one):
            found.setdefault(figure, []).append(value)
    return found


def comparable(each: Iterable[Each], *, is_paced: bool) -> dict[str, list[float]]:
    """Return what platforms and runs are compared by: figures of repetitions that held full load.

    Args:
        each: The repetitions.
        is_paced: Whether they are of an open loop, whose rate is what was asked for.
    """
    found = samples_of([one for one in each if one.full_load])
    return {
        figure: found[figure] for figure in _COMPARED if figure in found and not (is_paced and figure == RATE)
    }


def _figures(one: Each) -> list[tuple[str, float]]:
    usual = {MEAN: one.mean_us, TIME: one.median_us, RATE: one.per_s, CREATION: one.agents_per_s}
    known = [(figure, value) for figure, value in usual.items() if value is not None]
    return known + [(other.figure, other.value) for other in one.others]
