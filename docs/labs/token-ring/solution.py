"""Token ring, solved."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, Template
from formicary.errors import FailedError


class Room:
    """What only one may use at a time; using it takes a tenth of a second."""

    async def use(self, name):
        print(name, "uses the room")
        await asyncio.sleep(0.1)


class Member(Agent):
    """One of the ring; `highest` is the highest number of a token that it has seen."""

    def __init__(self, name, others, room, patience=None):
        super().__init__(name)
        self.others = others
        self.room = room
        self.patience = patience
        self.highest = 0

    async def setup(self):
        self.add_behaviour(Carry(), Template(performative="request"))


class Carry(CyclicBehaviour):
    async def run(self):
        member = self.agent
        token = await self.receive(timeout=member.patience)
        if token is None:
            number = member.highest + 1  # it is lost: make a new one
        else:
            await self.reply(token, performative="agree")
            number = int(token.body)
        if number < member.highest:
            return  # there is a newer one: this one ends here
        member.highest = number
        await member.room.use(member.name)
        await self.pass_on(number)

    async def pass_on(self, number):
        for other in self.agent.others:
            try:
                await self.ask(Message(to=other, performative="request", body=str(number)))
                return
            except FailedError:
                continue  # it is dead: the next but one


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
