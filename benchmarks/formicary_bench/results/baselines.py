"""Which floor a figure stands on: the baseline of the same run that does the same without agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.statistics.intervals import Interval
from formicary_bench.statistics.ratios import ratio

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.results.summary import Bounds, Row

BASELINES = {
    "tasks": "two bare asyncio tasks",
    "callbacks": "two bare callbacks",
    "tcp": "bare TCP sockets",
}
"""The platforms that are floors, and what a sentence calls them."""


def baseline_of(row: Row, rows: Iterable[Row]) -> Row | None:
    """Find the row that a figure is held against: the same work, the same size, no agents.

    Behaviours are held against tasks, micro-agents against callbacks (but created ones against tasks, as
    nobody creates a callback), two processes against TCP sockets. A baseline has no other baseline.
    """
    if row.platform in BASELINES:
        return None
    wanted = _wanted(row)
    fitting = (
        other
        for other in rows
        if other.platform == wanted and _size(other) == _size(row) and _measured(other)
    )
    return next(fitting, None)


def rivals_of(row: Row, rows: Iterable[Row]) -> list[Row]:
    """Find what other platforms do with the same work, of the same size, at the same placement.

    Only ours have rivals: the ratio of two other platforms is not what a run is about.
    """
    if row.platform != "formicary":
        return []
    return [
        other
        for other in rows
        if other.platform not in BASELINES
        and other.platform != row.platform
        and other.placement == row.placement
        and _size(other) == _size(row)
        and _measured(other)
    ]


def rate_ratio(row: Row, base: Row) -> Interval | None:
    """Give how many times the baseline's rate a row has, with its interval where both have one."""
    if row.agents:
        return _divide(row.agents_per_s, row.agents_per_s_ci95, base.agents_per_s, base.agents_per_s_ci95)
    return _divide(
        row.round_trips_per_s,
        row.round_trips_per_s_ci95,
        base.round_trips_per_s,
        base.round_trips_per_s_ci95,
    )


def median_ratio(row: Row, base: Row) -> float | None:
    """Give how many times the baseline's median round-trip time a row has."""
    if row.rtt_p50_us is None or not base.rtt_p50_us:
        return None
    return row.rtt_p50_us / base.rtt_p50_us


def _wanted(row: Row) -> str:
    if row.placement == "two-containers":
        return "tcp"
    return "callbacks" if row.kind == "micro" and not row.agents else "tasks"


def _size(row: Row) -> tuple[str, int, int, int, int]:
    return row.experiment, row.pairs, row.senders, row.payload_bytes, row.agents


def _measured(row: Row) -> bool:
    return row.round_trips_per_s is not None or row.agents_per_s is not None


def _divide(
    value: float | None, bounds: Bounds | None, base: float | None, base_bounds: Bounds | None
) -> Interval | None:
    if value is None or base is None:
        return None
    return ratio(Interval(value, *(bounds or (value, value))), Interval(base, *(base_bounds or (base, base))))
