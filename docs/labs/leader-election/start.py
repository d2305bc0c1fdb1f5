"""Leader election in a ring: the living member with the highest number shall lead. README.md has the text."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import FailedError

NOTHING = ~Template()  # for behaviours that only ask: without a template they would get all messages


class Elector(Agent):
    """A member of the ring.

    `others` are the names of all other members, beginning with the next one in the ring. `leader` is the
    number of the leader, as far as it knows, else None. All messages are requests, which are answered by
    `agree` at once: `elect` begins an election; what else is said between members is up to you.
    """

    def __init__(self, name, number, others):
        super().__init__(name)
        self.number = number
        self.others = others
        self.leader = None

    async def setup(self):
        self.add_behaviour(Elect(), Template(performative="request"))

    def pass_on(self, text):
        """Send something to the next member, without waiting for an answer."""
        self.add_behaviour(PassOn(text), NOTHING)


class PassOn(OneShotBehaviour):
    def __init__(self, text):
        super().__init__()
        self.text = text

    async def run(self):
        # Exercise 2: and if the next member is dead?
        to = self.agent.others[0]
        try:
            await self.ask(Message(to=to, performative="request", body=self.text))
        except FailedError as error:
            print(self.agent.name, "cannot reach", to, "as", error)


class Elect(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, performative="agree")
        what = message.body.split()[0]
        if what == "elect":
            self.agent.pass_on(f"candidate {self.agent.number}")
        # Exercise 1: what to do with `candidate NUMBER`? How do all others hear who leads?
        # Exercise 3: and if the leader dies?


async def main():
    names = ["ann", "ben", "cat"]
    async with Container("c1") as container:
        members = [
            Elector(name, number, names[place + 1 :] + names[:place])
            for place, (name, number) in enumerate(zip(names, [3, 9, 5], strict=True))
        ]
        for member in members:
            await container.start(member)
        await container.ask(Message(to="ann", performative="request", body="elect"))
        await asyncio.sleep(0.5)
        print("leaders:", [member.leader for member in members])


if __name__ == "__main__":
    asyncio.run(main())
