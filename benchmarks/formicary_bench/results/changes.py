"""Which design of delivery is a change of which other one, and so held against it.

In one process all are held against the hand-over by the sender, which takes the same detour out of the
platform's own path as they do; between two processes, against our agents by the same route. How the workers
of a pool compare to a single one is asked besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.platforms.catalogue import BUFFER, HAND_OVER, POOL, SAME

if TYPE_CHECKING:
    from formicary_bench.results.row import Row

_OURS = "formicary", "behaviours"
_HAND_OVER = "design", HAND_OVER
_BUFFER = "design", BUFFER


def is_change_of(row: Row, base: Row) -> bool:
    """Say whether a row of `messaging/designs` is of a design that is held against that of another row."""
    if _who(row) == _who(base) or _circumstances(row) != _circumstances(base):
        return False
    if row.placement != SAME:
        return _who(base) == _OURS
    return _who(base) == _HAND_OVER or (row.kind == POOL and _who(base) == _BUFFER)


def _who(row: Row) -> tuple[str, str]:
    return row.platform, row.kind


def _circumstances(row: Row) -> tuple[object, ...]:
    return row.placement, row.route, row.tls, row.pairs, row.payload_bytes
