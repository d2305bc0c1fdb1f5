"""What rounds of a service show besides what is usual: the paper's times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench import published
from formicary_bench.experiments.experiment import FRANTZ
from formicary_bench.published.claims import papers
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.tables import Extra
from formicary_bench.reports.document.usual import beside_published
from formicary_bench.vocabulary.metrics import TOTAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

TABLE = f"{FRANTZ}, Table 1"


def round_extras(rows: Sequence[Row]) -> list[Extra]:
    """Put the paper's times beside ours."""
    theirs: dict[str, dict[int, float]] = {}
    for one in published.service_times():
        theirs.setdefault(f"{one.platform} ({TABLE})", {})[one.rounds] = one.seconds
    columns = beside_published(rows, TOTAL, "requests", theirs)
    machine = papers()[FRANTZ].machine
    remark = f"By rounds. The paper's platforms were measured on {machine}: another machine, of another time."
    return [Extra("Beside the published times", columns, remark)] if columns else []


REPORT = Report(extras=round_extras, ratios=no_ratios)
