"""Where rows stand in their experiment: by what varies there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.vocabulary.names import TRAFFIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.summary.row import Row


def point(row: Row, rows: Iterable[Row]) -> str:
    """Say where a row stands in its experiment: by all that varies there, or else by how many there are."""
    return _varying(row, rows, str(row.senders)) or (
        formatting.number(row.agents or row.loop) if row.agents or row.loop else str(row.senders)
    )


def named(row: Row, rows: Iterable[Row]) -> str:
    """Say which row of an experiment this is: its series, and what varies there, if anything does."""
    at = _varying(row, rows, f"{row.senders} at once")
    return ", ".join(filter(None, (label(row), at)))


def _varying(row: Row, rows: Iterable[Row], senders: str) -> str:
    rows = list(rows)
    said = {
        "senders": senders,
        "pairs": f"{row.pairs} receivers",
        "payload_bytes": formatting.short(formatting.size(row.payload_bytes)),
        "agents": formatting.number(row.agents),
        "services": formatting.number(row.services),
        "containers": f"{row.containers} containers",
        "hosts": f"{row.hosts} hosts",
        "rate": f"{formatting.number(row.rate)}/s",
        "arrivals": row.arrivals,
        "mix": row.mix,
        "requests": formatting.counted(row.requests, "request"),
        "database": row.database,
        "delay_us": f"delay {formatting.short(formatting.duration(row.delay_us))}",
        "dimension": f"{formatting.number(row.dimension**2)} cells",
        "swaps": formatting.counted(row.swaps, "swap"),
        "echoes": f"{formatting.number(row.echoes)} receivers" if row.echoes else "ring",
        "loop": f"loops of {formatting.number(row.loop)}",
    }
    if row.family == TRAFFIC:
        del said["containers"]
    if row.senders != 1 or len({one.senders for one in rows}) > 1:  # else one sends to all of them
        del said["pairs"]
    there = [one for one in rows if one.placement == row.placement]  # the label says the place, and the cores
    varying = [
        text
        for name, text in said.items()
        if len({getattr(one, name) for one in (there if name == "hosts" else rows)}) > 1
    ]
    return " / ".join(varying)


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Return rows in the order of tables: series by series."""
    return [row for members in by_series(rows).values() for row in members]
