"""What a row typically gave: by its repetitions, not pooled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import (
    CREATION,
    HIGHEST,
    PEAK,
    RATE,
    SMALLEST,
    SPEED_UP,
    SUSTAINED,
    TIME,
    samples_of,
)
from formicary_bench.statistics.typical import Typical, skewed, typical

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Bounds, Row

MORE_IS_FASTER = frozenset({RATE, HIGHEST, CREATION, SUSTAINED, PEAK, SMALLEST, SPEED_UP})
"""The figures of which more is faster, or better; of all others less is."""


def typical_of(row: Row, figure: str) -> Typical | None:
    """Return what a figure of a row typically is, by the repetitions that held full load.

    Where none of them did, all of them count: the row says that it did not.

    Args:
        row: The row.
        figure: Its name, as in `results.summary.each`.
    """
    values = values_of(row, figure)
    if values:
        return typical(values)
    value, bounds = _known(row, figure)  # of a row without its repetitions
    return None if value is None else Typical(value, skewed(value, bounds) if bounds else None, ())


def values_of(row: Row, figure: str) -> list[float]:
    """Return what repetitions that held full load gave, or all, where none did; see `typical_of`."""
    held = samples_of([one for one in row.each if one.full_load]).get(figure)
    return held or samples_of(row.each).get(figure, [])


def _known(row: Row, figure: str) -> tuple[float | None, Bounds | None]:
    known = {
        TIME: (row.rtt_p50_us, row.rtt_p50_ci95_us),
        RATE: (row.round_trips_per_s, row.round_trips_per_s_ci95),
        CREATION: (row.agents_per_s, row.agents_per_s_ci95),
    }
    return known.get(figure, (None, None))
