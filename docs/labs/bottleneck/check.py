"""What must hold in the lab bottleneck."""

import asyncio

from formicary import Message
from formicary_bench.labs import Stage, scenario

GOODS = "vase,lamp,rug,chair,bowl"


@scenario("the answers are right", exercise=1)
async def right(stage: Stage):
    """Orders are answered with the goods that are there, in the order in which they were asked for."""
    shop = await Shop.opened(stage)
    for wanted in (GOODS, "bowl,vase", "lamp", "rug"):
        answer, offers = await shop.order(wanted), shop.offers(wanted)
        stage.expect(
            answer.body == offers, f"the answer to {wanted!r} is {answer.body!r}; it should be {offers!r}"
        )


@scenario("nothing is appraised twice", exercise=1)
async def appraised_once(stage: Stage):
    """Twenty orders of the same goods: each good is appraised once, for that takes the time."""
    shop = await Shop.opened(stage)
    for _ in range(20):
        await shop.order(GOODS)
    most = max(shop.appraised.values(), default=0)
    stage.expect(most <= 1, f"a good was appraised {most} times in 20 orders, and is always worth the same")
    stage.expect(shop.appraised, "no good was appraised by appraise()")


@scenario("one question for an order", exercise=2)
async def one_question(stage: Stage):
    """For an order of five goods, the clerk sends the stock one question."""
    shop = await Shop.opened(stage)
    await shop.order(GOODS)
    before = len(stage.recorder.arrows)
    answer = await shop.order(GOODS)
    asked = [
        arrow
        for arrow in stage.recorder.arrows[before:]
        if (arrow.sender, arrow.receiver) == ("clerk", "stock")
    ]
    stage.expect(
        len(asked) == 1, f"the clerk has asked the stock {len(asked)} times for one order of five goods"
    )
    offers = shop.offers(GOODS)
    stage.expect(answer.body == offers, f"the answer is {answer.body!r}; it should be {offers!r}")


@scenario("the directory is asked once", exercise=3)
async def found_once(stage: Stage):
    """Twenty orders, while the stock lives where it was: the clerk looks it up once."""
    shop = await Shop.opened(stage)
    for _ in range(20):
        await shop.order(GOODS)
    stage.expect(shop.searched, "the clerk has not looked for the stock by find_stock()")
    stage.expect(shop.searched == 1, f"the clerk has looked for the stock {shop.searched} times in 20 orders")


@scenario("another stock", exercise=3)
async def another(stage: Stage):
    """The stock crashes, and there is a new one: the next order is answered with its goods."""
    shop = await Shop.opened(stage)
    await shop.order(GOODS)
    await stage.crash("house")
    await stage.start("cellar", "Stock", "cellar", ["lamp"])
    shop.goods = {"lamp"}
    await asyncio.sleep(5)
    answer = await shop.order(GOODS)
    stage.expect(
        answer.body == shop.offers(GOODS),
        f"the new stock has a lamp; the answer is {answer.performative} {answer.body}",
    )


@scenario("no stock at all", exercise=3)
async def none(stage: Stage):
    """The stock crashes, and there is no other: orders are answered by a failure, within five seconds."""
    shop = await Shop.opened(stage)
    await shop.order(GOODS)
    await stage.crash("house")
    for _ in range(2):
        answer = await shop.order(GOODS)
        said = f"{answer.performative} {answer.body!r}"
        stage.expect(answer.performative == "failure", f"there is no stock, and the answer is {said}")


class Shop:
    """Clerk and stock, each in a container, and what is counted of them."""

    def __init__(self, stage):
        self.worth = {good: stage.random.randrange(10, 1000) for good in GOODS.split(",")}
        self.goods = {"vase", "rug", "bowl"}
        self.appraised = {}
        self.searched = 0

    @classmethod
    async def opened(cls, stage):
        shop = cls(stage)
        stage.network.delay = 0.01
        shop.front = await stage.container("c1")
        await stage.replace(appraise=shop.appraise)
        await stage.watch(find_stock=shop.search)
        for home in "house", "counter":
            await stage.open(home)
        await stage.start("house", "Stock", "stock", sorted(shop.goods))
        await asyncio.sleep(5)  # until the directory of the other container knows it
        await stage.start("counter", "Clerk", "clerk")
        return shop

    def appraise(self, good):
        """What the program's `appraise` says here: something new each time, and without work."""
        self.appraised[good] = self.appraised.get(good, 0) + 1
        return self.worth.get(good, 9)

    def search(self):
        self.searched += 1

    def offers(self, wanted):
        """The right answer."""
        return ", ".join(f"{good} {self.worth[good]}" for good in wanted.split(",") if good in self.goods)

    async def order(self, goods):
        message = Message(to="clerk@counter", performative="request", body=goods)
        return await self.front.ask(message, timeout=5)
