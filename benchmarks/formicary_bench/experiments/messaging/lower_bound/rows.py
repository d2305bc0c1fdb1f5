"""How rows are made of the time that all messages take in all."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.results.summary.each import TOTAL
from formicary_bench.results.summary.round_trips import Exchanges
from formicary_bench.results.summary.row import bounds
from formicary_bench.statistics.intervals import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.exchanged import Measured
    from formicary_bench.results.summary.load import Load
    from formicary_bench.results.summary.row import Row


def _total(_: Any, __: Any, load: Load, ___: Any) -> dict[str, float | None]:
    return {TOTAL: load.elapsed_s}


def _with_total(row: Row, _: Any, __: Any, found: Sequence[Measured | None]) -> Row:
    """Fill in how long all round trips of T2 took."""
    totals = [one.load.elapsed_s for one in found if one is not None]
    if not totals:
        return row
    mean = math.fsum(totals) / len(totals)
    return msgspec.structs.replace(row, total_s=mean, total_s_ci95=bounds(mean_interval(totals), 1))


SUMMARY = Exchanges(others=_total, extended=_with_total)
