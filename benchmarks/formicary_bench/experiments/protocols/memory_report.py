"""What many conversations of one agent show besides what is usual: what each holds."""

from __future__ import annotations

from formicary_bench.reports.charts.plots import holdings
from formicary_bench.reports.document.report import Report

REPORT = Report(charts=lambda rows: holdings("Memory that each conversation holds", rows, "agents"))
