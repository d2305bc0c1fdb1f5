"""Groups and roles: a buyer writes to all who play the role of a seller, without knowing them."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour


class Seller(Agent):
    async def setup(self):
        self.add_behaviour(Sell())
        await self.groups.request_role("market", "seller")


class Sell(CyclicBehaviour):
    async def run(self):
        call = await self.receive()
        await self.reply(call, performative="propose", body=f"{call.body} from {self.agent.name}")


class Buy(OneShotBehaviour):
    async def run(self):
        groups = self.agent.groups
        asked = await groups.send(Message(performative="cfp", body="ants"), "market", "seller")
        print(sorted([(await self.receive()).body for _ in range(asked)]))


async def main():
    async with Container("c1") as container:
        buyer, buy = Agent("buyer"), Buy()
        await container.start(buyer)
        await buyer.groups.create("market")
        for name in "alice", "bob":
            await container.start(Seller(name))
        buyer.add_behaviour(buy)
        await buy.join()


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   ['ants from alice', 'ants from bob']
