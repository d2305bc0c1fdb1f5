"""How rows of styles are made: each is held against the agents of the README, by its rate alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.vocabulary.metrics import RATE

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Row


def _is_held_against(row: Row, base: Row) -> bool:
    """Return whether a style is held against another row: that of the usual agents, or micro-agents."""
    usual = "micro" if row.kind.startswith("micro") else "behaviours"
    is_usual = (base.platform, base.kind) == ("formicary", usual)
    return row.platform == "style" and is_usual and row.sizes == base.sizes


SUMMARY = exchanges(compared_by=(RATE,), is_held_against=_is_held_against)
