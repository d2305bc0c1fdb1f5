"""Several questions at the same time: `ask` gives each its own answer, whichever comes first."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Message
from formicary.errors import NoAnswerError


class Runner(Agent):
    async def setup(self):
        self.add_behaviour(Run())


class Run(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await asyncio.sleep(float(message.body))
        await self.reply(message, body=f"{self.agent.name} has run for {message.body} s")


async def main():
    async with Container("c1") as container:
        for name in "tortoise", "hare", "snail":
            await container.start(Runner(name))
        answers = await asyncio.gather(
            container.ask(Message(to="tortoise", body="0.1"), timeout=5),
            container.ask(Message(to="hare", body="0.01"), timeout=5),
        )
        print([answer.body for answer in answers])
        try:
            await container.ask(Message(to="snail", body="1000"), timeout=0.1)
        except NoAnswerError as error:
            print("still under way:", *error.missing)


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   ['tortoise has run for 0.1 s', 'hare has run for 0.01 s']
#   still under way: snail@c1.lab.localhost
