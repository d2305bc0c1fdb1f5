"""How rows of `observe/watch` are made: each repetition has been with a viewer and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.observe import CHANGED_RATE, CPU
from formicary_bench.results.summary.round_trips import exchanges

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.metrics import Metric


def _times(_: Any, repetition: Repetition, __: Any) -> dict[Metric, float | None]:
    return {metric: repetition.counters.get(metric.name) for metric in (CPU, CHANGED_RATE)}


# What agents that are watched are held against is in the same process.
SUMMARY = exchanges(_times, has_rate=False, is_held_against=lambda _, __: False)
