"""What is said of several runs together: for the terminal, and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.document.tables import Extra


class ExperimentPage(msgspec.Struct, frozen=True):
    """What is said of one experiment: its name, its charts, and its tables."""

    experiment: str
    charts: list[Chart]
    tables: list[Extra]


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of several runs.

    Attributes:
        title: What it is about.
        found: What was found, in a few words: it stands above everything.
        is_good: Whether there is no reason to hesitate.
        picture: What is seen first; None where nothing can be drawn.
        remarks: What a reader should know before, in sentences.
        parts: A part for each experiment.
        method: How it was found, in sentences.
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
