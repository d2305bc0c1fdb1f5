"""What a search in the directory costs."""

from time import perf_counter

from formicary import Agent, Container
from formicary_bench.labs.measuring import Measurement


class Seller(Agent):
    async def setup(self):
        await self.directory.register(type="bookseller" if self.name == "s0" else "baker")


def among(count):
    async def measure(seconds):
        async with Container("c1") as container:
            for number in range(count):
                await container.start(Seller(f"s{number}"))
            searches, began = 0, perf_counter()
            while perf_counter() - began < seconds:
                await container.directory.search(type="bookseller")
                searches += 1
            return (perf_counter() - began) / searches * 1e6

    return measure


MEASUREMENT = Measurement(
    "How long does it take to find the only bookseller in the directory?",
    "µs",
    {"among 10 services": among(10), "among 1000 services": among(1000)},
)
