"""How rows are made of messages at a given rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.messaging.open_loop import LATE_SENDS, LATEST_SEND, UNANSWERED
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.statistics.percentiles import of_ordered
from formicary_bench.vocabulary.metrics import P99
from formicary_bench.vocabulary.values import LATE, LATEST_US

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.vocabulary.metrics import Metric


def _slow_ones(_: Any, repetition: Repetition, measured: Exchanged) -> dict[Metric, float | None]:
    return {
        P99: of_ordered(measured.times, [0.99])[0] / 1e3,
        LATE_SENDS: repetition.counters.get(LATE, 0.0),
        UNANSWERED: float(repetition.lost),
        LATEST_SEND: repetition.counters.get(LATEST_US, 0.0),
    }


SUMMARY = exchanges(_slow_ones)
