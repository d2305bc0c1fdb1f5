"""The common part of all initiators: hold one conversation after another, and keep the times."""

from __future__ import annotations

from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import OneShotBehaviour
from formicary.errors import FormicaryError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from formicary import Message
    from formicary_bench.worker.workload import PairTimes, Workload

CPU_GROUP = "agents"

LAST_PRICE = 1_000_000
"""The bid of the last bidder, the highest of all, which it can pay."""


class Initiator(OneShotBehaviour):
    """Holds conversations one after another when told to begin."""

    def __init__(
        self, partners: Sequence[str], work: Workload, times: PairTimes, begin: asyncio.Event
    ) -> None:
        super().__init__()
        self.partners = partners
        self.body = work.body
        self.trips = work.trips
        self.times = times
        self.begin = begin

    async def run(self) -> None:
        started, took = self.times.starts.append, self.times.rtts.append
        await self.begin.wait()
        for _ in range(self.trips):
            start = perf_counter_ns()
            await self.hold_one()
            took(perf_counter_ns() - start)
            started(start)

    async def hold_one(self) -> None:
        """Hold one conversation to its end."""
        raise NotImplementedError

    def check(self, result: str | bytes) -> None:
        """Check that a result is the expected one.

        Raises:
            FormicaryError: it is another.
        """
        if result != self.body:
            raise FormicaryError(f"a conversation ended with {result!r:.200}")

    def check_number(self, bids: int) -> None:
        """Check that there are as many bids as bidders.

        Raises:
            FormicaryError: there are fewer or more.
        """
        if bids != len(self.partners):
            raise FormicaryError(f"{bids} of {len(self.partners)} bidders made a bid")


def price_of(bid: Message) -> int:
    return int(bid.body)


def bid_of(number: int, bidders: int) -> int:
    """Return what a bidder bids and can pay: the last one the most, the others in no order."""
    return LAST_PRICE if number == bidders - 1 else 1 + (number * 7919 + bidders // 2) % bidders
