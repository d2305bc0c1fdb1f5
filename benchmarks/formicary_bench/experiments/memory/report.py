"""What the experiments with memory found, in words, tables and charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.memory import HELD, TRACED
from formicary_bench.experiments.memory.growth import GROWTH_PER_MESSAGE, GROWTH_PER_S, MESSAGES
from formicary_bench.experiments.memory.report_growth import growth_charts, sparkline
from formicary_bench.experiments.memory.rows import each
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.lines import Dot, Dots
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.series import by_series, subject
from formicary_bench.reports.document.citing import cite, joined, told
from formicary_bench.reports.document.figures import value_of
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.sentences import at_once, where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, metric_columns, who_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.reports.document.points import Findings
    from formicary_bench.results.summary.row import Row
    from formicary_bench.statistics.estimates import Estimate

_PUBLISHED = 100  # idle agents of the paper


def memory_columns(rows: Findings) -> list[Column]:
    """Return the table of the rows of `memory`."""
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
    """Say what processes hold."""
    found: list[str] = []
    without = [row for row in rows if not row.size("agents") and row.estimate(HELD)]
    said = [told(f"{_lower(subject(row))} ", cite(value_of(row, HELD), row)) for row in without]
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
                    " by Python's own account).",
                )
            )
    return found


def memory_charts(rows: Findings) -> list[Chart]:
    """Show what each state holds, and what each agent does."""
    columns = memory_columns(rows)
    few = [row for row in rows if row.size("agents") <= _PUBLISHED]
    having = [(row, each(row, rows.run)) for row in rows if row.size("agents")]
    whole = [_bar(row, one.mean, one.ci95) for row in few if (one := row.estimate(HELD))]
    parts = [_bar(row, one.mean, (one.low, one.high)) for row, one in having if one is not None]
    less = "Less is better. The unique set size: what the operating system gave to the process alone."
    charts = [
        ("Memory of a process", less, whole),
        ("Memory of each idle agent", f"{less} That of an open container is taken off.", parts),
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
            f"{begin}, there is no growth that could be told from zero over {over}: ",
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
    """Write bytes, which may be fewer than none, or less than one."""
    sign = "\N{MINUS SIGN}" if number < 0 else ""
    size = abs(number)
    return f"{sign}{formatting.digits(size, 2)} B" if size < 100 else f"{sign}{formatting.size(size)}"  # noqa: PLR2004


def _idle(row: Row) -> str:
    return "micro-agents" if row.kind == "micro" else "agents"


def _tick(value: float) -> str:
    return formatting.short(formatting.size(value))


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _growth_sentences(rows: Sequence[Row]) -> list[str]:
    return [_growth_sentence(row) for row in rows if row.estimate(GROWTH_PER_S)]


def _growth_charts(rows: Sequence[Row]) -> list[Chart]:
    return [chart for row in rows for chart in growth_charts(row)]


REPORT = Report(columns=memory_columns, sentences=memory_sentences, charts=memory_charts)
GROWTH = Report(columns=_growth_columns, sentences=_growth_sentences, charts=_growth_charts)
