"""The messages of conversations, exchanged by `send`, `receive` and `reply` alone."""

from __future__ import annotations

from formicary import CyclicBehaviour, Message
from formicary.errors import FormicaryError
from formicary_bench.experiments.protocols.conversing import LAST_PRICE, Initiator, price_of
from formicary_bench.subjects.ours.behaviours import PATIENCE

CPU_GROUP = "agents"


class Bid(CyclicBehaviour):
    """Bids when it is called, and does the task it is awarded."""

    def __init__(self, price: int) -> None:
        super().__init__()
        self.price = price

    async def run(self) -> None:
        """Handle one message; a rejection needs no answer."""
        message = await self.receive()
        if message.performative == "cfp":
            await self.reply(message, performative="propose", body=str(self.price))
        elif message.performative == "accept-proposal":
            await self.reply(message, performative="inform", body=message.body)


class Buy(CyclicBehaviour):
    """Buys when it can pay the price."""

    def __init__(self, money: int) -> None:
        super().__init__()
        self.money = money

    async def run(self) -> None:
        """Handle one message; an inform needs no answer."""
        message = await self.receive()
        if message.performative == "cfp" and int(message.body) <= self.money:
            await self.reply(message, performative="propose", body=message.body)


class _Bare(Initiator):
    async def hear(self, performative: str) -> Message:
        """Wait for a message with a performative.

        Raises:
            FormicaryError: none arrives, or one with another performative.
        """
        message = await self.receive(timeout=PATIENCE)
        if message is None or message.performative != performative:
            raise FormicaryError(f"there was no {performative}, but {message!r:.200}")
        return message

    async def tell(self, partner: str, performative: str, body: str = "") -> None:
        """Send a message."""
        await self.send(Message(to=partner, body=body, performative=performative))


class Ask(_Bare):
    """Makes requests."""

    async def hold_one(self) -> None:
        """Hold one conversation to its end."""
        (partner,) = self.partners
        await self.tell(partner, "request", self.body)
        self.check((await self.hear("inform")).body)


class Call(_Bare):
    """Calls all bidders for bids, and awards the task to the cheapest."""

    async def hold_one(self) -> None:
        """Hold one conversation to its end."""
        for partner in self.partners:
            await self.tell(partner, "cfp", self.body)
        bids = [await self.hear("propose") for _ in self.partners]
        best = min(bids, key=price_of)
        await self.reply(best, performative="accept-proposal", body=self.body)
        done = await self.hear("inform")
        for bid in bids:
            if bid is not best:
                await self.reply(bid, performative="reject-proposal")
        self.check(done.body)


class Sell(_Bare):
    """Sells at the first price to the bidder that accepts it."""

    async def hold_one(self) -> None:
        """Hold one conversation to its end."""
        for partner in self.partners:
            await self.tell(partner, "inform", self.body)
        for partner in self.partners:
            await self.tell(partner, "cfp", str(LAST_PRICE))
        bid = await self.hear("propose")
        await self.reply(bid, performative="accept-proposal", body=str(LAST_PRICE))
        for partner in self.partners:
            await self.tell(partner, "inform", f"{self.body}: {bid.sender} for {LAST_PRICE}")
