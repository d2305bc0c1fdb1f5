"""Swapping ants: no leaf is lost. Complete the three exercises; README.md has the text."""

import asyncio
import random

from formicary import Agent, Container, Message, MicroAgent, OneShotBehaviour


class Ant(MicroAgent):
    """Has a leaf, and swaps it with other ants.

    `others` are the names of the other ants; `leaf` is the leaf that it has, and `swaps` how many swaps were
    made that it has asked for.
    """

    def __init__(self, name, others, leaf):
        super().__init__(name)
        self.others = others
        self.leaf = leaf
        self.swaps = 0
        self.may_ask = True

    def handle(self, message):
        if message.performative == "inform-ref":  # the queen: "go" gives it a turn, "stop" ends the game
            self.may_ask = message.body == "go"
            self.ask()
        elif message.performative == "request":  # another ant offers its leaf for ours
            # Exercise 1: swap, and then it is our turn. Exercise 2: but not at any time.
            pass
        elif message.performative == "inform":  # the answer: the leaf of the one that we have asked
            # Exercise 1: swap. Our turn is over then.
            pass
        # Exercises 2 and 3: what else may come?

    def ask(self):
        """It is our turn: offer the leaf to another ant."""
        if self.may_ask:
            other = random.choice(self.others)
            self.send_nowait(Message(to=other, performative="request", body=self.leaf))


class Queen(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="ant-0", performative="inform-ref", body="go"))
        await asyncio.sleep(0.5)
        for number in range(5):
            await self.send(Message(to=f"ant-{number}", performative="inform-ref", body="stop"))
        await asyncio.sleep(0.1)
        await self.agent.stop()


async def main():
    names = [f"ant-{number}" for number in range(5)]
    ants = [Ant(name, [each for each in names if each != name], f"leaf-{name[-1]}") for name in names]
    async with Container("c1") as container:
        for ant in ants:
            await container.start(ant)
        queen = Agent("queen")
        queen.add_behaviour(Queen())
        await container.start(queen)
        await queen.join()
        for ant in ants:
            print(ant.name, "has", ant.leaf, "after", ant.swaps, "swaps")


if __name__ == "__main__":
    asyncio.run(main())
