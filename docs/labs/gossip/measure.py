"""How many messages it takes until all ants know a rumour."""

import asyncio
import random

from formicary import Container, Message, MicroAgent
from formicary_bench.labs.measuring import Measurement

ANTS = 64


class Ant(MicroAgent):
    def __init__(self, name, neighbours):
        super().__init__(name)
        self.neighbours = neighbours
        self.knows = False
        self.sent = self.heard = 0

    def handle(self, _message):
        self.heard += 1
        self.hear()

    def hear(self):
        if not self.knows:
            self.knows = True
            for neighbour in self.neighbours:
                self.tell(neighbour)

    def tell(self, other):
        self.sent += 1
        self.send_nowait(Message(to=other, performative="inform", body="sugar"))


async def colony(container, friends):
    """Start the ants, and let the first one hear it."""
    ants = [Ant(f"ant-{number}", [f"ant-{other}" for other in friends(number)]) for number in range(ANTS)]
    for ant in ants:
        await container.start(ant)
    ants[0].hear()
    return ants


def per_ant(ants):
    return sum(ant.sent for ant in ants) / ANTS


async def until_quiet(ants):
    """Wait until what was sent has been heard."""
    while sum(ant.heard for ant in ants) < sum(ant.sent for ant in ants):  # noqa: ASYNC110
        await asyncio.sleep(0)


async def in_a_ring(_seconds):
    async with Container("c1") as container:
        ants = await colony(container, lambda own: [(own - 1) % ANTS, (own + 1) % ANTS])
        await until_quiet(ants)
        return per_ant(ants)


async def in_a_crowd(_seconds):
    async with Container("c1") as container:
        ants = await colony(container, lambda own: [other for other in range(ANTS) if other != own])
        await until_quiet(ants)
        return per_ant(ants)


async def by_chance(_seconds):
    async with Container("c1") as container:
        ants = await colony(container, lambda _own: [])
        while not all(ant.knows for ant in ants):
            for ant in [each for each in ants if each.knows]:
                ant.tell(random.choice([other.name for other in ants if other is not ant]))
            await until_quiet(ants)
        return per_ant(ants)


MEASUREMENT = Measurement(
    "How many messages does an ant send until all 64 know the rumour?",
    "messages",
    {"in a ring": in_a_ring, "in a crowd": in_a_crowd, "one by chance": by_chance},
)
