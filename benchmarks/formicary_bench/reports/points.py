"""Where rows stand in their experiment: by what varies there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import figures
from formicary_bench.reports.series import by_series

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.row import Row


def point(row: Row, rows: Iterable[Row]) -> str:
    """Say where a row stands in its experiment: by all that varies there, or else by how many there are."""
    rows = list(rows)
    said = {
        "senders": str(row.senders),
        "payload_bytes": figures.short(figures.size(row.payload_bytes)),
        "agents": figures.number(row.agents),
        "services": figures.number(row.services),
        "containers": f"{row.containers} containers",
        "hosts": f"{row.hosts} hosts",
        "rate": f"{figures.number(row.rate)}/s",
        "arrivals": row.arrivals,
    }
    there = [one for one in rows if one.placement == row.placement]  # the label says the place
    varying = [
        text
        for name, text in said.items()
        if len({getattr(one, name) for one in (there if name == "hosts" else rows)}) > 1
    ]
    return " / ".join(varying) or said["agents" if row.agents else "senders"]


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Give rows in the order of tables: series by series."""
    return [row for members in by_series(rows).values() for row in members]
