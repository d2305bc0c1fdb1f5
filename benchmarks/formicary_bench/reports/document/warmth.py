"""What is said of platforms with a driver: whether they were warm, and how they were while they were cold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.points import ordered, point
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.vocabulary.metrics import MEAN, RATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_COLD = (
    "Cold is the first round of a fresh process, as long as what was measured. CPU time is that of a round "
    "trip, of the process that asks."
)


def warmth_column(rows: Sequence[Row]) -> list[Column]:
    """Return the column that says which platforms were warm; none where that is no question.

    Args:
        rows: The rows in the order of the table's lines.
    """
    cells = tuple(row.warmth.word if row.warmth else "" for row in rows)
    return [Column("warmth", cells, minor=set(cells) <= {"", "warm"})] if any(cells) else []


def cold_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return tables that hold warm figures against those of the first round, for each experiment with any."""
    found = [_cold(name, rows) for name in dict.fromkeys(row.experiment for row in rows)]
    return [extra for extra in found if extra]


def _cold(experiment: str, rows: Sequence[Row]) -> Extra | None:
    beside = [row for row in rows if row.experiment == experiment]
    known = [(row, row.warmth) for row in ordered(beside) if row.warmth and row.warmth.cold_per_s]
    columns = [
        Column(
            "who", tuple(label(row) for row, _ in known), names=True, of=tuple(row.anchor for row, _ in known)
        ),
        Column("at", tuple(point(row, beside) for row, _ in known)),
        Column("cold trips/s", tuple(formatting.count(one.cold_per_s) for _, one in known)),
        Column("trips/s", tuple(formatting.count(row.mean(RATE)) for row, _ in known)),
        Column("cold mean", tuple(formatting.duration(one.cold_mean_us) for _, one in known)),
        Column("mean", tuple(formatting.duration(row.mean(MEAN)) for row, _ in known)),
        Column("cold CPU", tuple(formatting.duration(one.cold_cpu_us) for _, one in known)),
        Column("CPU", tuple(formatting.duration(one.cpu_us) for _, one in known)),
        Column("warmed up for", tuple(f"{one.warm_up_s:.1f} s" for _, one in known)),
    ]
    return Extra(f"{experiment}: cold, and as measured", columns, _COLD) if known else None
