"""Gossip: a rumour reaches every ant. Complete the three exercises; README.md has the text."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template


class Gossip(Agent):
    """Hears rumours, and passes them on.

    `neighbours` are the names of the ants that it can talk to, and `known` are the rumours that it has
    heard, each once. A rumour comes as the body of an `inform`.
    """

    def __init__(self, name, neighbours):
        super().__init__(name)
        self.neighbours = neighbours
        self.known = []

    async def setup(self):
        self.add_behaviour(Listen(), Template(performative="inform"))
        # Exercise 2: once a second, ask a neighbour that you choose by chance what you have missed.


class Listen(CyclicBehaviour):
    async def run(self):
        rumour = await self.receive()
        # Exercise 1: what if the ant knows it already? And who else should hear it?
        self.agent.known.append(rumour.body)


class Average(Agent):
    """Exercise 3: finds the mean of the `value` of all ants, by talking to its neighbours only.

    `estimate` is what it believes the mean to be; at first, its own value.
    """

    def __init__(self, name, neighbours, value):
        super().__init__(name)
        self.neighbours = neighbours
        self.estimate = float(value)


class Tell(OneShotBehaviour):
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
        scout.add_behaviour(Tell())
        await container.start(scout)
        await scout.join()
        for ant in ring:
            print(ant.name, "knows", ant.known)


if __name__ == "__main__":
    asyncio.run(main())
