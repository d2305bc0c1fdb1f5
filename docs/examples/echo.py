"""One agent answers, another one asks: behaviours, templates, and an agent that ends by itself."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Template


class Echo(Agent):
    async def setup(self):
        self.add_behaviour(Answer(), Template(performative="request"))


class Answer(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, body=message.body)


class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="echo", body="hello", performative="request"))
        answer = await self.receive(timeout=5)
        print(answer.sender, "answers", answer.body)
        await self.agent.stop()


async def main():
    async with Container("c1") as container:
        await container.start(Echo("echo"))
        asker = Agent("asker")
        asker.add_behaviour(Ask())
        await container.start(asker)
        await asker.join()


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   echo@c1.lab.localhost answers hello
