"""What is shown of experiments in which messages and their answers are exchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import (
    Chart,
    against,
    dots,
    intervals,
    lines_of,
    tick,
    typical_columns,
    values,
)
from formicary_bench.reports.charts.series import PLACES, by_series, label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.papers import titled
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.sentences import (
    after,
    at_once,
    found_by,
    plural,
    where,
)
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import UNEVEN, Column, load_word, or_invalid
from formicary_bench.reports.document.warmth import warmth_column
from formicary_bench.results.summary.each import RATE, TIME
from formicary_bench.results.summary.typical import typical_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from formicary_bench.reports.document.findings import Findings
    from formicary_bench.results.summary.row import Row, Tail

_TAIL_MARKS = (0.5, 0.9, 0.99, 0.999, 0.9999)
_SAME = 1e-9
_EMPTY = 0.5  # where no bytes at all are on an axis that has no zero
_CROWD = 10  # pairs from which on most of the time is waiting


def round_trip_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table of an experiment with round trips."""
    return [*message_columns(rows), *stability_column(ordered(rows))]


def round_trip_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what few and many pairs take, a sentence for each series that is no baseline."""
    return [_load(members, rows) for members in found_by(rows)]


def round_trip_charts(found: Findings) -> list[Chart]:
    """Show what varies with the number of pairs, for each size of a message."""
    panels = split(found, lambda row: row.payload_bytes)
    return [chart for size, panel in panels.items() for chart in load_charts(panel, size, found.tails)]


def size_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what small and large messages take, a sentence for each series that is no baseline."""
    return [_size(members) for members in found_by(rows)]


def charts_by_size(rows: Sequence[Row]) -> list[Chart]:
    """Show what varies with the size of a message, for each number of pairs."""
    panels = split(rows, lambda row: row.senders)
    return [chart for load, panel in panels.items() for chart in size_charts(panel, load)]


