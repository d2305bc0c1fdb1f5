"""Book trading, solved."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary.errors import FailedError, NoAnswerError


class Seller(Agent):
    """Sells books, one copy of each."""

    def __init__(self, name, books):
        super().__init__(name)
        self.books = dict(books)
        self.sold = []

    async def setup(self):
        self.add_behaviour(Sell())
        await self.directory.register(type="bookseller")


class Sell(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        books, title = self.agent.books, message.body
        if title not in books:
            await self.reply(message, performative="refuse")
            return
        price = books[title]
        if message.performative == "request":
            del books[title]
            self.agent.sold.append(title)
        await self.reply(message, body=str(price))


class Buyer(Agent):
    """Buys one book at the lowest price, at most for `limit`, and ends."""

    def __init__(self, name, title, limit, patience=0):
        super().__init__(name)
        self.title = title
        self.limit = limit
        self.patience = patience
        self.bought = None

    async def setup(self):
        self.add_behaviour(Buy())


class Buy(OneShotBehaviour):
    async def run(self):
        await self.buy_from(await self.agent.directory.search(type="bookseller"))
        if self.agent.bought is None and self.agent.patience:
            try:
                async with asyncio.timeout(self.agent.patience):
                    await self.wait_for_sellers()
            except TimeoutError:
                pass
        await self.agent.stop()

    async def wait_for_sellers(self):
        async with self.agent.directory.subscribe(type="bookseller") as changes:
            async for change in changes:
                await self.buy_from(change.services)
                if self.agent.bought:
                    return

    async def buy_from(self, services):
        sellers = [service.agent for service in services]
        prices = await asyncio.gather(*(self.say("query-ref", seller) for seller in sellers))
        offers = [(price, seller) for price, seller in zip(prices, sellers, strict=True) if price is not None]
        for price, seller in sorted(offers):
            if price > self.agent.limit:
                return
            if await self.say("request", seller) is not None:
                self.agent.bought = (seller.partition("@")[0], price)
                return

    async def say(self, performative, seller):
        message = Message(to=seller, performative=performative, body=self.agent.title)
        try:
            answer = await self.ask(message, timeout=1)
        except (NoAnswerError, FailedError):
            return None
        return int(answer.body) if answer.performative == "inform" else None


async def main():
    async with Container("c1") as container:
        await container.start(Seller("anna", {"Emma": 12, "Ulysses": 30}))
        await container.start(Seller("ben", {"Emma": 9}))
        buyer = Buyer("buyer", "Emma", limit=20)
        await container.start(buyer)
        await buyer.join()
        print("bought:", buyer.bought)


if __name__ == "__main__":
    asyncio.run(main())
