"""How rows of `observe/watch` are made: each is held against agents that nobody watches, by its rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import RATE
from formicary_bench.results.summary.round_trips import Exchanges

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Row


class Watched(Exchanges):
    """Of agents that are watched."""

    compared_by = (RATE,)

    def is_held_against(self, row: Row, base: Row) -> bool:
        """Return whether a row is held against another one: that of the same load, with no viewer."""
        same_load = (row.pairs, row.payload_bytes) == (base.pairs, base.payload_bytes)
        return row.platform == "watched" and base.platform == "formicary" and same_load


SUMMARY = Watched()
