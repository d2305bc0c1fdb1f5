"""Ping-pong: Pong answers, Ping asks. Complete the three exercises; README.md has the text."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template


class Pong(Agent):
    """Answers every request."""

    async def setup(self):
        self.add_behaviour(Answer(), Template(performative="request"))


class Answer(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        # Exercise 1: send an answer with the same body. As it is, nobody gets one.
        print("pong has got", message.body)


class Ping(Agent):
    """Asks its partner "0", "1", "2" and so on, one after the other, and ends.

    `answers` has an entry for each question, in their order: the body of its answer, or None if none came
    within one second.
    """

    def __init__(self, name, partner, rounds):
        super().__init__(name)
        self.partner = partner
        self.rounds = rounds
        self.answers = []

    async def setup(self):
        self.add_behaviour(Play())


class Play(OneShotBehaviour):
    async def run(self):
        for number in range(self.agent.rounds):
            question = Message(to=self.agent.partner, body=str(number), performative="request")
            await self.send(question)
            # Exercise 2: is this always the answer to the question just asked?
            answer = await self.receive(timeout=1)
            self.agent.answers.append(answer.body if answer else None)
        await self.agent.stop()


class Rush(Agent):
    """Exercise 3: as Ping, but with up to `window` questions on their way at the same time."""

    def __init__(self, name, partner, rounds, window):
        super().__init__(name)
        self.partner = partner
        self.rounds = rounds
        self.window = window
        self.answers = []

    async def setup(self):
        self.add_behaviour(Play())


async def main():
    async with Container("c1") as container:
        await container.start(Pong("pong"))
        ping = Ping("ping", "pong", 3)
        await container.start(ping)
        await ping.join()
        print("ping has got", ping.answers)


if __name__ == "__main__":
    asyncio.run(main())
