"""Pictures of memory over time: a chart with the slope, and a line of blocks for the terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.memory import HELD
from formicary_bench.experiments.memory.growth import GROWTH_PER_S
from formicary_bench.experiments.memory.rows import SETTLING
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Lines, Point
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.scales import linear
from formicary_bench.reports.charts.series import by_series, label
from formicary_bench.reports.document.tables import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.reports.charts.series import Series
    from formicary_bench.results.summary.row import Row

_BLOCKS = "▁▂▃▄▅▆▇█"
_CELLS = 20
_SHOWN = 5  # repetitions whose lines can be told apart

Looks = tuple[tuple[float, float], ...]


def looks_of(row: Row) -> list[Looks]:
    """Return what processes held over time in each repetition: seconds and bytes."""
    found: dict[float, list[tuple[float, float]]] = {}
    for record in row.records:
        found.setdefault(record["repetition"], []).append((record["seconds"], record[HELD.name]))
    return [tuple(looks) for looks in found.values()]


def sparkline(row: Row) -> str:
    """Draw what the processes held in the last repetition, from its least to its most, as blocks."""
    looks = looks_of(row)
    if not looks:
        return ""
    held = [value for _, value in looks[-1]]
    cells = [held[place * len(held) // _CELLS] for place in range(_CELLS)] if len(held) > _CELLS else held
    least, most = min(cells), max(cells)
    # What varies by less than a thousandth is a line, not mountains.
    span = max(most - least, most / 1000) or 1
    return "".join(_BLOCKS[round((value - least) / span * (len(_BLOCKS) - 1))] for value in cells)


def growth_charts(row: Row) -> list[Chart]:
    """Show what the processes of a configuration held while the load went on, with the slope."""
    looks = looks_of(row)[:_SHOWN]
    if not looks:
        return []
    ((series, _),) = by_series([row]).items()
    lines = {
        _named(series, f"repetition {number}", series.dash): [_point(*look, row.anchor) for look in of_it]
        for number, of_it in enumerate(looks, 1)
    }
    per_s = row.mean(GROWTH_PER_S)
    if per_s is not None:
        lines[_named(series, "growth", "6 4", colour="t")] = _slope(per_s, looks)
    held = [point.y for line in lines.values() for point in line]
    chart = Lines(
        Axis("seconds of load", "{:g}".format, linear),
        Axis("memory held", _megabytes(max(held) - min(held)), linear),
        lines,
    )
    caption = (
        "The unique set size of the processes together. The dashed line has the median slope of the time "
        "after the first fifth."
    )
    return [
        Chart(f"Memory over time: {label(row)}, {row.exchange.pairs} pairs", caption, chart, _columns(looks))
    ]


def _named(series: Series, name: str, dash: str, colour: str = "") -> Series:
    return msgspec.structs.replace(
        series, label=f"{series.label}, {name}", dash=dash, colour=colour or series.colour
    )


def _point(seconds: float, held: float, of: str = "") -> Point:
    return Point(seconds, held, f"{seconds:.1f} s: {formatting.size(held)}", marked=False, of=of)


def _slope(per_s: float, looks: Sequence[Looks]) -> list[Point]:
    """Return the ends of a line with a slope, through the middle of all that was seen once it had settled."""
    end = max(second for of_it in looks for second, _ in of_it)
    settled = [look for of_it in looks for look in of_it if look[0] >= end * SETTLING]
    middle = sum(second for second, _ in settled) / len(settled)
    height = sum(held for _, held in settled) / len(settled)
    return [_point(second, height + per_s * (second - middle)) for second in (end * SETTLING, end)]


def _megabytes(span: float) -> Callable[[float], str]:
    """Return what writes sizes such that those that are apart by a part of `span` differ."""
    digits = max(0, 2 - math.floor(math.log10(max(span, 1) / 1e6)))
    return lambda value: f"{value / 1e6:.{min(digits, 4)}f} MB"


def _columns(looks: Sequence[Looks]) -> list[Column]:
    lines = [(number, *look) for number, of_it in enumerate(looks, 1) for look in of_it]
    return [
        Column("repetition", tuple(str(number) for number, _, _ in lines), names=True),
        Column("seconds", tuple(f"{second:.1f}" for _, second, _ in lines)),
        Column("holds", tuple(formatting.size(held) for _, _, held in lines)),
    ]