def message_columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of rows that exchange messages."""
    rows = ordered(unordered)
    bodies = [formatting.short(formatting.size(row.payload_bytes)) for row in rows]
    same_size = len(set(bodies)) == 1
    rates = [formatting.spread(row.round_trips_per_s, row.round_trips_per_s_ci95) for row in rows]
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column(
            "where", tuple(PLACES.get(row.placement, row.placement) for row in rows), names=True, minor=True
        ),
        Column(f"{load_word(rows)}s", tuple(str(row.senders) for row in rows)),
        Column("body", tuple(bodies), minor=same_size),
        Column("mean", tuple(or_invalid(row, formatting.duration(row.rtt_mean_us)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in rows)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in rows)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in rows)),
        Column("trips/s", tuple(formatting.count(row.round_trips_per_s) for row in rows)),
        Column("95% of trips/s", tuple(rates), minor=True),
        *baseline_columns(rows, unordered),
        *_checks(rows),
        *warmth_column(rows),
    ]


def _checks(rows: Sequence[Row]) -> list[Column]:
    """Return the column about full load, which matters most where it did not hold."""
    words = {True: "held", False: UNEVEN, None: ""}
    cells = tuple(words[row.full_load] for row in rows)
    return [Column("full load", cells, minor=UNEVEN not in cells)] if any(cells) else []


def _load(members: list[Row], rows: Sequence[Row]) -> str:
    few, many = fewest(members), most(members)
    between = "" if few.kind == "behaviours" else f" between {plural(few)}"
    held, crowded = all_of(few, rows, TIME), all_of(many, rows, RATE)
    said = told(
        f"{where(few)}{between}: ",
        cite(_time(few), few),
        f" there and back with {at_once(few)}",
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


def _size(members: list[Row]) -> str:
    small = min(members, key=lambda row: row.payload_bytes)
    large = max(members, key=lambda row: row.payload_bytes)
    between = "" if small.kind == "behaviours" else f" between {plural(small)}"
    said = told(
        f"{where(small)}, with {at_once(small)}, a message of {_body(small)} and its answer{between} take ",
        cite(formatting.duration(small.rtt_p50_us), small),
        " (median)",
    )
    if small is large:
        return told(said, ".")
    took = cite(formatting.duration(large.rtt_p50_us), large)
    return told(said, f", one of {_body(large)} takes ", took, ".")


def _body(row: Row) -> str:
    return formatting.short(formatting.size(row.payload_bytes))


def fewest(members: Sequence[Row]) -> Row:
    """Return the row of the fewest pairs."""
    return min(members, key=lambda row: (row.senders, row.payload_bytes))


def most(members: Sequence[Row]) -> Row:
    """Return the row of the most pairs."""
    # Of the smallest body: a comparison of loads must not become one of sizes.
    return max(members, key=lambda row: (row.senders, -row.payload_bytes))


def split(rows: Sequence[Row], by: Callable[[Row], int]) -> dict[int, list[Row]]:
    """Split what differs in a second parameter into panels of its own."""
    panels: dict[int, list[Row]] = {}
    for row in rows:
        if row.rtt_p50_us is not None:
            panels.setdefault(by(row), []).append(row)
    return panels


def load_charts(rows: Sequence[Row], size: int, tails: Mapping[Row, Tail]) -> list[Chart]:
    """Show what varies with the number of pairs or senders."""
    body, word = formatting.short(formatting.size(size)), load_word(rows)
    loads = sorted({row.senders for row in rows})
    found = []
    if len(loads) > 1:
        found.append(
            Chart(
                titled(f"Round-trip time against {word}s ({body})", rows),
                f"{intervals(rows)}{_waiting(rows)}".strip(),
                against(rows, lambda row: row.senders, f"{word}s at once", str),
                values(rows, word + "s", lambda row: str(row.senders)),
            )
        )
    top = [row for row in rows if row.senders == loads[-1]]
    found.append(_rates(top, f"Round trips per second, {formatting.one_or(loads[-1], word)} ({body})"))
    # The extremes: alone, where the path itself shows, and crowded, where queues do.
    for load in dict.fromkeys((loads[0], loads[-1])):
        if known := {row: tails[row] for row in rows if row.senders == load and row in tails}:
            name = f"Distribution of round-trip times, {formatting.one_or(load, word)} ({body})"
            found.append(_tails(known, name))
    return found


def size_charts(rows: Sequence[Row], load: int) -> list[Chart]:
    """Show what varies with the size of a message."""

    def body(size: float) -> str:
        return formatting.short(formatting.size(int(size)))

    largest = max(row.payload_bytes for row in rows)
    found = []
    if len({row.payload_bytes for row in rows}) > 1:
        found.append(
            Chart(
                titled(f"Round-trip time against size of the body, {formatting.one_or(load, 'pair')}", rows),
                intervals(rows),
                against(rows, lambda row: row.payload_bytes or _EMPTY, "bytes in the body", body),
                values(rows, "body", lambda row: body(row.payload_bytes)),
            )
        )
    top = [row for row in rows if row.payload_bytes == largest]
    return [
        *found,
        _rates(top, f"Round trips per second with {body(largest)}, {formatting.one_or(load, 'pair')}"),
    ]


def _waiting(rows: Iterable[Row]) -> str:
    """Say what the time of many pairs is, where there are many."""
    many = max(row.senders for row in rows)
    if many < _CROWD:
        return ""
    return f" With {many} at once, most of it is waiting in line."


def _tails(tails: Mapping[Row, Tail], name: str) -> Chart:
    """Make a chart of percentiles in which every nine takes the same room."""
    shown = [members[0] for members in by_series(tails).values()]
    across = Axis("part of all round trips", formatting.part, scales.tail)
    chart = lines_of(
        shown, across, Axis("takes at most", tick), lambda row: _curve(tails[row], row.anchor), by_place=True
    )
    caption = "Each step to the right leaves out nine tenths of what was left."
    return Chart(name, f"{caption}{_waiting(tails)}", chart, _tail_columns(tails))


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


def _rates(rows: Sequence[Row], name: str) -> Chart:
    """Make a chart of rates, all placements on one scale."""
    chart = dots(
        rows, RATE, "round trips per second", formatting.per_second, lambda row: against_baseline(row, rows)
    )
    caption = "All pairs together; 95% intervals."
    return Chart(name, caption, chart, typical_columns(rows, RATE, formatting.per_second))


def _tail_columns(rows: Iterable[Row]) -> list[Column]:
    ordered = [row for members in by_series(rows).values() for row in members]
    kinds = {"fastest": "min", "50%": "p50", "90%": "p90", "99%": "p99", "99.9%": "p999", "slowest": "max"}
    return [
        Column(
            "who", tuple(label(row) for row in ordered), names=True, of=tuple(row.anchor for row in ordered)
        ),
        *(
            Column(name, tuple(formatting.duration(getattr(row, f"rtt_{field}_us")) for row in ordered))
            for name, field in kinds.items()
        ),
    ]
