"""How rows of styles are made: each is held against the agents of the README, by its rate alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.each import RATE
from formicary_bench.results.summary.round_trips import Exchanges

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Row


class Styles(Exchanges):
    """Of ways to write agents."""

    compared_by = (RATE,)

    def is_held_against(self, row: Row, base: Row) -> bool:
        """Return whether a style is held against another row: that of the usual agents, or micro-agents."""
        usual = "micro" if row.kind.startswith("micro") else "behaviours"
        same_load = (row.pairs, row.payload_bytes) == (base.pairs, base.payload_bytes)
        return row.platform == "style" and (base.platform, base.kind) == ("formicary", usual) and same_load


SUMMARY = Styles()
