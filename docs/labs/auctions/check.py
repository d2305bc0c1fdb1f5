"""What must hold in the lab auctions."""

import asyncio

from formicary import Agent, OneShotBehaviour, Template
from formicary.protocols import ContractNet, Propose, responds
from formicary_bench.labs import Stage, scenario


@scenario("the highest bidder", exercise=1)
async def highest(stage: Stage):
    """Ben pays more than Anna; the price rises by 10, so Ben buys the vase for just about Anna's limit."""
    limit = stage.random.randrange(25, 66, 10)
    anna, ben = await bidders(stage, {"vase": limit}, {"vase": 80})
    sale = await sell(stage, "vase", [anna, ben])
    expect_sale(stage, sale, ben, limit - 5, limit + 5)
    paid = f"{sale.price:g}"
    stage.expect(
        dict(ben.won) == {"vase": sale.price},
        f"Ben has paid {paid} for the vase; his `won` is {ben.won}",
    )
    stage.expect(not anna.won, f"Anna has bought nothing, and her `won` is {anna.won}")


@scenario("nobody wants it", exercise=1)
async def unwanted(stage: Stage):
    """The price is too high for Anna, and Ben wants something else: the vase is not sold."""
    anna, ben = await bidders(stage, {"vase": 5}, {"lamp": 80})
    sale = await sell(stage, "vase", [anna, ben])
    stage.expect(sale is None, f"the vase is sold to {sale and sale.winner}, who should not bid")
    stage.expect(not anna.won and not ben.won, f"nobody has bought it; `won` is {anna.won or ben.won}")


@scenario("several auctions at once", exercise=1)
async def several(stage: Stage):
    """Three things are sold at the same time; each is bought by who pays more for it."""
    anna, ben = await bidders(
        stage, {"vase": 100, "lamp": 20, "rug": 60}, {"vase": 20, "lamp": 90, "rug": 20}
    )
    await asyncio.gather(*(sell(stage, item, [anna, ben]) for item in ("vase", "lamp", "rug")))
    stage.expect(set(anna.won) == {"vase", "rug"}, f"Anna should have vase and rug; her `won` is {anna.won}")
    stage.expect(set(ben.won) == {"lamp"}, f"Ben should have won the lamp; his `won` is {ben.won}")


@scenario("money for one", exercise=2)
async def poor(stage: Stage):
    """Anna wants three things that are sold at the same time, and has money for one: she buys no more."""
    (anna,) = await bidders(stage, {"vase": 50, "lamp": 50, "rug": 50}, money=60)
    sales = await asyncio.gather(*(sell(stage, item, [anna], start=40) for item in ("vase", "lamp", "rug")))
    paid = sum(sale.price for sale in sales if sale)
    stage.expect(paid <= 60, f"Anna has 60, and has bought for {paid:g}")
    stage.expect(paid == 40, "Anna has money for one of three things, and has bought none")


@scenario("outbid, and free again", exercise=2)
async def outbid(stage: Stage):
    """Anna bids for the vase and is outbid by Ben; then she has her money again, and buys the lamp."""
    anna, ben = await bidders(stage, {"vase": 50, "lamp": 60}, {"vase": 200}, money=60)
    await sell(stage, "vase", [anna, ben])
    sale = await sell(stage, "lamp", [anna])
    stage.expect(sale is not None, "Anna has 60, has bought nothing, and does not bid 10 for the lamp")
    expect_sale(stage, sale, anna, 10)


@scenario("what is bought is paid", exercise=2)
async def paid(stage: Stage):
    """Anna buys the vase for 40 of her 60; then she does not bid more than 20 for the lamp."""
    anna, ben = await bidders(stage, {"vase": 50, "lamp": 50}, {"lamp": 35}, money=60)
    expect_sale(stage, await sell(stage, "vase", [anna], start=40), anna, 40)
    expect_sale(stage, await sell(stage, "lamp", [anna, ben]), ben, 20, 30)


@scenario("the second price", exercise=3)
async def second(stage: Stage):
    """Of three bids the highest gets it for the second one, and the others are told that they do not."""
    low, middle, high = bids(stage, 3)
    owners = await audience(stage, low, high, middle)
    seller = await sealed(stage, owners)
    expect_result(stage, seller, owners[1], middle)
    paid = owners[1].paid
    stage.expect(paid == str(middle), f"the acceptance should say {middle}, and says {paid!r}")
    for owner in (owners[0], owners[2]):
        stage.expect(owner.rejected, f"{owner.name} was not told that it is rejected", about=[owner.name])


