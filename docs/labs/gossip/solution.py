"""Gossip, solved."""

import asyncio
import json
from datetime import timedelta

from formicary import (
    Agent,
    Container,
    CyclicBehaviour,
    Message,
    OneShotBehaviour,
    PeriodicBehaviour,
    Template,
)

NONE = ~Template()  # no message is for these behaviours: they only send


class Gossip(Agent):
    """Hears rumours, and passes them on."""

    def __init__(self, name, neighbours):
        super().__init__(name)
        self.neighbours = neighbours
        self.known = []

    async def setup(self):
        self.add_behaviour(Listen(), Template(performative="inform"))
        self.add_behaviour(AskAround(1.0, timedelta(seconds=1)), NONE)
        self.add_behaviour(Tell(), Template(performative="query-ref"))


class Listen(CyclicBehaviour):
    async def run(self):
        rumour = await self.receive()
        if rumour.body in self.agent.known:
            return
        self.agent.known.append(rumour.body)
        for neighbour in self.agent.neighbours:
            await self.send(Message(to=neighbour, performative="inform", body=rumour.body))


class AskAround(PeriodicBehaviour):
    async def run(self):
        neighbour = self.agent.random.choice(self.agent.neighbours)
        known = json.dumps(self.agent.known)
        await self.send(Message(to=neighbour, performative="query-ref", body=known))


class Tell(CyclicBehaviour):
    async def run(self):
        question = await self.receive()
        for rumour in self.agent.known:
            if rumour not in json.loads(question.body):
                await self.send(Message(to=question.sender, performative="inform", body=rumour))


class Average(Agent):
    """Finds the mean by push-sum: it gives away half of what it has, again and again."""

    def __init__(self, name, neighbours, value):
        super().__init__(name)
        self.neighbours = neighbours
        self.total, self.weight = float(value), 1.0

    @property
    def estimate(self):
        return self.total / self.weight

    async def setup(self):
        self.add_behaviour(Give(1.0), NONE)
        self.add_behaviour(Take(), Template(performative="inform"))


class Give(PeriodicBehaviour):
    async def run(self):
        ant = self.agent
        ant.total, ant.weight = ant.total / 2, ant.weight / 2
        half = json.dumps([ant.total, ant.weight])
        neighbour = ant.random.choice(ant.neighbours)
        await self.send(Message(to=neighbour, performative="inform", body=half))


class Take(CyclicBehaviour):
    async def run(self):
        total, weight = json.loads((await self.receive()).body)
        self.agent.total += total
        self.agent.weight += weight


class Scout(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="ant-0", performative="inform", body="sugar behind the oak"))
        await asyncio.sleep(0.1)
        await self.agent.stop()


async def main():
    async with Container("c1") as container:
        ring = [Gossip(f"ant-{number}", [f"ant-{(number + 1) % 5}"]) for number in range(5)]
        for ant in ring:
            await container.start(ant)
        scout = Agent("scout")
        scout.add_behaviour(Scout())
        await container.start(scout)
        await scout.join()
        for ant in ring:
            print(ant.name, "knows", ant.known)


if __name__ == "__main__":
    asyncio.run(main())
