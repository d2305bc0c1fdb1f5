"""Find the bottleneck of a shop that is slow. Complete the three exercises; README.md has the text."""

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
    """Answers orders: asked for "vase,rug", it answers "vase 12", as there is no rug.

    If there is no stock, or it does not answer within a second, the answer is a `failure`.
    """

    async def setup(self):
        self.add_behaviour(Serve(), Template(performative="request"))


class Serve(CyclicBehaviour):
    async def run(self):
        order = await self.receive()
        offers = []
        for good in order.body.split(","):
            worth = appraise(good)
            stock = await find_stock(self.agent)
            if stock is None:
                await self.reply(order, performative="failure", body="there is no stock")
                return
            question = Message(to=stock, performative="query-if", body=good)
            try:
                answer = await self.ask(question, timeout=1)
            except (FailedError, NoAnswerError):
                await self.reply(order, performative="failure", body="the stock does not answer")
                return
            if answer.body == "yes":
                offers.append(f"{good} {worth}")
        await self.reply(order, body=", ".join(offers))


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
