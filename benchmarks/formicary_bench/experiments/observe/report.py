"""What `observe/watch` found: what a viewer costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report
from formicary_bench.results.verdicts.verdicts import others_of
from formicary_bench.statistics.comparisons import FEWEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def watch_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what each way to be watched costs, where most pairs talk."""
    most = max((row.pairs for row in rows), default=0)
    held = [(row, one) for row in ordered(rows) for one in row.compared if row.pairs == most]
    if held and not any(one.comparison.ratio for _, one in held):
        return [f"What a viewer costs: to say so takes {FEWEST} or more repetitions."]
    return [
        told(
            f"{label(row)}, against agents that nobody watches, with {formatting.counted(most, 'pair')}: ",
            cite(one.comparison.sentence, row, *others_of(row, one, rows)),
            ".",
        )
        for row, one in held
    ]


REPORT = Report(sentences=watch_sentences)
