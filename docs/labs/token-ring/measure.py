"""How long the token takes for one lap."""

import asyncio
from time import perf_counter

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary_bench.labs.measuring import Measurement


class Member(Agent):
    def __init__(self, name, successor):
        super().__init__(name)
        self.successor = successor
        self.count = 0

    async def setup(self):
        self.add_behaviour(Carry())


class Carry(CyclicBehaviour):
    async def run(self):
        await self.receive()
        self.agent.count += 1
        await self.send(Message(to=self.agent.successor))


class Start(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="m0"))


def ring_of(size):
    async def measure(seconds):
        async with Container("c1") as container:
            members = [Member(f"m{number}", f"m{(number + 1) % size}") for number in range(size)]
            for member in members:
                await container.start(member)
            first = members[0]
            starter = Agent("starter")
            starter.add_behaviour(Start())
            await container.start(starter)
            await asyncio.sleep(seconds / 5)
            before, began = first.count, perf_counter()
            while first.count == before or perf_counter() - began < seconds:  # noqa: ASYNC110 -- nobody tells
                await asyncio.sleep(seconds / 5)
            return (perf_counter() - began) / (first.count - before) * 1e6

    return measure


MEASUREMENT = Measurement(
    "How long does the token take for one lap in one process, if nobody uses the room?",
    "µs",
    {"10 members": ring_of(10), "1000 members": ring_of(1000)},
)
