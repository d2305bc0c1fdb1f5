"""Book trading: sellers register in the directory, buyers look for the best price. README.md has the text."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour


class Seller(Agent):
    """Sells books, one copy of each. `books` are the prices by title, `sold` the titles that were sold.

    It answers two kinds of messages, whose body is a title:
    `query-ref`: `inform` with the price, or `refuse` if it does not have the book;
    `request`: `inform` with the price if it is sold herewith, or `refuse` if it is not there (any more).
    """

    def __init__(self, name, books):
        super().__init__(name)
        self.books = dict(books)
        self.sold = []

    async def setup(self):
        # Exercise 1: register a service of type "bookseller" in the directory.
        self.add_behaviour(Sell())


class Sell(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        # Exercise 1: answer `query-ref`. Exercise 2: answer `request`; a book is sold once.
        await self.reply(message, performative="refuse")


class Buyer(Agent):
    """Buys one book at the lowest price, at most for `limit`, and ends.

    `bought` is (seller's short name, price) in the end, or None. With `patience` (exercise 3) it waits for so
    many seconds for a seller to come, if there is none yet that it can buy from.
    """

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
        for service in await self.agent.directory.search(type="bookseller"):
            question = Message(to=service.agent, performative="query-ref", body=self.agent.title)
            answer = await self.ask(question, timeout=1)
            print(service.agent, "says", answer.performative, answer.body)
        # Exercise 1: find the lowest price. Exercise 2: buy, from the next one if the book is gone.
        await self.agent.stop()


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
