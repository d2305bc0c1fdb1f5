"""What an open loop shows besides what is usual: which messages could not be sent when they were due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging.open_loop import LATE_SENDS, LATEST_SEND
from formicary_bench.reports import formatting
from formicary_bench.reports.document.points import named
from formicary_bench.reports.document.report import Report
from formicary_bench.results.summary.each import samples_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def open_loop_remarks(rows: Sequence[Row]) -> list[str]:
    """Say which messages could not be sent when they were due."""
    late = []
    for row in rows:
        found = samples_of(row.each)
        many = round(sum(found.get(LATE_SENDS.name, ())))
        if many:
            latest = formatting.duration(max(found[LATEST_SEND.name]))
            late.append(f"{named(row, rows)} ({formatting.number(many)}, the latest by {latest})")
    if not late:
        return []
    sentence = f"Messages that were sent more than a millisecond after they were due: {', '.join(late)}"
    return [f"{sentence}. Their times count from when they were due."]


REPORT = Report(remarks=open_loop_remarks)
