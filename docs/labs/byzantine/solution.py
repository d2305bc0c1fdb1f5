"""Agreement with a liar, solved by the oral messages of Lamport, Shostak and Pease."""

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
    """Finds out what to do, together with the other lieutenants."""

    def __init__(self, name, commander, others, liars=0):
        super().__init__(name)
        self.commander = short(commander)
        self.others = {short(other): other for other in others}
        self.liars = liars
        self.heard = {}  # the order, by the path that it came
        self.decision = None

    async def setup(self):
        self.add_behaviour(Hear(), Template(performative="inform"))
        self.add_behaviour(Decide(), NONE)

    def accepts(self, path, sender):
        return (
            path[0] == self.commander
            and path[-1] == sender
            and len(set(path)) == len(path) <= self.liars + 1
            and all(name in self.others for name in path[1:])
            and path not in self.heard
        )

    def believed(self, path):
        """What the last one of the path has said, as far as can be known from what all others were told."""
        own = self.heard.get(path, "retreat")
        if len(path) > self.liars:
            return own
        votes = [own, *(self.believed((*path, other)) for other in self.others if other not in path)]
        return "attack" if votes.count("attack") > len(votes) / 2 else "retreat"


class Hear(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        ant = self.agent
        words = message.body.split()
        if len(words) != 2:
            return
        path, order = tuple(words[0].split("/")), words[1]
        if order not in {"attack", "retreat"} or not ant.accepts(path, short(message.sender)):
            return
        ant.heard[path] = order
        if len(path) <= ant.liars:
            body = f"{words[0]}/{ant.name} {order}"
            for name, address in ant.others.items():
                if name not in path:
                    await self.send(Message(to=address, performative="inform", body=body))


class Decide(OneShotBehaviour):
    async def run(self):
        await asyncio.sleep(4)
        self.agent.decision = self.agent.believed((self.agent.commander,))


def short(name):
    """Return an agent's name without its container: "anna" of "anna@c1.lab.localhost"."""
    return name.partition("@")[0]


async def main():
    names = ["anna", "ben", "carla"]
    async with Container("c1") as container:
        lieutenants = [Lieutenant(name, "rex", [each for each in names if each != name], 1) for name in names]
        for lieutenant in lieutenants:
            await container.start(lieutenant)
        await container.start(Commander("rex", names, "attack"))
        await asyncio.sleep(4.1)
        for lieutenant in lieutenants:
            print(lieutenant.name, "decides:", lieutenant.decision)


if __name__ == "__main__":
    asyncio.run(main())
