"""How many messages an election takes, in the best case and in the worst one."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message
from formicary_bench.labs.measuring import Measurement

MEMBERS = 50


class Elector(Agent):
    def __init__(self, name, number, successor, counter):
        super().__init__(name)
        self.number, self.successor, self.counter = number, successor, counter

    async def setup(self):
        self.add_behaviour(Elect())


class Elect(CyclicBehaviour):
    async def run(self):
        number = int((await self.receive()).body)
        if number == self.agent.number:
            self.agent.counter.set()
        elif number > self.agent.number:
            await self.say(number)

    async def on_start(self):
        await self.say(self.agent.number)

    async def say(self, number):
        self.agent.counter.count += 1
        await self.send(Message(to=self.agent.successor, body=str(number)))


class Counter(asyncio.Event):
    count = 0


def with_numbers(numbers):
    async def measure(seconds):
        del seconds  # what is counted is the same each time
        counter = Counter()
        async with Container("c1") as container:
            places = range(MEMBERS)
            members = [Elector(f"m{p}", numbers[p], f"m{(p + 1) % MEMBERS}", counter) for p in places]
            await asyncio.gather(*map(container.start, members))
            await counter.wait()
            return counter.count

    return measure


MEASUREMENT = Measurement(
    "How many messages does an election among 50 members take, until one knows that it leads?",
    "messages",
    {
        "numbers grow along the ring": with_numbers(list(range(MEMBERS))),
        "numbers fall along the ring": with_numbers(list(reversed(range(MEMBERS)))),
    },
)
