"""What visits to a shop found: from how many requests on it is faster to go to the data."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile.web_shop.rows import TAKES, point
from formicary_bench.reports import formatting
from formicary_bench.reports.charts import scales
from formicary_bench.reports.charts.lines import Axis, Point
from formicary_bench.reports.charts.plots import Chart, intervals, lines_of, tick
from formicary_bench.reports.charts.series import PLACES, by_series, label
from formicary_bench.reports.document.report import Report, no_ratios
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.tables import NOT_VALID, Column, or_invalid
from formicary_bench.results.summary.each import PEAK, SUSTAINED
from formicary_bench.vocabulary.shop import FETCHES, MIXES, PAGE_BYTES, SQLITE, TRAVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.results.summary.row import Row

_REMARK = (
    "The mixes of requests are those of TPC-W; these are no results of TPC-W, whose rules are about a whole "
    "shop with its visitors' pauses."
)


def shop_columns(unordered: Sequence[Row]) -> list[Column]:
    """Return the table of `mobile/web-shop`."""
    rows = _ordered(unordered)
    return [
        Column("who", tuple(label(row) for row in rows), names=True, of=tuple(row.anchor for row in rows)),
        Column("mix", tuple(row.mix for row in rows), names=True),
        Column("requests", tuple(formatting.number(row.requests) for row in rows)),
        Column("clients", tuple(str(row.pairs) for row in rows), minor=len({row.pairs for row in rows}) == 1),
        Column(
            "database",
            tuple(row.database for row in rows),
            names=True,
            minor=len({row.database for row in rows}) == 1,
        ),
        Column(
            "delay",
            tuple(
                formatting.short(formatting.duration(row.delay_us)) if row.delay_us else "" for row in rows
            ),
            minor=not any(row.delay_us for row in rows),
        ),
        Column(
            "where", tuple(PLACES.get(row.placement, row.placement) for row in rows), names=True, minor=True
        ),
        Column("a visit", tuple(or_invalid(row, formatting.duration(row.rtt_mean_us)) for row in rows)),
        Column("95%", tuple(formatting.spread(row.rtt_mean_us, row.rtt_ci95_us) for row in rows)),
        Column("visits/s, sustained", tuple(formatting.count(_figure(row, SUSTAINED)) for row in rows)),
        Column("peak", tuple(formatting.count(_figure(row, PEAK)) for row in rows)),
        Column("requests/s", tuple(formatting.count(_requests_per_s(row)) for row in rows)),
        Column(
            "all visits", tuple(formatting.duration(_us(_figure(row, TAKES))) for row in rows), minor=True
        ),
        Column("pages of a visit", tuple(formatting.size(_figure(row, PAGE_BYTES)) for row in rows)),
        Column("against the other way", tuple(_against(row, rows) for row in rows)),
        *stability_column(rows),
    ]


def shop_sentences(rows: Sequence[Row]) -> list[str]:
    """Say of each mix from how many requests on it is faster to go to the data."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.rtt_mean_us is not None and not row.invalid:
            mix, _, *rest = point(row)
            groups.setdefault((mix, *rest), []).append(row)
    said = [_turning_point(members) for members in groups.values()]
    return [sentence for sentence in said if sentence]


def _turning_point(rows: Sequence[Row]) -> str:
    """Say it of rows that differ in the way and in the number of requests alone."""
    ways = {way: {row.requests: row for row in rows if row.kind == way} for way in (TRAVELS, FETCHES)}
    both = sorted(ways[TRAVELS].keys() & ways[FETCHES].keys())
    if not both:
        return ""
    gains = {many: _mean_us(ways[FETCHES][many]) / _mean_us(ways[TRAVELS][many]) for many in both}
    row = rows[0]
    clients = "" if row.pairs == 1 else f" and {row.pairs} clients"
    time = formatting.short(formatting.duration(row.delay_us))
    delay = f", packets {time} on their way" if row.delay_us else ""
    begin = f"With the {row.mix} mix{clients}, {_where(row)} and {row.database}{delay},"
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
    known = [row for row in rows if row.rtt_mean_us is not None and row.requests]
    by_mix = {mix: [row for row in known if row.mix == mix] for mix in MIXES}
    return [_chart(mix, of_it) for mix, of_it in by_mix.items() if len({row.requests for row in of_it}) > 1]


def _chart(mix: str, rows: list[Row]) -> Chart:
    shown = [row for members in by_series(rows).values() for row in _least(members)]
    across = Axis("requests of a visit", lambda many: formatting.number(int(many)), scales.logarithmic_at)
    chart = lines_of(shown, across, Axis("time of a visit", tick), lambda row: [_point(row)])
    caption = f"Mean time from the client's request to what its agent brings. {intervals(rows)}"
    return Chart(f"Time of a visit against its requests, {mix} mix", caption, chart, shop_columns(rows))


def _least(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of one database, the shortest delay and the fewest clients: a point for each length."""

    def which(row: Row) -> tuple[bool, int, int]:
        return row.database != SQLITE, row.delay_us, row.pairs

    known = list(rows)
    return [row for row in known if which(row) == min(map(which, known))]


def _point(row: Row) -> Point:
    unsound = f", {NOT_VALID}" if row.invalid else ""
    many = formatting.one_or(row.requests, "request")
    tip = f"{many}: {formatting.duration(row.rtt_mean_us)}{unsound}"
    return Point(x=row.requests, y=_mean_us(row), tip=tip, sound=not row.invalid)


def shop_remarks(rows: Sequence[Row]) -> list[str]:
    """Say what these figures are not."""
    del rows
    return [_REMARK]


def _against(row: Row, rows: Sequence[Row]) -> str:
    other = next(
        (one for one in rows if one.kind == FETCHES and row.kind == TRAVELS and point(one) == point(row)),
        None,
    )
    if other is None or row.rtt_mean_us is None or other.rtt_mean_us is None or row.invalid or other.invalid:
        return ""
    return f"{formatting.times(_mean_us(other) / _mean_us(row))} times as fast"


def _figure(row: Row, name: str) -> float | None:
    values = [one.value for each in row.each for one in each.others if one.figure == name]
    return fmean(values) if values else None


def _requests_per_s(row: Row) -> float | None:
    visits = _figure(row, SUSTAINED)
    return None if visits is None else visits * row.requests


def _us(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e6


def _mean_us(row: Row) -> float:
    return row.rtt_mean_us or 0.0


def _where(row: Row) -> str:
    return f"between {PLACES.get(row.placement, row.placement)} by {row.route}"


def _ordered(rows: Iterable[Row]) -> list[Row]:
    """Return rows mix by mix, from short visits to long ones, both ways beside each other."""
    ways = (TRAVELS, FETCHES)
    return sorted(
        rows,
        key=lambda row: (
            *(
                MIXES.index(row.mix),
                row.database,
                row.placement,
                row.route,
                row.tls,
                row.delay_us,
                row.pairs,
                row.requests,
            ),
            ways.index(row.kind),
        ),
    )


REPORT = Report(
    columns=shop_columns,
    sentences=shop_sentences,
    charts=shop_charts,
    remarks=shop_remarks,
    ratios=no_ratios,
)
