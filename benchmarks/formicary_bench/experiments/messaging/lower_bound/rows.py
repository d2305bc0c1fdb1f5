"""How rows are made of the time that all messages take in all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.vocabulary.metrics import TOTAL

if TYPE_CHECKING:
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.vocabulary.metrics import Metric


def _total(_: Any, __: Any, measured: Exchanged) -> dict[Metric, float | None]:
    return {TOTAL: measured.load.elapsed_s}


SUMMARY = exchanges(_total)