@scenario("one bid, or none", exercise=3)
async def reserve(stage: Stage):
    """The reserve is 20. One bid of 70 pays 20; a bid of 10 buys nothing."""
    owners = await audience(stage, 70, 10)
    expect_result(stage, await sealed(stage, owners), owners[0], 20)
    seller = await sealed(stage, owners[1:])
    stage.expect(seller.result is None, f"10 is below the reserve, and the result is {seller.result}")


@scenario("late, silent and silly bidders", exercise=3)
async def odd(stage: Stage):
    """One bid comes too late, one never, and one is "a lot": the others are not held up."""
    low, high = bids(stage, 2)
    owners = await audience(stage, low, high, 90, 99, 50)
    owners[2].takes = 5
    owners[3].takes = None
    owners[4].word = "a lot"
    began = asyncio.get_running_loop().time()
    seller = await sealed(stage, owners)
    took = asyncio.get_running_loop().time() - began
    expect_result(stage, seller, owners[1], low)
    stage.expect(took < 3, f"the sale took {took:.1f} s, and bids are waited for for 1 s")


@scenario("the winner dies", exercise=3)
async def dies(stage: Stage):
    """Who has bid most ends before it pays: the next one gets it, for the bid after its own."""
    low, middle, high = bids(stage, 3)
    owners = await audience(stage, low, middle, high)
    owners[2].dies = True
    expect_result(stage, await sealed(stage, owners), owners[1], low)


def bids(stage, count):
    """What nobody can guess, the lowest first."""
    return sorted(stage.random.sample(range(25, 100), count))


async def bidders(stage, *limits, money=1000):
    """Start Anna, Ben and so on, each in a container of its own."""
    stage.network.delay = lambda: stage.random.uniform(0.01, 0.1)
    started = []
    for name, wanted in zip(["anna", "ben"], limits, strict=False):
        started.append(await stage.start(name, "Bidder", name, wanted, money))
    return started


async def sell(stage, item, to, start=10):
    """Hold an English auction."""
    container = await stage.container(f"house-of-the-{item}")
    auctioneer = Agent(f"auctioneer-{item}")
    auctioneer.add_behaviour(selling := Selling([each.address for each in to], item, start), ~Template())
    await container.start(auctioneer)
    await selling.join()
    await asyncio.sleep(1)  # until all have heard of it
    stage.expect(not selling.lasts, f"the auction of the {item} does not end: who pays {selling.lasts}?")
    return selling.sale


class Selling(OneShotBehaviour):
    def __init__(self, to, item, start):
        super().__init__()
        self.to, self.item, self.start = to, item, start
        self.sale = None
        self.lasts = 0

    async def run(self):
        try:
            async with asyncio.timeout(60):
                self.sale = await self.english_auction(
                    self.to, self.item, start=self.start, step=10, timeout=1
                )
        except TimeoutError:
            self.lasts = 1000


def expect_sale(stage, sale, winner, *prices):
    stage.expect(sale is not None, "nobody has bought it")
    name = sale.winner.partition("@")[0]
    stage.expect(
        name == winner.name and sale.price in prices,
        f"it is sold to {name} for {sale.price:g}; it should be {winner.name}, "
        f"for {' or '.join(map(str, prices))}",
    )


async def audience(stage, *worths):
    """Start owners that bid what it is worth to them."""
    stage.network.delay = lambda: stage.random.uniform(0.01, 0.1)
    owners = []
    for number, worth in enumerate(worths):
        container = await stage.container(f"o{number}")
        owners.append(owner := Guest(f"owner-{number}", str(worth)))
        await container.start(owner)
    return owners


class Guest(Agent):
    """Bids its word after a while."""

    def __init__(self, name, word):
        super().__init__(name)
        self.word = word
        self.takes = 0.1
        self.dies = False
        self.paid = None
        self.rejected = False

    @responds(ContractNet)
    async def bid(self, _call):
        await asyncio.sleep(3600 if self.takes is None else self.takes)
        answer = yield Propose(self.word)
        self.rejected = answer.performative == "reject-proposal"
        if answer.performative == "accept-proposal":
            if self.dies:
                await self.stop()
            self.paid = answer.body
            yield "paid"


async def sealed(stage, owners):
    """Have the student's seller sell a lamp."""
    home = f"house-{len(stage.recorder.arrows)}"
    names = [owner.address for owner in owners]
    seller = await stage.start(home, "Sealed", "seller", names, "lamp", 20, 1)
    await stage.ended(seller, 30)
    await asyncio.sleep(0.5)
    return seller


def expect_result(stage, seller, winner, price):
    stage.expect(seller.result is not None, "`result` is None, though there was a bid")
    name, paid = seller.result[0].partition("@")[0], seller.result[1]
    stage.expect(
        (name, paid) == (winner.name, price),
        f"it is sold to {name} for {paid:g}; it should be {winner.name}, for {price}",
    )
