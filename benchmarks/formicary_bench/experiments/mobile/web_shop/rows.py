"""How rows are made of visits: a visit is a round trip of a client and its agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.experiments.mobile.web_shop.rates import peak, sustained, total_s
from formicary_bench.results.store.raw import MEASURED, RoundTrips
from formicary_bench.results.summary.each import PEAK, RATE, SUSTAINED, TIME, named
from formicary_bench.results.summary.round_trips import Exchanges
from formicary_bench.vocabulary.shop import FETCHES, ORDERS_MADE, PAGE_BYTES, TRAVELS

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.exchanged import Measured
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.configuration import Configuration

TAKES = "time of all visits (s)"
"""What a figure of a repetition is called, besides those that others have and `PAGE_BYTES`, `ORDERS_MADE`."""


class Visits(Exchanges):
    """Of visits: those of an agent that travels are held against the same of one that fetches."""

    compared_by = (TIME, RATE)

    def is_held_against(self, row: Row, base: Row) -> bool:
        """Return whether a row is held against another one: the other way to the same at the same place."""
        return (row.kind, base.kind) == (TRAVELS, FETCHES) and point(row) == point(base)

    def _measured(
        self, run: RunFolder, configuration: Configuration, repetition: Repetition, *, is_alone: bool
    ) -> Measured | None:
        known = super()._measured(run, configuration, repetition, is_alone=is_alone)
        if known is None:
            return None
        data = run.raw(repetition, RoundTrips)
        counts = data.phase == MEASURED
        starts = data.start_ns[counts]
        ends = starts + data.rtt_ns[counts]
        figures = {
            PEAK: peak(starts, ends),
            SUSTAINED: sustained(starts, ends),
            TAKES: total_s(starts, ends),
            PAGE_BYTES: repetition.counters.get(PAGE_BYTES),
            ORDERS_MADE: repetition.counters.get(ORDERS_MADE),
        }
        return known._replace(each=replace(known.each, others=named(figures)))


def point(row: Row) -> tuple[object, ...]:
    """Return where a row stands, whichever way its agents take."""
    where = row.placement, row.hosts, row.route, row.tls
    return row.mix, row.requests, row.database, row.delay_us, row.pairs, *where


SUMMARY = Visits()
