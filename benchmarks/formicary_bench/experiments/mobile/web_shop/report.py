"""What visits to a shop found: from how many requests on it is faster to go to the data."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Figure
from formicary_bench.experiments.mobile.web_shop import EXPERIMENT, VISIT, Shopping
from formicary_bench.experiments.mobile.web_shop.rows import is_other_way, point
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import PLACES, by_series
from formicary_bench.reports.document.report import Report
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import Column, metric_columns, who_columns
from formicary_bench.reports.document.usual import figure_charts
from formicary_bench.vocabulary.values import FETCHES, MIXES, SQLITE, TRAVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.results.summary.row import Row

_REMARK = (
    "The mixes of requests are those of TPC-W; these are no results of TPC-W, whose rules are about a whole "
    "shop with its visitors' pauses."
)


def shop_columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of `mobile/web-shop`."""
    rows = _ordered(unordered)
    return [
        *who_columns(rows),
        *metric_columns(rows, EXPERIMENT.shown),
        Column("against the other way", tuple(_against(row, rows) for row in rows)),
        *stability_column(rows),
    ]


def shop_sentences(rows: Sequence[Row]) -> list[str]:
    """Say of each mix from how many requests on it is faster to go to the data."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.estimate(VISIT) and not row.invalid:
            sizes = tuple(one for one in row.sizes if one[0] != "requests")
            groups.setdefault((sizes, *point(row)[1:]), []).append(row)
    said = [_turning_point(members) for members in groups.values()]
    return [sentence for sentence in said if sentence]


def _turning_point(rows: Sequence[Row]) -> str:
    """Say it of rows that differ in the way and in the number of requests alone."""
    ways = {way: {row.size("requests"): row for row in rows if row.kind == way} for way in (TRAVELS, FETCHES)}
    both = sorted(ways[TRAVELS].keys() & ways[FETCHES].keys())
    if not both:
        return ""
    gains = {many: _mean_us(ways[FETCHES][many]) / _mean_us(ways[TRAVELS][many]) for many in both}
    row = rows[0]
    of = Shopping.of(row)
    clients = "" if of.pairs == 1 else f" and {of.pairs} clients"
    time = formatting.short(formatting.duration(of.delay_us))
    delay = f", packets {time} on their way" if of.delay_us else ""
    begin = f"With the {of.mix} mix{clients}, {_where(row)} and {of.database}{delay},"
    ends = "; ".join(_lasts(many, ways) for many in dict.fromkeys((both[0], both[-1])))
    from_on = next((many for many in both if all(gains[more] > 1 for more in both if more >= many)), None)
    if from_on is None:
        verdict = "to go is faster at none of these lengths"
    elif from_on == both[0]:
        verdict = "to go is faster at all lengths that were measured"
    else:
        verdict = f"of the lengths that were measured, to go is faster from {from_on} requests on"
    return f"{begin} {ends}; {verdict}."


def _lasts(many: int, ways: Mapping[str, Mapping[int, Row]]) -> str:
    went, came = (formatting.duration(_mean_us(ways[way][many])) for way in (TRAVELS, FETCHES))
    visit = f"a visit of {formatting.one_or(many, 'request')}"
    return f"{visit} takes {went} where the agent goes to the data, and {came} where the data comes to it"


def shop_charts(rows: Sequence[Row]) -> list[Chart]:
    """Show the time of a visit against its requests, for each mix."""
    figure = Figure(
        metric=VISIT,
        over="requests",
        title="Time of a visit against its requests, {} mix",
        caption="Mean time from the client's request to what its agent brings.",
    )
    return [
        chart
        for mix in MIXES
        for of_it in [[row for row in rows if row.size("mix") == mix]]
        for chart in figure_charts(
            dataclasses.replace(figure, title=figure.title.format(mix)),
            [row for members in by_series(of_it).values() for row in _least(members)],
            EXPERIMENT,
        )
    ]


def _least(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of one database, the shortest delay and the fewest clients: a point for each length."""

    def which(row: Row) -> tuple[bool, int, int]:
        of = Shopping.of(row)
        return of.database != SQLITE, of.delay_us, of.pairs

    known = list(rows)
    return [row for row in known if which(row) == min(map(which, known))]


def shop_remarks(rows: Sequence[Row]) -> list[str]:
    """Say what these figures are not."""
    del rows
    return [_REMARK]


def _against(row: Row, rows: Sequence[Row]) -> str:
    other = next((one for one in rows if is_other_way(row, one)), None)
    if other is None or row.invalid or other.invalid or not _mean_us(row) or not _mean_us(other):
        return ""
    return f"{formatting.times(_mean_us(other) / _mean_us(row))} times as fast"


def _mean_us(row: Row) -> float:
    return row.mean(VISIT) or 0.0


def _where(row: Row) -> str:
    return f"between {PLACES.get(row.placement, row.placement)} by {row.route}"


def _ordered(rows: Iterable[Row]) -> list[Row]:
    """Return rows mix by mix, from short visits to long ones, both ways beside each other."""

    def place(row: Row) -> tuple[object, ...]:
        of = Shopping.of(row)
        where = row.placement, row.route, row.tls
        return (
            MIXES.index(of.mix),
            of.database,
            *where,
            of.delay_us,
            of.pairs,
            of.requests,
            row.kind != TRAVELS,
        )

    return sorted(rows, key=place)


REPORT = Report(
    columns=shop_columns,
    sentences=shop_sentences,
    charts=shop_charts,
    remarks=shop_remarks,
)
