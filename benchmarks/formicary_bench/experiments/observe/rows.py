"""How rows of `observe/watch` are made: each repetition has been with a viewer and without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.results.summary.round_trips import Exchanges
from formicary_bench.vocabulary.watching import CPU_TIMES, RATE_TIMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.configuration import Configuration


class Watched(Exchanges):
    """Of agents that are watched at times: what they are held against is in the same process."""

    def is_held_against(self, row: Row, base: Row) -> bool:
        """Return that no row is held against another one."""
        del row, base
        return False


def _times(_: Configuration, repetition: Repetition, *measured: Any) -> Mapping[str, float | None]:
    del measured
    return {figure: repetition.counters.get(figure) for figure in (CPU_TIMES, RATE_TIMES)}


SUMMARY = Watched(others=_times, has_rate=False)
