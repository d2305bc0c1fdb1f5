"""Auctions, solved."""

import asyncio

from formicary import Agent, Container, OneShotBehaviour, Template
from formicary.errors import FailedError, NoAnswerError
from formicary.protocols import ContractNet, EnglishAuction, Participant, Propose, responds

NONE = ~Template()  # no message is for these behaviours


class Bidder(Agent):
    """Bids in any number of auctions at once, up to a limit for each item and up to its money in all.

    `limits` says how much it pays for an item at most; it wants no other items. `won` are the prices of the
    items that it has bought.
    """

    def __init__(self, name, limits, money=1000):
        super().__init__(name)
        self.limits = limits
        self.money = money
        self.promised = {}  # prices that it may have to pay, by item
        self.won = {}

    def can_pay(self, item, price):
        others = sum(paid for other, paid in self.promised.items() if other != item)
        return price <= self.limits.get(item, 0) and others + price <= self.money

    @responds(EnglishAuction)
    class Bid(Participant):
        item = None

        def inform(self, message):
            bidder = self.agent
            if self.item is None:  # the auction begins
                self.item = message.body
            elif f"{bidder.address} for " in message.body:  # it is over, and we have won
                bidder.won[self.item] = bidder.promised[self.item]
            else:
                bidder.promised.pop(self.item, None)

        def cfp(self, call):
            bidder, price = self.agent, float(call.body)
            bidder.promised.pop(self.item, None)  # somebody else leads
            if not bidder.can_pay(self.item, price):
                return None
            bidder.promised[self.item] = price
            return Propose(call.body)

        def reject_proposal(self, message):
            self.agent.promised.pop(self.item, None)


class Sealed(Agent):
    """Sells an item by sealed bids: who bids most gets it, and pays what the second has bid.

    If there is one bid only, it pays the reserve; bids below the reserve do not count. `result` is None as
    long as nobody has bought it, and then the winner's full name and the price.
    """

    def __init__(self, name, bidders, item, reserve, patience=1):
        super().__init__(name)
        self.bidders = bidders
        self.item = item
        self.reserve = reserve
        self.patience = patience
        self.result = None

    async def setup(self):
        self.add_behaviour(Sell(), NONE)


class Sell(OneShotBehaviour):
    async def run(self):
        seller = self.agent
        async with self.contract_net(seller.bidders, seller.item, timeout=seller.patience) as net:
            bids = []
            async for bid in net.bids:
                try:
                    bids.append((float(bid.body), bid))
                except ValueError:
                    continue
            bids = sorted((each for each in bids if each[0] >= seller.reserve), key=lambda each: -each[0])
            while bids and seller.result is None:
                best = bids.pop(0)[1]
                price = bids[0][0] if bids else seller.reserve
                try:
                    await net.award(best, f"{price:g}", timeout=seller.patience)
                except (FailedError, NoAnswerError):
                    continue
                seller.result = (best.sender, price)
        await seller.stop()


class Owner(Agent):
    """Bids what a thing is worth to it in sealed auctions."""

    def __init__(self, name, worth):
        super().__init__(name)
        self.worth = worth
        self.paid = None

    @responds(ContractNet)
    async def bid(self, call):
        answer = yield Propose(f"{self.worth:g}")
        if answer.performative == "accept-proposal":
            self.paid = float(answer.body)
            yield f"I have paid {answer.body}"


class Auctioneer(OneShotBehaviour):
    async def run(self):
        sale = await self.english_auction(["anna", "ben"], "vase", start=10, step=10, timeout=0.2)
        print("the vase is sold to", sale.winner if sale else "nobody")
        await self.agent.stop()


async def main():
    async with Container("c1") as container:
        for name, limit in [("anna", 45), ("ben", 80)]:
            await container.start(Bidder(name, {"vase": limit}))
        for name, worth in [("carla", 30), ("dora", 70)]:
            await container.start(Owner(name, worth))
        auctioneer = Agent("auctioneer")
        auctioneer.add_behaviour(Auctioneer())
        await container.start(auctioneer)
        await auctioneer.join()
        sealed = Sealed("sealed", ["carla", "dora"], "lamp", 20)
        await container.start(sealed)
        await sealed.join()
        print("the lamp is sold:", sealed.result)


if __name__ == "__main__":
    asyncio.run(main())
