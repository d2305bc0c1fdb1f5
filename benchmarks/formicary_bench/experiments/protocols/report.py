"""What conversations cost: how many there are per second, and how long one takes to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.reports import formatting
from formicary_bench.reports.charts.plots import Chart, against, dots, intervals, typical_columns, values
from formicary_bench.reports.charts.series import PLACES, label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import against_baseline, all_of, baseline_columns
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.sentences import after, found_by, where
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, or_invalid
from formicary_bench.reports.document.warmth import warmth_column
from formicary_bench.results.summary.each import RATE
from formicary_bench.vocabulary.names import AUCTION, CONTRACT_NET, REQUEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_NAMES = {REQUEST: "request", CONTRACT_NET: "contract net", AUCTION: "auction"}


def columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of conversations."""
    rows = ordered(unordered)
    places = tuple(PLACES.get(row.placement, row.placement) for row in rows)
    of = tuple(row.anchor for row in rows)
    return [
        Column("who", tuple(map(label, rows)), names=True, of=of),
        Column("where", places, names=True, minor=len(set(places)) == 1),
        Column(f"{_partner(rows[0])}s", tuple(str(row.pairs) for row in rows)),
        Column(f"{_name(rows[0])}s/s", tuple(or_invalid(row, _rate(row)) for row in rows)),
        Column(
            "95%",
            tuple(formatting.spread(row.round_trips_per_s, row.round_trips_per_s_ci95) for row in rows),
        ),
        Column("to the end", tuple(formatting.duration(row.rtt_mean_us) for row in rows)),
        Column("median", tuple(formatting.duration(row.rtt_p50_us) for row in rows)),
        Column("p99", tuple(formatting.duration(row.rtt_p99_us) for row in rows)),
        *baseline_columns(rows, unordered),
        *warmth_column(rows),
        *stability_column(rows),
    ]


def sentences(rows: Sequence[Row]) -> list[str]:
    """Say what conversations with the most partners take, a sentence for each series of ours."""
    said: list[str] = []
    for members in found_by(rows):
        row = max(members, key=lambda row: row.pairs)
        said.append(
            told(
                f"{where(row)}, with {formatting.counted(row.pairs, _partner(row))}: ",
                cite(_rate(row), row),
                f" {_name(row)}s/s, each of which takes ",
                cite(formatting.duration(row.rtt_mean_us), row),
                " to its end (mean)",
                after(all_of(row, rows, RATE)),
                ".",
            )
        )
    return said


def charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the time to the end by partners, and the rates of the most of these."""
    known = [row for row in rows if row.rtt_mean_us is not None]
    if not known:
        return []
    name, partners, found = _name(known[0]), f"{_partner(known[0])}s", []
    if len({row.pairs for row in known}) > 1:
        lines = against(known, lambda row: row.pairs, partners, str, "to the end")
        table = values(known, partners, lambda row: str(row.pairs))
        found = [Chart(f"Time to the end of a {name}, against {partners}", intervals(known), lines, table)]
    most = max(row.pairs for row in known)
    last = [row for row in known if row.pairs == most]
    speed = dots(
        last, RATE, f"{name}s per second", formatting.per_second, lambda row: against_baseline(row, rows)
    )
    title = f"{name.capitalize()}s per second, {formatting.counted(most, _partner(known[0]))}"
    return [
        *found,
        Chart(title, "More is better.", speed, typical_columns(last, RATE, formatting.per_second)),
    ]


def _name(row: Row) -> str:
    return _NAMES.get(row.experiment, "conversation")


def _partner(row: Row) -> str:
    return "pair" if row.experiment == REQUEST else "bidder"


def _rate(row: Row) -> str:
    return formatting.count(row.round_trips_per_s)


REPORT = Report(columns=columns, sentences=sentences, charts=charts, ratios=no_ratios)
