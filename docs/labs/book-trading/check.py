"""What must hold in the lab book-trading."""

import asyncio

from formicary import Agent, CyclicBehaviour, Message
from formicary_bench.labs import Stage, scenario


@scenario("sellers are found, and say their price", exercise=1)
async def prices(stage: Stage):
    """A seller is in the directory as a bookseller, says what a book costs, and refuses what it has not."""
    c1 = await stage.container("c1")
    cost = stage.random.randrange(10, 1000)
    await stage.start("c2", "Seller", "anna", {"Emma": cost})
    await asyncio.sleep(1)  # the directory's news arrive
    found = [service.agent for service in await c1.directory.search(type="bookseller")]
    stage.expect(len(found) == 1, f"a search for booksellers finds {found}; anna should be there")
    answer = await asked(c1, "anna@c2", "query-ref", "Emma")
    said, right = (answer.performative, answer.body), ("inform", str(cost))
    stage.expect(said == right, f"asked for the price of Emma, which is {cost}, anna says {said}")
    answer = await asked(c1, "anna@c2", "query-ref", "Ulysses")
    stage.expect(answer.performative == "refuse", f"anna has no Ulysses, and says {answer.performative}")


@scenario("the lowest price", exercise=1)
async def lowest(stage: Stage):
    """Of three sellers the buyer takes the one with the lowest price: 9 is lower than 12 and 100."""
    c1 = await stage.container("c1")
    names, costs = drawn(stage, ["anna", "ben", "carl"]), [stage.random.randint(4, 9), 12, 100]
    shops = [Shop(name, {"Emma": cost}) for name, cost in zip(names, costs, strict=True)]
    for shop in shops:
        await c1.start(shop)
    buyer = await customer(stage, "Emma", 50)
    await stage.ended(buyer, 60)
    expect_bought(stage, buyer, (names[0], costs[0]))
    sold = [shop.name for shop in shops if shop.sold]
    stage.expect(sold == [names[0]], f"the buyer was to buy from {names[0]}, and has from {sold}")


@scenario("the limit", exercise=1)
async def limit(stage: Stage):
    """A book that costs more than the limit is not bought."""
    c1 = await stage.container("c1")
    shop = Shop("anna", {"Emma": 12})
    await c1.start(shop)
    buyer = await customer(stage, "Emma", 11)
    await stage.ended(buyer, 60)
    expect_bought(stage, buyer, None)
    stage.expect(not shop.sold, "the buyer has bought for 12, and its limit is 11")


@scenario("one copy, two buyers", exercise=2)
async def two_buyers(stage: Stage):
    """Two buyers want the same cheap copy at the same time: one gets it, the other buys the dearer one."""
    await stage.container("c1")
    cheap, dear = stage.random.randint(4, 9), stage.random.randint(11, 49)
    wanted = [("anna", cheap), ("ben", dear)]
    shops = [await stage.start(name, "Seller", name, {"Emma": cost}) for name, cost in wanted]
    stage.network.delay = 0.1
    for name in "bob", "bea":
        await stage.open(name)
    await asyncio.sleep(1)  # the directory's news arrive
    buyers = [await stage.start(name, "Buyer", name, "Emma", 50) for name in ("bob", "bea")]
    for buyer in buyers:
        await stage.ended(buyer, 60)
    sold = [shop.sold for shop in shops]
    stage.expect(
        sold == [["Emma"], ["Emma"]], f"anna has sold {sold[0]} and ben {sold[1]}; each had one Emma"
    )
    bought = {buyer.name: buyer.bought and tuple(buyer.bought) for buyer in buyers}
    said = " and ".join(map(str, bought.values()))
    stage.expect(
        sorted(map(str, bought.values())) == sorted(map(str, wanted)),
        f"the two buyers have bought {said}; they should have {wanted[0]} and {wanted[1]}",
    )
    for name, (seller, cost) in bought.items():
        stage.expect(
            told(stage, name, seller, "request", "Emma") and told(stage, seller, name, "inform", str(cost)),
            f"{name} has bought from {seller} without a request, or without an inform that says the price",
        )


@scenario("a seller crashes", exercise=2)
async def seller_crashes(stage: Stage):
    """The cheapest seller says its price and crashes: the buyer takes the next one."""
    await stage.container("c1")
    cost = stage.random.randint(11, 49)
    c2, c3 = await stage.container("c2"), await stage.container("c3")
    await c2.start(Shop("anna", {"Emma": 9}))
    await c3.start(Shop("ben", {"Emma": cost}))
    stage.network.delay = 0.2
    buyer = await customer(stage, "Emma", 50)
    await asyncio.sleep(0.5)
    await stage.crash(c2)
    await stage.ended(buyer, 60)
    expect_bought(stage, buyer, ("ben", cost))


@scenario("a silent seller", exercise=2)
async def silent(stage: Stage):
    """One of ten sellers answers nothing; the buyer buys all the same, and in less than 5 s."""
    c1 = await stage.container("c1")
    costs = [30 - number for number in range(9)]
    stage.random.shuffle(costs)
    for number, cost in enumerate(costs):
        await c1.start(Shop(f"shop{number}", {"Emma": cost}))
    await c1.start(Silent("silent"))
    buyer = await customer(stage, "Emma", 50)
    await stage.ended(buyer, 5)
    expect_bought(stage, buyer, (f"shop{costs.index(22)}", 22))


@scenario("a seller comes later", exercise=3)
async def comes_later(stage: Stage):
    """Nobody has the book; after a while somebody comes who has it, and who has patience buys at once."""
    c1, c2 = await stage.container("c1"), await stage.container("c2")
    cost = stage.random.randint(11, 49)
    await c1.start(Shop("anna", {"Ulysses": 30}))
    buyer = await customer(stage, "Emma", 50, 60)
    await asyncio.sleep(stage.random.uniform(20, 40))
    await c2.start(Shop("ben", {"Emma": cost}))
    await stage.ended(buyer, 3)
    expect_bought(stage, buyer, ("ben", cost))
    asked_often = sum(arrow.sender == "buyer" and arrow.receiver == "anna" for arrow in stage.recorder.arrows)
    stage.expect(
        asked_often <= 5, f"anna was asked {asked_often} times: subscribe, in place of asking again and again"
    )


@scenario("patience ends", exercise=3)
async def ends(stage: Stage):
    """Only a seller that is too dear comes: after 60 s the buyer ends without the book."""
    await stage.container("c1")
    c2 = await stage.container("c2")
    buyer = await customer(stage, "Emma", 50, 60)
    await asyncio.sleep(10)
    await c2.start(Shop("ben", {"Emma": 51}))
    await stage.ended(buyer, 55)
    expect_bought(stage, buyer, None)


async def customer(stage, *arguments):
    """Start a buyer, in a container that has the directory's news."""
    await stage.open("home")
    await asyncio.sleep(1)
    return await stage.start("home", "Buyer", "buyer", *arguments)


def drawn(stage, names):
    """The same names in another order."""
    return stage.random.sample(names, len(names))


def told(stage, sender, receiver, performative, body):
    """Whether a message has arrived."""
    wanted = (sender, receiver, performative, body)
    return any(
        (arrow.sender, arrow.receiver, arrow.performative, arrow.body) == wanted and arrow.arrived is not None
        for arrow in stage.recorder.arrows
    )


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
