"""What `messaging/styles` found: what each way of writing agents costs against the usual one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import ROUND_TRIPS
from formicary_bench.results.verdicts.verdicts import others_of
from formicary_bench.statistics.comparisons import FEWEST
from formicary_bench.subjects.registry import label_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def style_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what each style comes to against agents as most people write them, where most pairs talk."""
    most = max((row.exchange.pairs for row in rows), default=0)
    held = [(row, one) for row in ordered(rows) for one in row.compared if row.exchange.pairs == most]
    if held and not any(one.comparison.ratio for _, one in held):
        return [f"What each way of writing costs: to say so takes {FEWEST} or more repetitions."]
    return [
        told(
            f"{label(row)}, against {label_of(one.platform, one.kind).lower()} as the README has them, with "
            f"{formatting.counted(most, 'pair')}: ",
            cite(one.comparison.sentence, row, *others_of(row, one, rows)),
            ".",
        )
        for row, one in held
    ]


REPORT = replace(ROUND_TRIPS, sentences=style_sentences)
