"""What a grid shows besides what is usual: the paper's standard deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench import published
from formicary_bench.experiments.experiment import FRANTZ
from formicary_bench.experiments.grid.swap import DEVIATION
from formicary_bench.published.claims import papers
from formicary_bench.reports import formatting
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.tables import Extra
from formicary_bench.reports.document.usual import beside_published

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

TABLE = f"{FRANTZ}, Table 2"
PAPER_SWAPS = 1000
"""At how many swaps of the first agent the paper ends."""


def swap_extras(rows: Sequence[Row]) -> list[Extra]:
    """Put the paper's standard deviations beside ours, for each number of swaps at which all end."""
    return [
        extra
        for swaps in dict.fromkeys(row.size("swaps") for row in rows)
        for extra in _until(swaps, [row for row in rows if row.size("swaps") == swaps])
    ]


def _until(swaps: int, rows: Sequence[Row]) -> list[Extra]:
    theirs: dict[str, dict[int, float]] = {}
    for one in published.deviations():
        theirs.setdefault(f"{one.platform} ({TABLE})", {})[round(one.agents**0.5)] = one.swaps
    columns = beside_published(rows, DEVIATION, "dimension", theirs if swaps == PAPER_SWAPS else {})
    remark = (
        "By the cells of a side, with an agent in each. The paper's frameworks were measured on "
        f"{papers()[FRANTZ].machine}. A deviation grows with the root of the swaps: those until "
        f"{PAPER_SWAPS} can be held against theirs."
    )
    title = f"Standard deviations beside the published ones, until {formatting.counted(swaps, 'swap')}"
    return [Extra(title, columns, remark)] if columns else []


REPORT = Report(extras=swap_extras, ratios=no_ratios)
