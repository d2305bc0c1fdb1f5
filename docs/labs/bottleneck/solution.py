"""Find the bottleneck, solved."""

import asyncio
import time

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import FailedError, NoAnswerError

GOODS = ["vase", "lamp", "rug", "chair", "bowl"]


def appraise(good):
    """Return what a good is worth. It is always the same for the same good, and it takes a while."""
    worth = sum(map(ord, good))
    for _ in range(20_000):
        worth = (worth * 31 + 7) % 997
    return worth


async def find_stock(agent):
    """Return the name of the stock that the directory has, or None."""
    found = await agent.directory.search(type="stock")
    return found[0].agent if found else None


class Stock(Agent):
    """Knows what is there: asked for "vase,rug", it answers "yes,no". It is as it should be."""

    def __init__(self, name, goods):
        super().__init__(name)
        self.goods = set(goods)

    async def setup(self):
        self.add_behaviour(Look(), Template(performative="query-if"))
        await self.directory.register(type="stock")


class Look(CyclicBehaviour):
    async def run(self):
        question = await self.receive()
        answers = ["yes" if good in self.agent.goods else "no" for good in question.body.split(",")]
        await self.reply(question, body=",".join(answers))


class Clerk(Agent):
    """Answers orders, with as little work as possible."""

    def __init__(self, name):
        super().__init__(name)
        self.worth = {}  # what has been appraised
        self.stock = None  # whom it asks

    async def setup(self):
        self.add_behaviour(Serve(), Template(performative="request"))


class Serve(CyclicBehaviour):
    async def run(self):
        order = await self.receive()
        answer = await self.look(order.body)
        if answer is None:  # perhaps there is another stock by now
            self.agent.stock = None
            answer = await self.look(order.body)
        if answer is None:
            await self.reply(order, performative="failure", body="no stock answers")
            return
        goods = zip(order.body.split(","), answer.split(","), strict=True)
        offers = [f"{good} {self.worth(good)}" for good, there in goods if there == "yes"]
        await self.reply(order, body=", ".join(offers))

    async def look(self, goods):
        clerk = self.agent
        if clerk.stock is None:
            clerk.stock = await find_stock(clerk)
        if clerk.stock is None:
            return None
        try:
            question = Message(to=clerk.stock, performative="query-if", body=goods)
            return (await self.ask(question, timeout=1)).body
        except (FailedError, NoAnswerError):
            return None

    def worth(self, good):
        known = self.agent.worth
        if good not in known:
            known[good] = appraise(good)
        return known[good]


class Shop(OneShotBehaviour):
    """A customer with many orders."""

    def __init__(self, orders):
        super().__init__()
        self.orders = orders

    async def run(self):
        began = time.perf_counter()
        for _ in range(self.orders):
            order = Message(to="clerk", performative="request", body=",".join(GOODS))
            self.answer = (await self.ask(order, timeout=5)).body
        took = time.perf_counter() - began
        print(f"{self.orders / took:.0f} orders per second; the last answer: {self.answer}")
        await self.agent.stop()


async def main():
    async with Container("c1") as container:
        await container.start(Stock("stock", ["vase", "rug", "bowl"]))
        await container.start(Clerk("clerk"))
        customer = Agent("customer")
        customer.add_behaviour(Shop(100), ~Template())
        await container.start(customer)
        await customer.join()


if __name__ == "__main__":
    asyncio.run(main())
