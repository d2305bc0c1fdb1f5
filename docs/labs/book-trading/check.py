"""What must hold in the lab book-trading."""

import asyncio

from formicary import Agent, CyclicBehaviour, Message
from formicary_bench.labs import Stage, scenario


@scenario("sellers are found, and say their price", exercise=1)
async def prices(stage: Stage):
    """A seller is in the directory as a bookseller, says what a book costs, and refuses what it has not."""
    c1 = await stage.container("c1")
    await stage.start(c1, "Seller", "anna", {"Emma": 12})
    found = [service.agent for service in await c1.directory.search(type="bookseller")]
    stage.expect(len(found) == 1, f"a search for booksellers finds {found}; anna should be there")
    answer = await asked(c1, "anna", "query-ref", "Emma")
    said = (answer.performative, answer.body)
    stage.expect(said == ("inform", "12"), f"asked for the price of Emma, which is 12, anna says {said}")
    answer = await asked(c1, "anna", "query-ref", "Ulysses")
    stage.expect(answer.performative == "refuse", f"anna has no Ulysses, and says {answer.performative}")


@scenario("the lowest price", exercise=1)
async def lowest(stage: Stage):
    """Of three sellers the buyer takes the one with the lowest price: 9 is lower than 12 and 100."""
    c1 = await stage.container("c1")
    for name, price in ("anna", 12), ("ben", 9), ("carl", 100):
        await c1.start(Shop(name, {"Emma": price}))
    buyer = await stage.start(c1, "Buyer", "buyer", "Emma", 50)
    await stage.ended(buyer, 60)
    expect_bought(stage, buyer, ("ben", 9))


@scenario("the limit", exercise=1)
async def limit(stage: Stage):
    """A book that costs more than the limit is not bought."""
    c1 = await stage.container("c1")
    shop = Shop("anna", {"Emma": 12})
    await c1.start(shop)
    buyer = await stage.start(c1, "Buyer", "buyer", "Emma", 11)
    await stage.ended(buyer, 60)
    expect_bought(stage, buyer, None)
    stage.expect(not shop.sold, "the buyer has bought for 12, and its limit is 11")


@scenario("one copy, two buyers", exercise=2)
async def two_buyers(stage: Stage):
    """Two buyers want the same cheap copy at the same time: one gets it, the other buys the dearer one."""
    c1, c2, c3 = await containers(stage, 3)
    shops = [
        await stage.start(c1, "Seller", name, {"Emma": price}) for name, price in (("anna", 9), ("ben", 12))
    ]
    stage.network.delay = 0.1
    await asyncio.sleep(1)  # the directory's news arrive
    buyers = [
        await stage.start(container, "Buyer", name, "Emma", 50)
        for container, name in ((c2, "bob"), (c3, "bea"))
    ]
    for buyer in buyers:
        await stage.ended(buyer, 60)
    sold = [shop.sold for shop in shops]
    stage.expect(
        sold == [["Emma"], ["Emma"]], f"anna has sold {sold[0]} and ben {sold[1]}; each had one Emma"
    )
    bought = sorted(map(str, (buyer.bought for buyer in buyers)))
    stage.expect(
        bought == ["('anna', 9)", "('ben', 12)"], f"the two buyers have bought {' and '.join(bought)}"
    )


@scenario("a seller crashes", exercise=2)
async def seller_crashes(stage: Stage):
    """The cheapest seller says its price and crashes: the buyer takes the next one."""
    c1, c2, c3 = await containers(stage, 3)
    await c2.start(Shop("anna", {"Emma": 9}))
    await c3.start(Shop("ben", {"Emma": 12}))
    stage.network.delay = 0.2
    await asyncio.sleep(1)
    buyer = await stage.start(c1, "Buyer", "buyer", "Emma", 50)
    await asyncio.sleep(0.5)
    await stage.crash(c2)
    await stage.ended(buyer, 60)
    expect_bought(stage, buyer, ("ben", 12))


@scenario("a silent seller", exercise=2)
async def silent(stage: Stage):
    """One of ten sellers answers nothing; the buyer buys all the same, and in less than 5 s."""
    c1 = await stage.container("c1")
    for number in range(9):
        await c1.start(Shop(f"shop{number}", {"Emma": 30 - number}))
    await c1.start(Silent("silent"))
    buyer = await stage.start(c1, "Buyer", "buyer", "Emma", 50)
    await stage.ended(buyer, 5)
    expect_bought(stage, buyer, ("shop8", 22))


@scenario("a seller comes later", exercise=3)
async def comes_later(stage: Stage):
    """Nobody has the book; after 30 s somebody comes who has it, and the buyer with patience buys at once."""
    c1, c2 = await containers(stage, 2)
    await c1.start(Shop("anna", {"Ulysses": 30}))
    buyer = await stage.start(c1, "Buyer", "buyer", "Emma", 50, 60)
    await asyncio.sleep(30)
    await c2.start(Shop("ben", {"Emma": 12}))
    await stage.ended(buyer, 3)
    expect_bought(stage, buyer, ("ben", 12))
    asked_often = sum(arrow.sender == "buyer" and arrow.receiver == "anna" for arrow in stage.recorder.arrows)
    stage.expect(
        asked_often <= 5, f"anna was asked {asked_often} times: subscribe, in place of asking again and again"
    )


@scenario("patience ends", exercise=3)
async def ends(stage: Stage):
    """Only a seller that is too dear comes: after 60 s the buyer ends without the book."""
    c1, c2 = await containers(stage, 2)
    buyer = await stage.start(c1, "Buyer", "buyer", "Emma", 50, 60)
    await asyncio.sleep(10)
    await c2.start(Shop("ben", {"Emma": 51}))
    await stage.ended(buyer, 55)
    expect_bought(stage, buyer, None)


async def containers(stage, count):
    return [await stage.container(f"c{number + 1}") for number in range(count)]


async def asked(container, to, performative, body):
    return await container.ask(Message(to=to, performative=performative, body=body), timeout=5)


def expect_bought(stage, buyer, wanted):
    got = buyer.bought and tuple(buyer.bought)
    stage.expect(got == wanted, f"the buyer has bought {buyer.bought}; it should be {wanted}")


class Shop(Agent):
    """Sells as Seller should."""

    def __init__(self, name, books):
        super().__init__(name)
        self.books = dict(books)
        self.sold = []

    async def setup(self):
        self.add_behaviour(Serve())
        await self.directory.register(type="bookseller")


class Serve(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        price = self.agent.books.get(message.body)
        if price is None:
            await self.reply(message, performative="refuse")
            return
        if message.performative == "request":
            self.agent.sold.append(message.body)
            del self.agent.books[message.body]
        await self.reply(message, body=str(price))


class Silent(Agent):
    async def setup(self):
        self.add_behaviour(Swallow())
        await self.directory.register(type="bookseller")


class Swallow(CyclicBehaviour):
    async def run(self):
        await self.receive()
