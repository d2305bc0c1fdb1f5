"""How rows are made of uses of the directory."""

from __future__ import annotations

from formicary_bench.experiments.directory.hosts import changes
from formicary_bench.results.summary.round_trips import exchanges

SUMMARY = exchanges(has_rate=False)
VISITS = exchanges(changes, has_rate=False)
