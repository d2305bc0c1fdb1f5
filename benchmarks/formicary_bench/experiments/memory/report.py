"""What the experiments with memory found, in words, tables and charts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.memory import GROWTH_PER_MESSAGE, GROWTH_PER_S, HELD, MESSAGES, TRACED
from formicary_bench.experiments.memory.pipeline import SETTLING, each
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Axis, Dot, Dots, Lines, Point
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.scales import linear
from formicary_bench.reports.charts.series import by_series, label, subject
from formicary_bench.reports.document.figures import cite, joined, told, value_of
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import at_once, where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, metric_columns, who_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formicary_bench.reports.charts.series import Series
    from formicary_bench.reports.document.points import Findings
    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.estimates import Estimate


_BLOCKS = "▁▂▃▄▅▆▇█"
_CELLS = 20
_SHOWN = 5  # repetitions with distinguishable lines

Looks = tuple[tuple[float, float], ...]


def looks_of(row: Row) -> list[Looks]:
    """Return the memory of processes over time in each repetition: seconds and bytes."""
    found: dict[float, list[tuple[float, float]]] = {}
    for record in row.records:
        found.setdefault(record["repetition"], []).append((record["seconds"], record[HELD.name]))
    return [tuple(looks) for looks in found.values()]


def sparkline(row: Row) -> str:
    """Draw the memory over time in the last repetition, from its minimum to its maximum, as blocks."""
    looks = looks_of(row)
    if not looks:
        return ""
    held = [value for _, value in looks[-1]]
    cells = [held[place * len(held) // _CELLS] for place in range(_CELLS)] if len(held) > _CELLS else held
    least, most = min(cells), max(cells)
    # Variation below a thousandth is drawn as a flat line.
    span = max(most - least, most / 1000) or 1
    return "".join(_BLOCKS[round((value - least) / span * (len(_BLOCKS) - 1))] for value in cells)


def growth_charts(row: Row) -> list[Chart]:
    """Show the memory of a configuration under load, with the slope."""
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
    """Return the ends of a line with a slope, through the middle of the settled samples."""
    end = max(second for of_it in looks for second, _ in of_it)
    settled = [look for of_it in looks for look in of_it if look[0] >= end * SETTLING]
    middle = sum(second for second, _ in settled) / len(settled)
    height = sum(held for _, held in settled) / len(settled)
    return [_point(second, height + per_s * (second - middle)) for second in (end * SETTLING, end)]


def _megabytes(span: float) -> Callable[[float], str]:
    """Return a formatter of sizes with enough digits to tell apart values within `span`."""
    digits = max(0, 2 - math.floor(math.log10(max(span, 1) / 1e6)))
    return lambda value: f"{value / 1e6:.{min(digits, 4)}f} MB"


def _columns(looks: Sequence[Looks]) -> list[Column]:
    lines = [(number, *look) for number, of_it in enumerate(looks, 1) for look in of_it]
    return [
        Column("repetition", tuple(str(number) for number, _, _ in lines), names=True),
        Column("seconds", tuple(f"{second:.1f}" for _, second, _ in lines)),
        Column("holds", tuple(formatting.size(held) for _, _, held in lines)),
    ]


_PUBLISHED = 100  # idle agents of the paper


def memory_columns(rows: Findings) -> list[Column]:
    held = [(each(row, rows.run), each(row, rows.run, TRACED)) for row in rows]
    return [
        *who_columns(rows),
        *metric_columns(rows, (HELD, TRACED)),
        Column("each agent", tuple(formatting.size(one.mean) if one else "" for one, _ in held)),
        Column("95%", tuple(formatting.spread_of(one) for one, _ in held)),
        Column("each, traced", tuple(formatting.size(one.mean) if one else "" for _, one in held)),
        *stability_column(rows),
    ]


def memory_sentences(rows: Findings) -> list[str]:
    """Return sentences about the memory of processes."""
    found: list[str] = []
    without = [row for row in rows if not row.size("agents") and row.estimate(HELD)]
    said = [told(f"{_in_sentence(subject(row))} ", cite(value_of(row, HELD), row)) for row in without]
    if said:
        found.append(told("Of the memory a process has alone: ", joined(", ", said), "."))
    for members in by_series(row for row in rows if row.size("agents")).values():
        row = max(members, key=lambda row: row.size("agents"))
        uss, traced = each(row, rows.run), each(row, rows.run, TRACED)
        if uss and traced:
            found.append(
                told(
                    f"Each of {formatting.number(row.size('agents'))} idle {_idle(row)} holds ",
                    cite(formatting.size(uss.mean), row),
                    " (",
                    cite(formatting.size(traced.mean), row),
                    " by the runtime's own account).",
                )
            )
    return found


def memory_charts(rows: Findings) -> list[Chart]:
    """Show the memory of each state and of each agent."""
    columns = memory_columns(rows)
    few = [row for row in rows if row.size("agents") <= _PUBLISHED]
    having = [(row, each(row, rows.run)) for row in rows if row.size("agents")]
    whole = [_bar(row, one.mean, one.ci95) for row in few if (one := row.estimate(HELD))]
    parts = [_bar(row, one.mean, (one.low, one.high)) for row, one in having if one is not None]
    less = "Less is better. The unique set size: what the operating system gave to the process alone."
    charts = [
        ("Memory of a process", less, whole),
        ("Memory of each idle agent", f"{less} That of an open container is subtracted.", parts),
    ]
    return [
        Chart(titled(name, rows), caption, Dots({"": bars}, "unique set size", _tick), columns)
        for name, caption, bars in charts
        if bars
    ]


def _growth_columns(rows: Sequence[Row]) -> list[Column]:
    return [
        *who_columns(rows),
        *metric_columns(rows, (MESSAGES, replace(HELD, has_spread=False))),
        Column("over time", tuple(sparkline(row) for row in rows), names=True),
        Column("grows per second, 95%", tuple(_range(row.estimate(GROWTH_PER_S)) for row in rows)),
        Column("per message, 95%", tuple(_range(row.estimate(GROWTH_PER_MESSAGE)) for row in rows)),
        *stability_column(rows),
    ]


def _growth_sentence(row: Row) -> str:
    slope, per_message = row.estimate(GROWTH_PER_S), row.estimate(GROWTH_PER_MESSAGE)
    assert slope is not None
    pairs = f"{at_once(row)} of {_idle(row)}"
    over = f"{value_of(row, MESSAGES)} messages"
    begin = f"{where(row)}, under the load of {pairs}"
    if slope.ci95 is None or slope.ci95[0] <= 0 <= slope.ci95[1]:
        return told(
            f"{begin}, no growth is distinguishable from zero over {over}: ",
            cite(_range(slope), row),
            " per second (95%), ",
            cite(_range(per_message), row),
            " per message.",
        )
    verb = "grows" if slope.mean > 0 else "shrinks"
    return told(
        f"{begin}, memory {verb} by ",
        cite(_signed(abs(slope.mean)), row),
        f" per second (95%: {_range(slope)}), ",
        cite(_range(per_message), row),
        f" per message, over {over}.",
    )


def _bar(row: Row, value: float, bounds: tuple[float, float] | None) -> Dot:
    (series,) = by_series([row])
    many = f", {formatting.number(row.size('agents'))}" if row.size("agents") else ""
    name = msgspec.structs.replace(series, label=f"{series.label}{many}")
    return Dot(name, max(value, 0), formatting.size(value), bounds, of=row.anchor)


def _range(figure: Estimate | None) -> str:
    if figure is None:
        return formatting.NOTHING
    low, high = figure.ci95 or (figure.mean, figure.mean)
    return f"{_signed(low)} to {_signed(high)}"


def _signed(number: float) -> str:
    """Format bytes, which may be negative or less than one."""
    sign = "\N{MINUS SIGN}" if number < 0 else ""
    size = abs(number)
    return f"{sign}{formatting.digits(size, 2)} B" if size < 100 else f"{sign}{formatting.size(size)}"  # noqa: PLR2004


def _idle(row: Row) -> str:
    """Return the name of a row's agents."""
    if not row.kind:  # another platform's
        return f"agents of {subject(row)}"
    return "micro-agents" if row.kind == "micro" else "agents"


def _tick(value: float) -> str:
    return formatting.short(formatting.size(value))


def _in_sentence(name: str) -> str:
    return name if name.isupper() else name[0].lower() + name[1:]


def _growth_sentences(rows: Sequence[Row]) -> list[str]:
    return [_growth_sentence(row) for row in rows if row.estimate(GROWTH_PER_S)]


def _growth_charts(rows: Sequence[Row]) -> list[Chart]:
    return [chart for row in rows for chart in growth_charts(row)]


REPORT = Report(columns=memory_columns, sentences=memory_sentences, charts=memory_charts)
GROWTH = Report(columns=_growth_columns, sentences=_growth_sentences, charts=_growth_charts)
