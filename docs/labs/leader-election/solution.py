"""Leader election in a ring, solved: Chang and Roberts, with the dead left out."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import FailedError

NOTHING = ~Template()  # for behaviours that only ask: without a template they would get all messages


class Elector(Agent):
    """A member of the ring; `is_candidate` while its own number, or a higher one, is on its way."""

    def __init__(self, name, number, others):
        super().__init__(name)
        self.number = number
        self.others = others
        self.leader = None
        self.is_candidate = False

    async def setup(self):
        self.add_behaviour(Elect(), Template(performative="request"))
        self.add_behaviour(Live(), Template(performative="query-if"))

    def begin(self):
        if not self.is_candidate:
            self.is_candidate = True
            self.pass_on(f"candidate {self.number}")

    def pass_on(self, text):
        """Send something to the next member, without waiting for an answer."""
        self.add_behaviour(PassOn(text), NOTHING)


class PassOn(OneShotBehaviour):
    def __init__(self, text):
        super().__init__()
        self.text = text

    async def run(self):
        for other in (*self.agent.others, self.agent.name):
            try:
                await self.ask(Message(to=other, performative="request", body=self.text))
                return
            except FailedError:
                continue


class Elect(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, performative="agree")
        what, *words = message.body.split()
        if what == "elect":
            self.agent.begin()
        elif what == "candidate":
            self.hear_candidate(int(words[0]))
        elif what == "leader":
            self.hear_leader(int(words[0]), words[1])

    def hear_candidate(self, number):
        member = self.agent
        if number == member.number:
            self.hear_leader(number, member.address)
        elif number > member.number:
            member.is_candidate = True
            member.pass_on(f"candidate {number}")
        else:
            member.begin()

    def hear_leader(self, number, name):
        member = self.agent
        is_new = member.leader != number
        member.leader = number
        member.is_candidate = False
        if is_new:
            member.pass_on(f"leader {number} {name}")
            if number != member.number:
                member.add_behaviour(Watch(name), NOTHING)


class Live(CyclicBehaviour):
    """Takes the question of those who watch, and never answers: they hear it when the agent is gone."""

    async def run(self):
        await self.receive()


class Watch(OneShotBehaviour):
    def __init__(self, name):
        super().__init__()
        self.name = name

    async def run(self):
        try:
            await self.ask(Message(to=self.name, performative="query-if", body="are you there?"))
        except FailedError:
            self.agent.leader = None
            self.agent.begin()


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
