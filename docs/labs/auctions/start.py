"""Auctions: bid, and sell. Complete the three exercises; README.md has the text."""

import asyncio

from formicary import Agent, Container, OneShotBehaviour, Template
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
        self.won = {}

    @responds(EnglishAuction)
    class Bid(Participant):
        item = None

        def inform(self, message):
            if self.item is None:  # the auction begins
                self.item = message.body
            # Exercise 1: else it is over; has this bidder won, and at which price?

        def cfp(self, call):
            # Exercise 1: bid this price, by `return Propose(call.body)`, if the bidder would pay it.
            # Exercise 2: and if it can pay it.
            return None


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
            # Exercise 3: who has bid most pays what the second has bid.
            async for bid in net.bids:
                await net.award(bid, bid.body)
                seller.result = (bid.sender, float(bid.body))
                break
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
