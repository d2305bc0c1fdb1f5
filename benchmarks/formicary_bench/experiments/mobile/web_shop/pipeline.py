"""The visits to a shop, their rates as in Dikaiakos 2001, and what they found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.experiments.mobile import web_shop
from formicary_bench.experiments.mobile.web_shop import VISIT, Shopping
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import PLACES
from formicary_bench.reports.document.report import Report
from formicary_bench.results.store.raw import MEASURED
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.runner.forecast.default_durations import DefaultDuration
from formicary_bench.vocabulary.metrics import RATE, TIME
from formicary_bench.vocabulary.places import APART, DIRECT
from formicary_bench.vocabulary.values import FETCHES, ORDERS_MADE, PAGE_BYTES, TRAVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric


_VISIT_S, _REQUEST_S = 0.002, 0.0003


def visits(draft: Draft) -> Iterator[Draft]:
    """Yield a draft with its visits; clients continue until the slowest is measured.

    Raises:
        UsageError: a delay is not possible on this route.
    """
    if draft.sizes.get("delay_us"):
        _check_delay(draft)
    warm_up, measured, cool_down = draft.asked_rounds or draft.experiment.sizes["rounds"]
    if draft.sizes["pairs"] > 1 and not draft.options.sizes.get("rounds"):
        cool_down = cool_down or measured
    yield draft.sized(rounds=(warm_up, measured, cool_down))


def duration(one: Configuration, begin: float) -> DefaultDuration:
    """Estimate the duration of the visits."""
    sizes = Shopping.of(one)
    return DefaultDuration(begin, sizes.trips * sizes.load * (_VISIT_S + sizes.requests * _REQUEST_S))


def _check_delay(draft: Draft) -> None:
    if draft.layout.placement != APART:
        raise UsageError(
            "--delay is for two processes on this machine: omit it, and set the delay of the "
            "hosts, for example with `formicary hosts lab up --delay 2ms`"
        )
    if draft.carrier.route != DIRECT:
        raise UsageError("--delay is for direct links, without a server: use --route direct")


_PARTS = 10  # of all visits, as many as one of so many parts has come one after the other for a peak


def total_s(starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> float:
    """Return the time from the start of the first visit to the end of the last."""
    return float(ends_ns.max() - starts_ns.min()) / 1e9


def sustained(starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> float | None:
    """Return the rate of all visits."""
    seconds = total_s(starts_ns, ends_ns)
    return len(ends_ns) / seconds if seconds > 0 else None


def peak(starts_ns: NDArray[np.int64], ends_ns: NDArray[np.int64]) -> float | None:
    """Return the highest rate of visits, over a tenth of them in a row; a single one would be luck."""
    import numpy as np

    ends = np.sort(np.append(ends_ns, starts_ns.min()))
    many = max(len(ends_ns) // _PARTS, 1)
    shortest = (ends[many:] - ends[:-many]).min()
    return float(many * 1e9 / shortest) if shortest > 0 else None


def _visits(
    configuration: Configuration, repetition: Repetition, measured: Exchanged
) -> dict[Metric, float | None]:
    data = measured.data
    counts = data.phase == MEASURED
    starts = data.start_ns[counts]
    ends = starts + data.rtt_ns[counts]
    per_s = sustained(starts, ends)
    requests = web_shop.Shopping.of(configuration).requests
    return {
        web_shop.PEAK_VISITS: peak(starts, ends),
        web_shop.SUSTAINED_VISITS: per_s,
        web_shop.REQUESTS_PER_S: None if per_s is None else per_s * requests,
        web_shop.TAKES: total_s(starts, ends),
        web_shop.PAGES: repetition.counters.get(PAGE_BYTES),
        web_shop.ORDERS: repetition.counters.get(ORDERS_MADE),
    }


def is_other_way(row: Row, other: Row) -> bool:
    """Return whether another row is the other way at the same place."""
    return (row.kind, other.kind) == (TRAVELS, FETCHES) and point(row) == point(other)


def point(row: Row) -> tuple[object, ...]:
    """Return the configuration of a row without its way."""
    return row.sizes, row.placement, row.hosts, row.route, row.tls


SUMMARY = exchanges(_visits, compared_by=(TIME, RATE), is_held_against=is_other_way)


_REMARK = (
    "The mixes of requests are those of TPC-W. These are not results of TPC-W, whose rules cover a whole "
    "shop, with its visitors' pauses."
)


def shop_sentences(rows: Sequence[Row]) -> list[str]:
    """Return for each mix from how many requests it is faster to go to the data."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.estimate(VISIT) and not row.invalid:
            sizes = tuple(one for one in row.sizes if one[0] != "requests")
            groups.setdefault((sizes, *point(row)[1:]), []).append(row)
    said = [_turning_point(members) for members in groups.values()]
    return [sentence for sentence in said if sentence]


def _turning_point(rows: Sequence[Row]) -> str:
    """Return the sentence about rows that differ only in way and number of requests."""
    ways = {way: {row.size("requests"): row for row in rows if row.kind == way} for way in (TRAVELS, FETCHES)}
    both = sorted(ways[TRAVELS].keys() & ways[FETCHES].keys())
    if not both:
        return ""
    gains = {many: _mean_us(ways[FETCHES][many]) / _mean_us(ways[TRAVELS][many]) for many in both}
    row = rows[0]
    of = Shopping.of(row)
    clients = "" if of.pairs == 1 else f" and {of.pairs} clients"
    time = formatting.short(formatting.duration(of.delay_us))
    delay = f", packets delayed by {time}" if of.delay_us else ""
    begin = f"With the {of.mix} mix{clients}, {_where(row)} and {of.database}{delay},"
    ends = "; ".join(_lasts(many, ways) for many in dict.fromkeys((both[0], both[-1])))
    from_on = next((many for many in both if all(gains[more] > 1 for more in both if more >= many)), None)
    if from_on is None:
        verdict = "travelling is faster at none of these lengths"
    elif from_on == both[0]:
        verdict = "travelling is faster at all measured lengths"
    else:
        verdict = f"travelling is faster from {from_on} requests on"
    return f"{begin} {ends}; {verdict}."


def _lasts(many: int, ways: Mapping[str, Mapping[int, Row]]) -> str:
    went, came = (formatting.duration(_mean_us(ways[way][many])) for way in (TRAVELS, FETCHES))
    visit = f"a visit of {formatting.one_or(many, 'request')}"
    return f"{visit} takes {went} where the agent goes to the data, and {came} where the data comes to it"


def _mean_us(row: Row) -> float:
    return row.mean(VISIT) or 0.0


def _where(row: Row) -> str:
    return f"between {PLACES.get(row.placement, row.placement)} by {row.route}"


REPORT = Report(sentences=shop_sentences, remarks=lambda _: [_REMARK])
