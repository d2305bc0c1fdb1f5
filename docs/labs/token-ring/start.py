"""Token ring: only who has the token may use the room. Complete the exercises; README.md has the text."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, Template


class Room:
    """What only one may use at a time; using it takes a tenth of a second."""

    async def use(self, name):
        print(name, "uses the room")
        await asyncio.sleep(0.1)


class Member(Agent):
    """One of the ring.

    `others` are the names of all other members, beginning with the next one in the ring. The token is a
    request whose body is its number; who gets it answers at once, uses the room once, and gives the token to
    the next. With `patience` it makes a new token if it has seen none for so many seconds (exercise 3).
    """

    def __init__(self, name, others, room, patience=None):
        super().__init__(name)
        self.others = others
        self.room = room
        self.patience = patience

    async def setup(self):
        self.add_behaviour(Carry(), Template(performative="request"))


class Carry(CyclicBehaviour):
    async def run(self):
        token = await self.receive()
        await self.reply(token, performative="agree")
        await self.agent.room.use(self.agent.name)
        # Exercise 1: give the token, with the same number, to the next one.
        # Exercise 2: and if that one is dead, to the next but one.


async def main():
    names = ["ann", "ben", "cat"]
    async with Container("c1") as container:
        room = Room()
        for number, name in enumerate(names):
            others = names[number + 1 :] + names[:number]
            await container.start(Member(name, others, room))
        await container.ask(Message(to="ann", performative="request", body="1"))
        await asyncio.sleep(1)


if __name__ == "__main__":
    asyncio.run(main())
