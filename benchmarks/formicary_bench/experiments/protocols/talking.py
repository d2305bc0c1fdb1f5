"""Agents with conversations by FIPA's protocols, written as in docs/protocols.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary import Agent, Message
from formicary.errors import FormicaryError
from formicary.protocols import ContractNet, DutchAuction, Participant, Propose, Request, responds
from formicary_bench.experiments.protocols.conversing import LAST_PRICE, Initiator, price_of
from formicary_bench.subjects.ours.behaviours import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Generator

    from formicary.protocols import Reply

CPU_GROUP = "agents"

STEP = 10
"""The step by which the price of an auction falls."""


class Doer(Agent):
    """Does what it is asked for at once."""

    @responds(Request)
    def do(self, message: Message) -> str | bytes:
        """Return the result of the task."""
        return message.body


class Bidder(Agent):
    """Bids for a task, and does it.

    Args:
        name: its name.
        price: its bid, and the most that it pays.
    """

    def __init__(self, name: str, price: int) -> None:
        super().__init__(name)
        self.price = price

    @responds(ContractNet)
    def carry(self, call: Message) -> Generator[Reply | str | bytes, Message, None]:
        """Bid, and report the result if the bid was accepted."""
        answer = yield Propose(str(self.price))
        if answer.performative == "accept-proposal":
            yield call.body

    @responds(DutchAuction)
    class Buy(Participant):
        """Buys when it can pay the price."""

        def cfp(self, call: Message) -> Propose | None:
            """Bid if the price is not too high."""
            return Propose(call.body) if int(call.body) <= self.agent.price else None


class Ask(Initiator):
    """Makes requests."""

    async def hold_one(self) -> None:
        """Hold one conversation to its end."""
        (partner,) = self.partners
        self.check((await self.request(partner, self.body, timeout=PATIENCE)).body)


class Call(Initiator):
    """Calls for proposals, and awards the task to the cheapest bidder."""

    async def hold_one(self) -> None:
        """Hold one conversation to its end."""
        async with self.contract_net(self.partners, self.body, timeout=PATIENCE) as net:
            bids = [bid async for bid in net.bids]
            self.check_number(len(bids))
            done = await net.award(min(bids, key=price_of))
        self.check(done.body)


class Sell(Initiator):
    """Holds Dutch auctions that end at the first price."""

    async def hold_one(self) -> None:
        sale = await self.dutch_auction(
            self.partners, self.body, start=LAST_PRICE, step=STEP, reserve=STEP, timeout=PATIENCE
        )
        if sale is None or sale.price != LAST_PRICE:
            raise FormicaryError(f"the auction ended with {sale}, not at the first price")
