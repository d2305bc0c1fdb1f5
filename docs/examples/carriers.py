"""A contract net: carriers are found in the directory, bid, and the cheapest one carries."""

import asyncio

from formicary import Agent, Container
from formicary.protocols import ContractNet, Propose, responds, search


class Carrier(Agent):
    def __init__(self, name, price):
        super().__init__(name)
        self.price = price

    async def setup(self):
        await self.directory.register("carrier")

    @responds(ContractNet)
    def carry(self, call):
        answer = yield Propose(str(self.price))
        if answer.performative == "accept-proposal":
            yield f"{self.name} has carried {call.body}"


async def main():
    async with Container("c1") as container:
        for name, price in ("hercules", 30), ("ox", 10), ("atlas", 20):
            await container.start(Carrier(name, price))
        async with container.contract_net(search(type="carrier"), "a piano", timeout=3) as net:
            best = min([bid async for bid in net.bids], key=lambda bid: int(bid.body))
            print((await net.award(best)).body)


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   ox has carried a piano
