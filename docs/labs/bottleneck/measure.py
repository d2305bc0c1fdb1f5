"""How many orders a second a shop takes, as it was and as it is."""

from pathlib import Path
from time import perf_counter

from formicary import Agent, Container, Message, OneShotBehaviour, Template
from formicary_bench.labs.measuring import Measurement
from formicary_bench.labs.programs import load

ORDER = Message(to="clerk", performative="request", body="vase,lamp,rug,chair,bowl")


class Order(OneShotBehaviour):
    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds
        self.rate = 0.0

    async def run(self):
        began, orders, passed = perf_counter(), 0, 0.0
        while passed < self.seconds:
            await self.ask(ORDER, timeout=5)
            orders += 1
            passed = perf_counter() - began
        self.rate = orders / passed


def shop(file):
    async def case(seconds):
        program = load(Path(__file__).with_name(file))
        async with Container("c1") as container:
            await container.start(program.Stock("stock", ["vase", "rug", "bowl"]))
            await container.start(program.Clerk("clerk"))
            customer = Agent("customer")
            customer.add_behaviour(ordering := Order(seconds), ~Template())
            await container.start(customer)
            await ordering.join()
            return ordering.rate

    return case


MEASUREMENT = Measurement(
    "How many orders a second does the shop take?",
    "orders/s",
    {"as you got it": shop("start.py"), "with all three exercises": shop("solution.py")},
)
