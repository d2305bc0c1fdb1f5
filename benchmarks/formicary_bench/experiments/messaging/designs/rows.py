"""How rows of designs are made: each is held against the one that it is a change of, by its rate alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging.designs.changes import is_change_of
from formicary_bench.results.summary.each import RATE
from formicary_bench.results.summary.round_trips import Exchanges

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Row


class Designs(Exchanges):
    """Of designs of delivery."""

    compared_by = (RATE,)

    def is_held_against(self, row: Row, base: Row) -> bool:
        """Return whether a design is a change of another one."""
        return is_change_of(row, base)


SUMMARY = Designs()
