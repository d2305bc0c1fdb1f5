"""What reports show of a figure: the row's estimate, in every format, and what its repetitions gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import counting, samples_of
from formicary_bench.statistics.estimates import Typical, typical

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric


def typical_of(row: Row, metric: Metric) -> Typical | None:
    """Return what a figure of a row typically is; None where it is not known."""
    return typical(values_of(row, metric), row.estimate(metric))


def values_of(row: Row, metric: Metric) -> list[float]:
    """Return what the repetitions gave that count; see `each.counting`."""
    return samples_of(counting(row.each)).get(metric.name, [])
