"""The auctioneer's side of auctions: the price rises (English, FIPA XC00031) or falls (Dutch, XC00032)."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from itertools import accumulate, repeat
from typing import TYPE_CHECKING, NamedTuple

from formicary.core.errors import UsageError
from formicary.core.message import Message
from formicary.core.times import check_duration
from formicary.protocols.partners import find_all
from formicary.protocols.several import Several
from formicary.protocols.standard import DutchAuction, EnglishAuction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.protocols.conversations import Conversations
    from formicary.protocols.dialogue import Dialogue
    from formicary.protocols.partners import Partners


class AuctionResult(NamedTuple):
    """The result of an auction.

    Attributes:
        winner: the full name of the buyer.
        price: its bid.
    """

    winner: str
    price: float


class Auction(Several):
    """An auction in rounds of one price each. A bid is a proposal with this price, or without one."""

    async def run(
        self, bidders: Iterable[str] | Partners, item: str, prices: Iterable[Decimal], timeout: float
    ) -> AuctionResult | None:
        """Hold the auction; arguments and results as of `english_auction`."""
        check_duration(timeout, "timeout=")
        sale: AuctionResult | None = None
        try:
            for name in await find_all(self._conversations, bidders):
                await self._open(name).send("inform", item)
            for price in prices:
                bid = await self._round(price, timeout, None if sale is None else sale.winner)
                if bid is not None:
                    sale = AuctionResult(bid.partner, float(price))
                if (bid is None) is (self._protocol is EnglishAuction):
                    break
            await self._tell_end(item, sale)
        finally:
            self._close()
        return sale

    async def _round(self, price: Decimal, timeout: float, leader: str | None) -> Dialogue | None:
        """Call a price, and return the dialogue with the first to bid it."""
        # If the price rises, the next one is called at once, while bids for this one are under way. A bidder
        # that has not answered is called when it has, or its answer could be to either call.
        rises = self._protocol is EnglishAuction
        for dialogue in self._in_state("opened", "leading", *(() if rises else ("called",))):
            if dialogue.partner != leader:
                await dialogue.send("cfp", str(price))
        loop = asyncio.get_running_loop()
        deadline, first = loop.time() + timeout, None
        called = self._in_state("called")
        while self._some_are(called, "called") and (left := deadline - loop.time()) > 0:
            for dialogue, news in await self._hear(left):
                if not isinstance(news, Message) or dialogue.state != "proposed":
                    continue  # the bidder has ended, or has not understood
                if first is None and _names(news, price):
                    first = dialogue
                    await dialogue.send("accept-proposal", str(price))
                else:
                    await dialogue.send("reject-proposal", str(price))
                    if rises and first is None:
                        await dialogue.send("cfp", str(price))
                        called.append(dialogue)
            if first is not None:
                break
        return first

    async def _tell_end(self, item: str, sale: AuctionResult | None) -> None:
        said = "unsold" if sale is None else f"{sale.winner} for {sale.price:g}"
        for dialogue in self._in_state("proposed"):
            await dialogue.send("reject-proposal")
        for dialogue in self._in_state("opened", "called", "leading"):
            await dialogue.send("inform", f"{item}: {said}")


def _names(bid: Message, price: Decimal) -> bool:
    """Return whether a bid is for this price: one of an earlier round may be late."""
    if not bid.body:
        return True
    with suppress(InvalidOperation, ValueError):
        return Decimal(str(bid.body)) == price
    return False


def _decimal(value: float, what: str) -> Decimal:
    number = Decimal(str(value))
    if not number.is_finite() or number <= 0:
        raise UsageError(f"the {what} of an auction must be a number above 0, not {value}")
    return number


async def english_auction(
    conversations: Conversations,
    bidders: Iterable[str] | Partners,
    item: str,
    *,
    start: float,
    step: float,
    timeout: float,
) -> AuctionResult | None:
    """Sell to the highest bidder; as of `Conversing.english_auction`."""
    price, rise = _decimal(start, "first price"), _decimal(step, "step")
    prices = accumulate(repeat(rise), initial=price)
    return await Auction(conversations, EnglishAuction).run(bidders, item, prices, timeout)


async def dutch_auction(
    conversations: Conversations,
    bidders: Iterable[str] | Partners,
    item: str,
    *,
    start: float,
    step: float,
    reserve: float,
    timeout: float,
) -> AuctionResult | None:
    """Sell to the first bidder; as of `Conversing.dutch_auction`."""
    price, fall, least = _decimal(start, "first price"), _decimal(step, "step"), _decimal(reserve, "reserve")
    prices = (price - number * fall for number in range(int((price - least) / fall) + 1))
    return await Auction(conversations, DutchAuction).run(bidders, item, prices, timeout)
