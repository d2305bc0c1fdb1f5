"""Reports on several runs together: for the terminal, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.document.tables import Extra


class ExperimentPage(msgspec.Struct, frozen=True):
    """The part about one experiment: its name, its charts, and its tables."""

    experiment: str
    charts: list[Chart]
    tables: list[Extra]


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """A report on several runs.

    Attributes:
        title: Its title.
        found: The result in a few words, shown above everything.
        is_good: Whether there is no reason to hesitate.
        picture: The first picture; None if nothing can be drawn.
        remarks: What a reader should know first, in sentences.
        parts: A part for each experiment.
        method: The method, in sentences.
        facts: A further table, of the runs.
    """

    title: str
    found: str
    is_good: bool
    picture: Chart | None
    remarks: list[str]
    parts: list[ExperimentPage]
    method: str
    facts: Extra
