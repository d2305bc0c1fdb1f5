"""The reports of experiments with messages and their answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import plots, scales
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.series import PLACES, by_series
from formicary_bench.reports.document.factors import against_baseline, all_of, main_metric
from formicary_bench.reports.document.figures import cite, told
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.sentences import after, at_once, found_by, plural, where
from formicary_bench.reports.document.tables import Column, load_word, metric_columns, who
from formicary_bench.results.summary.baselines import typical_of
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.statistics.intervals import Interval
from formicary_bench.statistics.ratios import less
from formicary_bench.vocabulary.metrics import LEAST, P90, P99, P999, RATE, SLOWEST, TIME
from formicary_bench.vocabulary.names import PAIRS
from formicary_bench.vocabulary.places import DIRECT, XMPP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from formicary_bench.reports.document.points import Findings
    from formicary_bench.results.summary.row import Row, Tail

_MEAN = "mean round-trip time"
_TAIL_MARKS = (0.5, 0.9, 0.99, 0.999, 0.9999)
_SAME = 1e-9
_CROWD = 10  # pairs from which on most of the time is waiting


def round_trip_sentences(rows: Sequence[Row]) -> list[str]:
    """Return the times of few and of many pairs, a sentence for each series that is not a baseline."""
    sentences = [_load(members, rows) for members in found_by(rows)]
    return [*sentences[:1], *filter(None, [server_adds(rows)]), *sentences[1:]]


def server_adds(rows: Sequence[Row]) -> str:
    """Return what the XMPP server adds to a message of one pair; empty if that is unknown."""
    by_anchor = {row.anchor: row for row in rows}
    for row in rows:
        is_message = row.experiment == PAIRS and row.kind == "behaviours" and row.exchange.load == 1
        other = by_anchor.get(msgspec.structs.replace(row, route=DIRECT).anchor)
        if is_message and row.route == XMPP and other and (said := _added(row, other)):
            return said
    return ""


def _added(row: Row, other: Row) -> str:
    """Return how much longer one takes than the other, if it certainly does."""
    found, ours, theirs = factor(row, other, TIME), typical_of(row, TIME), typical_of(other, TIME)
    if not (found and found.ratio and ours and theirs and ours.bounds and theirs.bounds):
        return ""
    more = less(Interval(ours.value, *ours.bounds), Interval(theirs.value, *theirs.bounds))
    if more.low <= 0:
        return ""
    step = 10.0 ** (math.floor(math.log10(ours.value)) - 2)  # as exact as the larger figure is written
    rounded = (step * round(one / step) for one in (more.mean, more.low, more.high))
    added, low, high = (formatting.short(formatting.duration(one)) for one in rounded)
    bounds = formatting.between(low, high).removesuffix(f" {added.partition(' ')[2]}")
    return told(
        f"The XMPP server adds {added} ({bounds}) to a message and its answer between "
        f"{PLACES[row.placement]}{' with TLS' if row.tls else ''}: ",
        cite(_time(row), row),
        " instead of ",
        cite(_time(other), other),
        ".",
    )


def round_trip_charts(found: Findings) -> list[plots.Chart]:
    """Show what varies with the number of pairs, for each size of a message."""
    panels = split(found, lambda row: row.exchange.payload_bytes)
    return [chart for size, panel in panels.items() for chart in load_charts(panel, size, found.tails)]


def _load(members: list[Row], rows: Sequence[Row]) -> str:
    few, many = fewest(members), most(members)
    between = "" if few.kind == "behaviours" else f" between {plural(few)}"
    held, crowded = (all_of(row, rows, main_metric(row)) for row in (few, many))
    said = told(
        f"{where(few)}{between}: ",
        cite(_time(few), few),
        f" median round trip with {at_once(few)}",
        after("" if held == crowded else held),  # which then is said of both
    )
    rate = typical_of(many, RATE)
    if rate is None:
        return told(said, after(held if held == crowded else ""), ".")
    crowd = "" if many is few else f" with {at_once(many)}"
    figure = cite(formatting.count(rate.value), many)
    return told(said, "; ", figure, f" round trips/s{crowd}", after(crowded), ".")


def _time(row: Row) -> str:
    known = typical_of(row, TIME)
    return formatting.duration(known.value if known else None)


def fewest(members: Sequence[Row]) -> Row:
    """Return the row of the fewest pairs."""
    return min(members, key=lambda row: (row.exchange.load, row.exchange.payload_bytes))


def most(members: Sequence[Row]) -> Row:
    """Return the row of the most pairs."""
    # Of the smallest body: a comparison of loads must not become one of sizes.
    return max(members, key=lambda row: (row.exchange.load, -row.exchange.payload_bytes))


def split(rows: Sequence[Row], by: Callable[[Row], int]) -> dict[int, list[Row]]:
    """Split rows that differ in a second parameter into panels."""
    panels: dict[int, list[Row]] = {}
    for row in rows:
        if row.mean(TIME) is not None:
            panels.setdefault(by(row), []).append(row)
    return panels


def load_charts(rows: Sequence[Row], size: int, tails: Mapping[Row, Tail]) -> list[plots.Chart]:
    """Show what varies with the number of pairs or senders."""
    body, word = formatting.short(formatting.size(size)), load_word(rows)
    loads = sorted({row.exchange.load for row in rows})
    found = []
    if len(loads) > 1:
        found.append(
            plots.Chart(
                titled(f"Round-trip time against {word}s ({body})", rows),
                f"{plots.intervals(rows)}{_waiting(rows)}".strip(),
                plots.against(rows, lambda row: row.exchange.load, f"{word}s at once", str, y_title=_MEAN),
                plots.values(rows, word + "s", lambda row: str(row.exchange.load)),
            )
        )
    top = [row for row in rows if row.exchange.load == loads[-1]]
    found.append(_compared(top, f"{formatting.one_or(loads[-1], word)} ({body})"))
    # The extremes: alone, where the path itself shows, and crowded, where queues do.
    for load in dict.fromkeys((loads[0], loads[-1])):
        if known := {row: tails[row] for row in rows if row.exchange.load == load and row in tails}:
            name = f"Distribution of round-trip times, {formatting.one_or(load, word)} ({body})"
            found.append(_tails(known, name))
    return found


def _waiting(rows: Iterable[Row]) -> str:
    """Return the remark that the time of many pairs includes waiting, if there are many."""
    many = max(row.exchange.load for row in rows)
    if many < _CROWD:
        return ""
    return f" With {many} at once, most of this time is spent queueing."


def _tails(tails: Mapping[Row, Tail], name: str) -> plots.Chart:
    """Make a chart of percentiles in which every nine takes the same room."""
    shown = [members[0] for members in by_series(tails).values()]
    across = Axis("part of all round trips", formatting.part, scales.tail)
    chart = plots.lines_of(
        shown,
        across,
        Axis("round-trip time at most", plots.tick),
        lambda row: _curve(tails[row], row.anchor),
        by_place=True,
    )
    caption = "Each step to the right is ten times rarer."
    return plots.Chart(name, f"{caption}{_waiting(tails)}", chart, _tail_columns(list(tails)))


def _curve(tail: Tail, of: str) -> list[Point]:
    return [
        Point(
            x=p,
            y=value,
            tip=f"{formatting.part(p)} take at most {formatting.duration(value)}",
            marked=any(abs(p - mark) < _SAME for mark in _TAIL_MARKS),
            of=of,
        )
        for p, value in zip(tail.probabilities, tail.values_us, strict=True)
    ]


def _compared(rows: Sequence[Row], at: str) -> plots.Chart:
    """Make a chart of the metric that rows are compared by, all placements on one scale."""
    metric = main_metric(rows[0])
    together = "All pairs together. " if metric is RATE else ""
    return plots.Chart(
        f"{metric.title.capitalize()}, {at}",
        f"{together}{plots.intervals(rows)}".strip(),
        plots.dots(rows, metric, lambda row: against_baseline(row, rows)),
        plots.typical_columns(rows, metric),
    )


def _tail_columns(rows: Sequence[Row]) -> list[Column]:
    lines = ordered(rows)
    return [who(lines), *metric_columns(lines, (LEAST, TIME, P90, P99, P999, SLOWEST))]
