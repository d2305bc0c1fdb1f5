"""How far the figures of a run can be believed, and which platform is faster than which.

Both are by the figures of each repetition, in the order in which they were measured. Platforms are compared
where they do the same work at the same place; all comparisons of an experiment are one family.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.results.baselines import BASELINES
from formicary_bench.results.pairing import CREATION, RATE, TIME
from formicary_bench.statistics.comparisons import Comparison, Contrast, compare
from formicary_bench.statistics.stability import Assessment, assess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.row import Row

MEAN = "mean round trip (µs)"
"""A figure that is judged by itself, beside those that are also compared."""


class Each(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one repetition.

    Attributes:
        mean_us: Mean round-trip time in microseconds, or that of a use of the directory.
        median_us: Its median.
        per_s: Round trips per second of all pairs together; None where that is no figure of its row.
        agents_per_s: Agents created or registered per second.
        full_load: Whether it held full load; where that is no question, it did.
    """

    mean_us: float | None = None
    median_us: float | None = None
    per_s: float | None = None
    agents_per_s: float | None = None
    full_load: bool = True


class Believed(msgspec.Struct, frozen=True, kw_only=True):
    """How far one of a row's figures can be believed."""

    figure: str
    assessment: Assessment


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """How one of a row's figures compares to that of another platform, in the same run and at the same point.

    Attributes:
        platform: Of the other one, as are `kind` and `route`.
        figure: Which one it is.
        comparison: What came of it.
    """

    platform: str
    kind: str
    route: str
    figure: str
    comparison: Comparison


def stability_of(each: Sequence[Each]) -> tuple[Believed, ...]:
    """Judge all figures that the repetitions of a configuration have."""
    named = _figures(each).items()
    return tuple(Believed(figure=figure, assessment=assess(values)) for figure, values in named if values)


def with_comparisons(rows: Sequence[Row]) -> list[Row]:
    """Compare the platforms of a run with each other, and note it in the rows that were judged."""
    found = list(rows)
    for experiment in dict.fromkeys(row.experiment for row in rows):
        places = [
            place for place, row in enumerate(rows) if row.experiment == experiment and _takes_part(row)
        ]
        family = [
            (one, other, figure, contrast)
            for one, other in combinations(places, 2)
            if _can_be_compared(rows[one], rows[other])
            for figure, contrast in _contrasts(rows[one], rows[other])
        ]
        judged = compare([contrast for *_, contrast in family])
        for (one, other, figure, _), comparison in zip(family, judged, strict=True):
            known = _compared(rows[other], figure, comparison)
            found[one] = msgspec.structs.replace(found[one], compared=(*found[one].compared, known))
    return found


def _figures(each: Sequence[Each]) -> dict[str, list[float]]:
    named = {
        MEAN: [one.mean_us for one in each],
        TIME: [one.median_us for one in each],
        RATE: [one.per_s for one in each],
        CREATION: [one.agents_per_s for one in each],
    }
    return {figure: [value for value in values if value is not None] for figure, values in named.items()}


def _takes_part(row: Row) -> bool:
    """Whether a row is undisturbed, and of a platform: that floors are faster needs no test."""
    return row.platform not in BASELINES and not row.profiled and not row.invalid


def _can_be_compared(row: Row, other: Row) -> bool:
    """Whether two rows differ in the platform, or in its kind, and do the same work at the same place."""
    if _point(row) != _point(other) or (row.platform, row.kind) == (other.platform, other.kind):
        return False
    return row.platform != other.platform or row.route == other.route


def _point(row: Row) -> tuple[object, ...]:
    where = row.placement, row.tls, row.hosts, row.traffic, row.spread
    return *where, row.pairs, row.senders, row.payload_bytes, row.agents, row.services, row.containers


def _contrasts(row: Row, other: Row) -> list[tuple[str, Contrast]]:
    """Give what is compared: figures of repetitions that held full load."""
    ours, theirs = (_figures([one for one in each.each if one.full_load]) for each in (row, other))
    return [
        (
            figure,
            Contrast(
                name=figure, values=tuple(ours[figure]), base=tuple(theirs[figure]), is_rate=figure != TIME
            ),
        )
        for figure in (TIME, RATE, CREATION)
        if ours[figure] and theirs[figure]
    ]


def _compared(other: Row, figure: str, comparison: Comparison) -> Compared:
    return Compared(
        platform=other.platform, kind=other.kind, route=other.route, figure=figure, comparison=comparison
    )
