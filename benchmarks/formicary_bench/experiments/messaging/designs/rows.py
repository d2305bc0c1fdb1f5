"""How rows of designs are made: each is held against the one that it is a change of, by its rate alone."""

from __future__ import annotations

from formicary_bench.experiments.messaging.designs.changes import is_change_of
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.vocabulary.metrics import RATE

SUMMARY = exchanges(compared_by=(RATE,), is_held_against=is_change_of)
