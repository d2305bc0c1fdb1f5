"""Ping-pong, solved."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary.errors import FailedError, NoAnswerError


class Pong(Agent):
    """Answers every request."""

    async def setup(self):
        self.add_behaviour(Answer(), Template(performative="request"))


class Answer(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, body=message.body)


class Asking(OneShotBehaviour):
    """What Ping and Rush have in common."""

    async def question(self, number):
        message = Message(to=self.agent.partner, body=str(number), performative="request")
        try:
            return (await self.ask(message, timeout=1)).body
        except (NoAnswerError, FailedError):
            return None


class Ping(Agent):
    """Asks its partner, one question after the other, and ends."""

    def __init__(self, name, partner, rounds):
        super().__init__(name)
        self.partner = partner
        self.rounds = rounds
        self.answers = []

    async def setup(self):
        self.add_behaviour(Play())


class Play(Asking):
    async def run(self):
        for number in range(self.agent.rounds):
            self.agent.answers.append(await self.question(number))
        await self.agent.stop()


class Rush(Agent):
    """As Ping, but with up to `window` questions on their way at the same time."""

    def __init__(self, name, partner, rounds, window):
        super().__init__(name)
        self.partner = partner
        self.rounds = rounds
        self.window = window
        self.answers = []

    async def setup(self):
        self.add_behaviour(PlayMany())


class PlayMany(Asking):
    async def run(self):
        room = asyncio.Semaphore(self.agent.window)

        async def one(number):
            async with room:
                return await self.question(number)

        self.agent.answers = await asyncio.gather(*map(one, range(self.agent.rounds)))
        await self.agent.stop()


async def main():
    async with Container("c1") as container:
        await container.start(Pong("pong"))
        ping = Ping("ping", "pong", 3)
        await container.start(ping)
        await ping.join()
        print("ping has got", ping.answers)


if __name__ == "__main__":
    asyncio.run(main())
