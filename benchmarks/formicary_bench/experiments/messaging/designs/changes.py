"""Which design of delivery is a change of which other one, and so held against it.

In one process all are held against the hand-over by the sender, which takes the same detour out of the
platform's own path as they do; between two processes, against our agents by the same route, and so are tuned
agents in one. How a pool of
workers compares to a single one, and a chain of agents to the pool, is asked besides: the papers say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import BUFFER, CHAIN, HAND_OVER, POOL

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Row

_OURS = "formicary", "behaviours"
_HAND_OVER = "design", HAND_OVER
_BESIDES = {POOL: ("design", BUFFER), CHAIN: ("design", POOL)}


def is_change_of(row: Row, base: Row) -> bool:
    """Say whether a row of `messaging/designs` is of a design that is held against that of another row."""
    if _who(row) == _who(base) or _circumstances(row) != _circumstances(base):
        return False
    if row.placement != SAME or row.platform == "style":
        return _who(base) == _OURS
    return _who(base) in {_HAND_OVER, _BESIDES.get(row.kind)}


def _who(row: Row) -> tuple[str, str]:
    return row.platform, row.kind


def _circumstances(row: Row) -> tuple[object, ...]:
    return row.placement, row.route, row.tls, row.sizes
