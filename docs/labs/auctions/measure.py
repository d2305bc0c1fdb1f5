"""How long auctions take."""

from time import perf_counter

from formicary import Agent, Container, OneShotBehaviour, Template
from formicary.protocols import ContractNet, EnglishAuction, Participant, Propose, Refuse, responds
from formicary_bench.labs.measuring import Measurement


class Owner(Agent):
    """Bids up to what it is worth to it, in both kinds of auctions."""

    def __init__(self, name, worth):
        super().__init__(name)
        self.worth = worth

    @responds(ContractNet)
    def sealed(self, _call):
        yield Propose(str(self.worth))

    @responds(EnglishAuction)
    class Bid(Participant):
        def cfp(self, call):
            if float(call.body) > self.agent.worth:
                raise Refuse
            return Propose(call.body)


class Sell(OneShotBehaviour):
    def __init__(self, sale, seconds):
        super().__init__()
        self.sale, self.seconds = sale, seconds
        self.milliseconds = 0.0

    async def run(self):
        spent, sales = 0.0, 0
        while spent < self.seconds:
            began = perf_counter()
            await self.sale(self)
            spent += perf_counter() - began
            sales += 1
        self.milliseconds = spent / sales * 1000


async def measured(bidders, sale, seconds):
    async with Container("c1") as container:
        for number in range(bidders):
            await container.start(Owner(f"owner-{number}", 20 * (number + 1)))
        seller = Agent("seller")
        seller.add_behaviour(behaviour := Sell(sale, seconds), ~Template())
        await container.start(seller)
        await behaviour.join()
        return behaviour.milliseconds


def sealed(bidders):
    names = [f"owner-{number}" for number in range(bidders)]

    async def sale(behaviour):
        async with behaviour.contract_net(names, "lamp", timeout=10) as net:
            [bid async for bid in net.bids]

    async def case(seconds):
        return await measured(bidders, sale, seconds)

    return case


async def english(seconds):
    names = [f"owner-{number}" for number in range(10)]

    async def sale(behaviour):
        await behaviour.english_auction(names, "lamp", start=10, step=10, timeout=0.002)

    return await measured(10, sale, seconds)


MEASUREMENT = Measurement(
    "How long does an auction take?",
    "ms",
    {"sealed, 10 bidders": sealed(10), "sealed, 100 bidders": sealed(100), "English, 10 bidders": english},
)
