"""What a contract net costs."""

from time import perf_counter

from formicary import Agent, Container
from formicary.protocols import ContractNet, Propose, responds
from formicary_bench.labs.measuring import Measurement


class Bidder(Agent):
    @responds(ContractNet)
    def bid(self, call):
        answer = yield Propose("1")
        if answer.performative == "accept-proposal":
            yield "done"


def among(count):
    async def measure(seconds):
        names = [f"b{number}" for number in range(count)]
        async with Container("c1") as container:
            for name in names:
                await container.start(Bidder(name))
            rounds, began = 0, perf_counter()
            while perf_counter() - began < seconds:
                async with container.contract_net(names, "a piano", timeout=60) as net:
                    bids = [bid async for bid in net.bids]
                    await net.award(bids[0])
                rounds += 1
            return (perf_counter() - began) / rounds * 1e6

    return measure


MEASUREMENT = Measurement(
    "How long does a contract net take in one process, from the call to the result?",
    "µs",
    {"1 bidder": among(1), "10 bidders": among(10), "100 bidders": among(100)},
)
