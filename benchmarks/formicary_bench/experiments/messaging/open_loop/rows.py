"""How rows are made of messages at a given rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.results.summary.each import P99
from formicary_bench.results.summary.round_trips import Exchanges
from formicary_bench.statistics.percentiles import of_ordered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _slow_ones(_: Any, __: Any, ___: Any, times: NDArray[np.int64]) -> dict[str, float | None]:
    return {P99: of_ordered(times, [0.99])[0] / 1e3}


SUMMARY = Exchanges(others=_slow_ones)
