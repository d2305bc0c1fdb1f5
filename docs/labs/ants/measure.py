"""How many swaps a second ants make."""

import asyncio
import random
from time import perf_counter

from formicary import Container, Message, MicroAgent
from formicary_bench.labs.measuring import Measurement


class Nest:
    """What all ants know."""

    def __init__(self, size):
        self.names = [f"ant-{number}@c1.lab.localhost" for number in range(size)]
        self.is_over = False


class Ant(MicroAgent):
    def __init__(self, name, nest):
        super().__init__(name)
        self.nest = nest
        self.leaf = name
        self.swaps = 0
        self.is_asking = False

    def handle(self, message):
        if message.performative == "inform":
            self.leaf = message.body
            self.swaps += 1
            self.is_asking = False
        elif message.performative == "refuse":
            self.ask()
        elif self.is_asking:
            self.send_nowait(message.make_reply(performative="refuse"))
        else:
            self.send_nowait(message.make_reply(performative="inform", body=self.leaf))
            self.leaf = message.body
            self.ask()

    def ask(self):
        self.is_asking = not self.nest.is_over
        if self.is_asking:
            other = random.choice(self.nest.names)
            self.send_nowait(Message(to=other, performative="request", body=self.leaf))


def ants(size, turns):
    async def case(seconds):
        nest = Nest(size)
        async with Container("c1") as container:
            nest_ants = [Ant(name.partition("@")[0], nest) for name in nest.names]
            for ant in nest_ants:
                await container.start(ant)
            for ant in nest_ants[:turns]:
                ant.ask()
            await asyncio.sleep(seconds * 0.2)
            before, began = sum(ant.swaps for ant in nest_ants), perf_counter()
            await asyncio.sleep(seconds)
            while sum(ant.swaps for ant in nest_ants) == before:  # noqa: ASYNC110 -- a busy machine may need more
                await asyncio.sleep(seconds)
            swaps, took = sum(ant.swaps for ant in nest_ants) - before, perf_counter() - began
            nest.is_over = True
            while any(ant.is_asking for ant in nest_ants):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            return swaps / took

    return case


MEASUREMENT = Measurement(
    "How many swaps a second do all ants make together?",
    "swaps/s",
    {
        "100 ants, 10 turns": ants(100, 10),
        "10 000 ants, 1000 turns": ants(10_000, 1000),
        "30 000 ants, 3000 turns": ants(30_000, 3000),
    },
)
