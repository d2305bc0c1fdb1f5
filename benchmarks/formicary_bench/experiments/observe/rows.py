"""Rows of `observe/watch`: each repetition runs with a viewer and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.observe import CHANGED_RATE, CPU
from formicary_bench.results.summary.round_trips import exchanges

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.vocabulary.metrics import Metric


def _times(_: Any, repetition: Repetition, __: Any) -> dict[Metric, float | None]:
    return {metric: repetition.counters.get(metric.name) for metric in (CPU, CHANGED_RATE)}


# Watched agents are compared with those in the same process.
SUMMARY = exchanges(_times, has_rate=False, is_held_against=lambda _, __: False)
