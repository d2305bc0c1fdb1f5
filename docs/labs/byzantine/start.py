"""Agreement with a liar: all attack, or nobody. Complete the three exercises; README.md has the text."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template

NONE = ~Template()  # no message is for these behaviours: they only send


class Commander(Agent):
    """Sends its order, "attack" or "retreat", to all lieutenants."""

    def __init__(self, name, lieutenants, order):
        super().__init__(name)
        self.lieutenants = lieutenants
        self.order = order

    async def setup(self):
        self.add_behaviour(Command(), NONE)


class Command(OneShotBehaviour):
    async def run(self):
        for lieutenant in self.agent.lieutenants:
            body = f"{self.agent.name} {self.agent.order}"
            await self.send(Message(to=lieutenant, performative="inform", body=body))


class Lieutenant(Agent):
    """Finds out what to do, together with the other lieutenants.

    `commander` and `others` are the names of the commander and of the other lieutenants, and at most `liars`
    of all generals lie. `decision` is None at first; four seconds after the start, "attack" or "retreat".
    """

    def __init__(self, name, commander, others, liars=0):
        super().__init__(name)
        self.commander = commander
        self.others = others
        self.liars = liars
        self.decision = None

    async def setup(self):
        self.add_behaviour(Hear(), Template(performative="inform"))
        # Exercise 1: who decides if no order comes?


class Hear(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        path, order = message.body.split()
        print(self.agent.name, "hears", order, "by", path)
        # Exercise 1: decide. Exercise 2: tell the others before you believe it.


def short(name):
    """Return an agent's name without its container: "anna" of "anna@c1.lab.localhost"."""
    return name.partition("@")[0]


async def main():
    names = ["anna", "ben", "carla"]
    async with Container("c1") as container:
        lieutenants = [Lieutenant(name, "rex", [each for each in names if each != name]) for name in names]
        for lieutenant in lieutenants:
            await container.start(lieutenant)
        await container.start(Commander("rex", names, "attack"))
        await asyncio.sleep(4.1)
        for lieutenant in lieutenants:
            print(lieutenant.name, "decides:", lieutenant.decision)


if __name__ == "__main__":
    asyncio.run(main())
