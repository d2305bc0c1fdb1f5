"""Swapping ants, solved."""

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
        self.others = list(others)
        self.leaf = leaf
        self.swaps = 0
        self.may_ask = True
        self.asked = None  # whose answer it waits for

    def handle(self, message):
        kind = message.performative
        if kind == "inform-ref":  # the queen: "go" gives it a turn, "stop" ends the game
            self.may_ask = message.body == "go"
            if not self.asked:
                self.ask()
        elif kind == "request" and self.asked:
            self.send_nowait(message.make_reply(performative="refuse"))
        elif kind == "request":
            self.send_nowait(message.make_reply(performative="inform", body=self.leaf))
            self.leaf = message.body
            self.ask()
        elif kind == "inform":
            self.leaf = message.body
            self.swaps += 1
            self.asked = None
        elif kind == "refuse":
            self.ask()
        elif kind == "failure" and message.in_reply_to == "swap":  # who was asked is dead
            self.others.remove(self.asked)
            self.ask()

    def ask(self):
        """It is our turn: offer the leaf to another ant."""
        self.asked = random.choice(self.others) if self.others and self.may_ask else None
        if self.asked:
            offer = Message(to=self.asked, performative="request", body=self.leaf, reply_with="swap")
            self.send_nowait(offer)


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
