"""What a row typically gave: by its repetitions, not pooled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import samples_of
from formicary_bench.statistics.typical import Typical, skewed, typical

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric


def typical_of(row: Row, metric: Metric) -> Typical | None:
    """Return what a figure of a row typically is, by the repetitions that held full load.

    Where none of them did, all of them count: the row says that it did not.
    """
    values = values_of(row, metric)
    if values:
        return typical(values)
    known = row.estimate(metric)  # of a row without its repetitions
    if known is None:
        return None
    return Typical(known.mean, skewed(known.mean, known.ci95) if known.ci95 else None, ())


def values_of(row: Row, metric: Metric) -> list[float]:
    """Return what repetitions that held full load gave, or all, where none did; see `typical_of`."""
    held = samples_of([one for one in row.each if one.full_load]).get(metric.name)
    return held or samples_of(row.each).get(metric.name, [])
