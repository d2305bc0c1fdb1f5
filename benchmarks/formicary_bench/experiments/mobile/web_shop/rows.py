"""How rows are made of visits: a visit is a round trip of a client and its agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile import web_shop
from formicary_bench.experiments.mobile.web_shop.rates import peak, sustained, total_s
from formicary_bench.results.store.raw import MEASURED
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.vocabulary.metrics import RATE, TIME
from formicary_bench.vocabulary.values import FETCHES, ORDERS_MADE, PAGE_BYTES, TRAVELS

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric


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
    """Return whether another row is the other way to the same, at the same place."""
    return (row.kind, other.kind) == (TRAVELS, FETCHES) and point(row) == point(other)


def point(row: Row) -> tuple[object, ...]:
    """Return where a row stands, whichever way its agents take."""
    return row.sizes, row.placement, row.hosts, row.route, row.tls


SUMMARY = exchanges(_visits, compared_by=(TIME, RATE), is_held_against=is_other_way)
