"""What broadcasts found: how long it takes until all have answered, against how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import (
    Chart,
    against,
    dots,
    intervals,
    typical_columns,
    values,
)
from formicary_bench.reports.charts.series import PLACES, by_series, label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by, where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, or_invalid
from formicary_bench.results.summary.each import RATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def broadcast_columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of `messaging/broadcast`."""
    rows = [row for members in by_series(unordered).values() for row in members]
    bodies = tuple(formatting.short(formatting.size(row.payload_bytes)) for row in rows)
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column(
            "where", tuple(PLACES.get(row.placement, row.placement) for row in rows), names=True, minor=True
        ),
        Column("receivers", tuple(str(row.pairs) for row in rows)),
        Column("body", bodies, minor=len(set(bodies)) == 1),
        Column("mean", tuple(or_invalid(row, formatting.duration(row.rtt_mean_us)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in rows)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in rows)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in rows)),
        Column("answers/s", tuple(formatting.count(_answers(row)) for row in rows)),
        *baseline_columns(rows, unordered),
        *stability_column(rows),
    ]


def broadcast_sentences(rows: Sequence[Row]) -> list[str]:
    """Say what few and many receivers take, a sentence for each series that is no baseline."""
    said: list[str] = []
    for members in found_by(rows):
        few, many = (choose(members, key=lambda row: row.pairs) for choose in (min, max))
        who = formatting.one_or(many.pairs, "micro-agent" if many.kind == "micro" else "agent")
        least = cite(formatting.duration(few.rtt_p50_us), few)
        said.append(
            told(
                f"{where(many)}, {who} {'has' if many.pairs == 1 else 'have'} answered within ",
                cite(formatting.duration(many.rtt_p50_us), many),
                " (median)",
                "" if many is few else told(", one alone within ", least),
                "; that is ",
                cite(formatting.count(_answers(many)), many),
                " answers per second",
                after(all_of(many, rows, RATE)),
                ".",
            )
        )
    return said


def broadcast_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show how long it takes against the number of receivers, and how many answers there are per second."""
    known = [row for row in rows if row.rtt_mean_us is not None]
    if not known:
        return []
    found = []
    if len({row.pairs for row in known}) > 1:
        found.append(
            Chart(
                "Time until all have answered, against receivers",
                f"Mean time from the first send to the arrival of the last answer. {intervals(known)}",
                against(known, lambda row: row.pairs, "receivers", str, "until all have answered"),
                values(known, "receivers", lambda row: str(row.pairs)),
            )
        )
    top = [row for row in known if row.pairs == max(row.pairs for row in known)]
    receivers = top[0].pairs

    def write(rounds: float) -> str:
        return f"{formatting.count(rounds * receivers)}/s"

    speed = dots(top, RATE, "answers per second", write, lambda row: against_baseline(row, rows))
    title = f"Answers per second, {formatting.one_or(top[0].pairs, 'receiver')}"
    return [*found, Chart(title, "More is better.", speed, typical_columns(top, RATE, write))]


def _answers(row: Row) -> float | None:
    return None if row.round_trips_per_s is None else row.round_trips_per_s * row.pairs


REPORT = Report(
    columns=broadcast_columns, sentences=broadcast_sentences, charts=broadcast_charts, ratios=no_ratios
)
