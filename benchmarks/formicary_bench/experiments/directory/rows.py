"""How rows are made of uses of the directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.directory import SEEN, SEEN_COUNTER
from formicary_bench.experiments.directory.hosts import changes
from formicary_bench.results.summary.round_trips import exchanges

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.metrics import Metric


def _seen(_: Any, repetition: Repetition, __: Any) -> dict[Metric, float | None]:
    return {SEEN: repetition.counters.get(SEEN_COUNTER)}


SUMMARY = exchanges(has_rate=False)
REGISTRATIONS = exchanges(_seen, has_rate=False)
VISITS = exchanges(changes, has_rate=False)
