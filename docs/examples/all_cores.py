"""Agents in several processes, on all cores of the machine: a local platform."""

import asyncio

from formicary import Agent, CyclicBehaviour, LocalPlatform, Message


class Adder(Agent):
    async def setup(self):
        self.add_behaviour(Add())


class Add(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        first, last = map(int, message.body.split())
        await self.reply(message, body=str(sum(range(first, last))))


async def main():
    async with LocalPlatform(containers=2) as platform:
        questions = []
        for number in range(4):
            name = await platform.start(Adder, f"adder{number}")
            body = f"{number * 1000} {(number + 1) * 1000}"
            questions.append(platform.container.ask(Message(to=name, body=body), timeout=20))
        answers = await asyncio.gather(*questions)
        print(sum(int(answer.body) for answer in answers))


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   7998000
